"""When an agent has had enough time. No clock: the tests bring it."""

import math
from pathlib import Path

import pytest

from shiage.agents.launch import Launch
from shiage.agents.limits import LONGEST, Watch
from shiage.domain.outcome import Cause


class Agent:
    """What a watch can see of an agent."""

    def __init__(self, idle=8.0, total=100.0, grace=3.0, start=math.inf) -> None:
        self.size = 0
        self.used = {1: 0.0}
        self.launch = Launch(
            ("x",), {}, Path(), b"", Path("log"), Path("err"), "m", idle, total, start, grace_seconds=grace
        )
        self.watch = Watch(self.launch, 0.0, lambda: self.size, lambda: dict(self.used))

    def until(self, end: float, each=None) -> tuple[float, Cause | None]:
        """Ask as often as the watch wants until a limit is reached or the time is over."""
        now = 0.0
        while now < end:
            now = self.watch.next()
            if each:
                each(now)
            if cause := self.watch.over(now):
                return now, cause
        return now, None


def test_a_silent_agent_is_ended_at_its_idle_limit():
    assert Agent(idle=8).until(50) == (8.0, Cause.IDLE)


def test_limits_may_be_fractions():
    now, cause = Agent(idle=0.25).until(5)
    assert cause is Cause.IDLE
    assert now == pytest.approx(0.25, abs=0.01)


def test_output_is_a_sign_of_life():
    agent = Agent(idle=8)

    def write_until_30(now):
        agent.size += now < 30

    now, cause = agent.until(100, write_until_30)
    assert cause is Cause.IDLE
    assert 37 <= now <= 40


def test_work_without_output_is_a_sign_of_life():
    agent = Agent(idle=8)

    def work_until_30(now):
        agent.used[1] = min(now, 30.0) * 0.5

    now, cause = agent.until(100, work_until_30)
    assert cause is Cause.IDLE
    assert 37 <= now <= 40


def test_a_runtime_that_merely_ticks_does_not_work():
    agent = Agent(idle=8)

    def tick(now):
        agent.used[1] = now * 0.005

    assert agent.until(50, tick) == (8.0, Cause.IDLE)


def test_a_new_child_that_works_counts_though_another_ended():
    agent = Agent(idle=8)
    agent.used = {1: 0.0, 2: 50.0}

    def replace(now):
        agent.used = {1: 0.0, int(now * 1000): 0.5} if now < 30 else {1: 0.0}

    assert agent.until(60, replace)[0] > 36


def test_the_total_limit_ends_the_busiest_agent():
    agent = Agent(idle=8, total=20)

    def work(now):
        agent.size += 1
        agent.watch.heard(now, final=False)

    assert agent.until(50, work) == (20.0, Cause.TOTAL)


def test_an_agent_that_stays_after_its_result_hangs():
    agent = Agent(grace=3)
    agent.watch.heard(1.0, final=True)
    assert agent.until(50) == (4.0, Cause.HUNG)


def test_each_sign_after_the_result_begins_the_grace_anew():
    agent = Agent(grace=3)
    agent.watch.heard(1.0, final=True)
    agent.watch.heard(3.0, final=True)
    assert agent.until(50) == (6.0, Cause.HUNG)


def test_a_new_turn_takes_the_result_back():
    agent = Agent(grace=3)
    agent.watch.heard(1.0, final=True)
    agent.watch.heard(2.0, final=False)
    assert agent.until(50) == (10.0, Cause.IDLE)


def test_a_long_idle_limit_costs_a_look_each_quarter_of_a_minute():
    agent, looks = Agent(idle=1800, total=100_000), []
    agent.until(600, looks.append)
    assert len(looks) == pytest.approx(600 / LONGEST, abs=1)


@pytest.mark.parametrize("cause", [Cause.IDLE, Cause.TOTAL, Cause.HUNG])
def test_each_limit_has_a_sentence_with_its_number(cause):
    numbers = {Cause.IDLE: "7.5 s", Cause.TOTAL: "90 s", Cause.HUNG: "2 s"}
    assert numbers[cause] in Agent(idle=7.5, total=90, grace=2).watch.sentence(cause)


def test_an_agent_that_never_says_its_first_word_has_less_time():
    agent = Agent(idle=60, start=4)
    assert agent.until(100) == (4.0, Cause.IDLE)
    assert "4 s" in agent.watch.sentence(Cause.IDLE)


def test_a_start_that_works_is_not_hung_and_a_first_word_gives_the_whole_patience():
    agent = Agent(idle=8, start=4)

    def begin(now):
        agent.used[1] = min(now, 10.0) * 0.5
        if now > 12 and not agent.size:
            agent.size = 1
            agent.watch.heard(now, final=False)

    now, cause = agent.until(100, begin)
    assert cause is Cause.IDLE
    assert 20 <= now <= 23


def test_complaints_are_no_first_word():
    agent = Agent(idle=60, start=4)

    def warn(now):
        agent.size = 10

    now, cause = agent.until(100, warn)
    assert cause is Cause.IDLE and now < 10
