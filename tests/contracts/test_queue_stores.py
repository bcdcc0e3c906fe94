"""What every queue must be able to do, whichever store is behind it."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import pytest

from shiage.domain.errors import OurBug, UserError
from shiage.queue.store import ClaimLost, Taken
from shiage.queue.tickets import FINAL, MOVES, OPEN, Hold, State, Wish

DAY = 86_400.0
ENDS = sorted(FINAL)


def ids(tickets):
    return [ticket.id for ticket in tickets]


def all_claims(store, most=100):
    claimed = []
    while ticket := store.claim(most=most):
        claimed.append(ticket)
    return claimed


def into(store, state, subject="login"):
    """A ticket in this state, by legal moves only."""
    ticket = store.add(Wish(subject))
    if state is State.QUEUED:
        return ticket
    claimed = store.claim(most=100, id=ticket.id)
    return claimed if state is State.RUNNING else store.finish(claimed, state)


def test_a_ticket_keeps_what_was_asked_for(world):
    store = world.owner()
    wish = Wish("login", "k", {"until": "tasks", "text": "日本\n'\";--"}, ("claude", "codex"), 3, world.now() + 5)
    ticket = store.add(wish)
    assert (ticket.subject, ticket.key, ticket.order, ticket.agents) == ("login", "k", wish.order, wish.agents)
    assert (ticket.priority, ticket.not_before, ticket.state) == (3, wish.not_before, State.QUEUED)
    assert store.get(ticket.id) == ticket and world.owner().open() == (ticket,)


def test_a_claim_names_its_owner_and_has_a_token_of_its_own(world):
    store = world.owner()
    store.add(Wish("login"))
    first = store.claim(most=5)
    assert (first.state, first.owner, first.token) == (State.RUNNING, store.me.id, 1)
    store.finish(first, State.QUEUED)
    assert store.claim(most=5).token == 2


def test_what_is_claimed_is_claimed_once(world):
    stores = [world.owner() for _ in range(4)]
    for number in range(40):
        stores[0].add(Wish(f"s{number}"))
    with ThreadPoolExecutor(4) as pool:
        claimed = [ticket.id for tickets in pool.map(all_claims, stores) for ticket in tickets]
    assert sorted(claimed) == sorted(set(claimed)) and len(claimed) == 40


@pytest.mark.parametrize("end", ENDS)
def test_what_has_ended_cannot_come_back(world, end):
    store = world.owner()
    ended = into(store, end)
    assert (ended.state, store.open(), ids(store.ended(9))) == (end, (), [ended.id])
    with pytest.raises(ClaimLost):
        store.finish(ended, State.COMPLETE)
    with pytest.raises(Taken):
        store.answer(ended.id, "go on")
    assert store.cancel(ended.id).state is end and store.claim(most=5) is None and store.renew([ended]) == {}


@pytest.mark.parametrize(("before", "after"), list(product(State, State)))
def test_the_store_itself_refuses_every_move_that_is_not_in_the_table(world, before, after):
    store = world.owner()
    ticket = into(store, before)
    legal = after in MOVES[before] or (before is after and before in OPEN)
    statement = f"UPDATE ticket SET state = '{after}', owner = 'x', token = token + 1 WHERE id = {ticket.id}"
    if legal:
        world.tamper(statement)
    else:
        with pytest.raises(Exception, match=r"illegal move|has ended"):
            world.tamper(statement)
    assert store.get(ticket.id).state is (after if legal else before)


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM ticket",
        "UPDATE ticket SET token = token - 1",
        "UPDATE ticket SET owner = 'somebody'",
        "UPDATE ticket SET owner = ''",
    ],
)
def test_the_store_itself_keeps_a_claim(world, statement):
    store = world.owner()
    running = into(store, State.RUNNING)
    with pytest.raises(Exception, match=r"ticket|token|CHECK|check"):
        world.tamper(statement)
    assert store.get(running.id) == running


def test_a_ticket_begins_queued(world):
    store = world.owner()
    store.add(Wish("login"))
    columns = 'subject, "order", agents, priority, not_before, added_at'
    copied = f"INSERT INTO ticket (key, state, owner, {columns}) SELECT 'k', 'COMPLETE', 'x', {columns} FROM ticket"
    with pytest.raises(Exception, match="begins QUEUED"):
        world.tamper(copied)


def test_the_higher_priority_begins_earlier_and_among_equals_the_older(world):
    store = world.owner()
    for name, priority in (("low", -1), ("first", 0), ("second", 0), ("high", 7)):
        store.add(Wish(name, priority=priority))
    assert [ticket.subject for ticket in all_claims(store)] == ["high", "first", "second", "low"]


def test_a_ticket_waits_for_its_time(world):
    store = world.owner()
    store.add(Wish("later", not_before=world.now() + 60))
    assert store.claim(most=5) is None
    world.pass_time(61)
    assert store.claim(most=5).subject == "later"


def test_a_ticket_waits_until_its_predecessor_is_complete(world):
    store = world.owner()
    first = store.add(Wish("a"))
    second = store.add(Wish("b", after=first.id))
    claimed = store.claim(most=5)
    assert (claimed.id, store.claim(most=5), store.blocked(second)) == (first.id, None, False)
    store.finish(claimed, State.COMPLETE)
    assert store.claim(most=5).id == second.id


def test_a_chain_whose_link_broke_waits_and_goes_on_when_the_subject_is_complete_after_all(world):
    store = world.owner()
    first = store.add(Wish("a"))
    second = store.add(Wish("b", after=first.id))
    store.finish(store.claim(most=5), State.ERROR)
    assert store.claim(most=5) is None and store.blocked(second)
    again = store.add(Wish("a"))
    assert not store.blocked(second)
    store.finish(store.claim(most=5, id=again.id), State.COMPLETE)
    assert store.claim(most=5).id == second.id


def test_a_predecessor_must_exist(world):
    with pytest.raises(UserError) as said:
        world.owner().add(Wish("a", after=99))
    assert said.value.code == "ticket-unknown"


def test_the_same_key_is_queued_once_for_as_long_as_it_is_open(world):
    store = world.owner()
    first = store.add(Wish("login", order={"until": "tasks"}))
    assert store.add(Wish("login")) == first
    claimed = store.claim(most=5)
    assert store.add(Wish("login")).id == first.id
    store.finish(claimed, State.COMPLETE)
    assert store.add(Wish("login")).id != first.id


def test_one_ticket_of_a_subject_runs_at_a_time(world):
    store = world.owner()
    for key in ("one", "two"):
        store.add(Wish("login", key))
    first = store.claim(most=5)
    assert store.claim(most=5) is None
    store.finish(first, State.COMPLETE)
    assert store.claim(most=5).key == "two"


def test_no_more_run_at_once_than_allowed_whoever_asks(world):
    one, two = world.owner(), world.owner()
    for number in range(5):
        one.add(Wish(f"s{number}"))
    assert len(all_claims(one, most=2)) == 2 and two.claim(most=2) is None
    assert two.claim(most=3) is not None


def test_a_hold_on_an_agent_holds_its_tickets_and_no_others(world):
    store = world.owner()
    store.add(Wish("a", agents=("claude", "codex"), priority=9))
    store.add(Wish("b", agents=("claude-2",)))
    store.hold(Hold("claude", world.now() + 60, "usage limit"))
    store.hold(Hold("claude", world.now() + 30, "an earlier end changes nothing"))
    assert store.holds() == (Hold("claude", world.now() + 60, "usage limit"),)
    claimed = all_claims(store)
    assert [ticket.subject for ticket in claimed] == ["b"]
    store.finish(claimed[0], State.COMPLETE)
    world.pass_time(61)
    assert store.claim(most=5).subject == "a" and store.holds() == ()


def test_only_the_first_of_several_runs_has_the_main_checkout(world):
    store = world.owner()
    for number in range(3):
        store.add(Wish(f"s{number}"))
    first, second = store.claim(most=5), store.claim(most=5)
    assert (first.apart, second.apart) == (False, True)
    store.finish(first, State.COMPLETE)
    assert store.claim(most=5).apart is False


def test_a_dead_owners_ticket_is_claimed_at_once_and_its_late_result_is_refused(world):
    dead, other = world.owner(), world.owner()
    other.add(Wish("login"))
    lost = dead.claim(most=1)
    assert other.claim(most=1) is None
    world.kill(dead)
    taken = other.claim(most=1)
    assert (taken.id, taken.owner, taken.token) == (lost.id, other.me.id, 2)
    for end in (*FINAL, State.QUEUED, State.AWAITING_RESPONSE):
        with pytest.raises(ClaimLost):
            world.owner().finish(lost, end)
    assert other.finish(taken, State.COMPLETE).state is State.COMPLETE


def test_a_living_owner_that_does_not_renew_loses_its_ticket_and_learns_it(world):
    frozen, other = world.owner(), world.owner()
    frozen.add(Wish("login"))
    held = frozen.claim(most=5)
    assert other.claim(most=5) is None
    world.pass_time(world.lease + 1)
    assert other.claim(most=5).token == 2
    assert frozen.renew([held]) == {}
    with pytest.raises(ClaimLost):
        frozen.finish(held, State.COMPLETE)
    with pytest.raises(ClaimLost):
        frozen.heard(held)


def test_what_a_living_process_has_given_up_without_a_word_is_claimed_again_even_by_itself(world):
    store = world.owner()
    store.add(Wish("login"))
    dropped = store.claim(most=5)
    assert store.claim(most=5) is None
    world.pass_time(world.lease + 1)
    assert store.claim(most=5).token == dropped.token + 1


def test_an_owner_that_renews_keeps_its_ticket(world):
    owner, other = world.owner(), world.owner()
    owner.add(Wish("login"))
    held = owner.claim(most=5)
    for _ in range(5):
        world.pass_time(world.lease * 0.8)
        assert owner.renew([held]) == {held.id: False}
        assert other.claim(most=5) is None


@pytest.mark.parametrize("jump", [-DAY, DAY])
def test_a_clock_that_jumps_takes_no_ticket_away(world, jump):
    owner, other = world.owner(), world.owner()
    owner.add(Wish("login"))
    held = owner.claim(most=5)
    assert other.claim(most=5) is None
    world.jump(jump)
    assert other.claim(most=5) is None and owner.renew([held]) == {held.id: False}
    assert owner.finish(held, State.COMPLETE).state is State.COMPLETE


def test_what_waits_is_cancelled_at_once_and_what_runs_is_asked_to_stop(world):
    owner, person = world.owner(), world.owner(worker=False)
    queued, waiting = into(owner, State.QUEUED, "a"), into(owner, State.AWAITING_RESPONSE, "b")
    running = into(owner, State.RUNNING, "c")
    assert [person.cancel(each.id).state for each in (queued, waiting, running)] == [
        State.CANCELLED, State.CANCELLED, State.RUNNING,
    ]  # fmt: skip
    assert owner.renew([running]) == {running.id: True}
    assert owner.finish(running, State.CANCELLED).state is State.CANCELLED


def test_an_answer_queues_the_ticket_again_and_is_heard_once(world):
    owner, person = world.owner(), world.owner(worker=False)
    waiting = into(owner, State.AWAITING_RESPONSE)
    assert owner.claim(most=5) is None
    assert person.answer(waiting.id, "keep the table").state is State.QUEUED
    claimed = owner.claim(most=5)
    assert (claimed.id, claimed.answer) == (waiting.id, "keep the table")
    owner.heard(claimed)
    owner.finish(claimed, State.QUEUED)
    assert owner.claim(most=5).answer == ""
    with pytest.raises(Taken):
        person.answer(waiting.id, "and again")


def test_what_is_reserved_is_for_its_owner_for_as_long_as_that_one_lives(world):
    person, worker = world.owner(worker=False), world.owner()
    reserved = person.reserve(Wish("login"))
    assert worker.claim(most=5) is None
    with pytest.raises(Taken) as said:
        worker.reserve(Wish("login"))
    assert said.value.owner == person.me
    assert person.claim(most=5, id=reserved.id).owner == person.me.id
    with pytest.raises(Taken):
        worker.reserve(Wish("login"))
    world.kill(person)
    assert worker.claim(most=5).id == reserved.id


def test_whoever_reserves_takes_over_what_waits(world):
    worker, person = world.owner(), world.owner(worker=False)
    waiting = into(worker, State.AWAITING_RESPONSE)
    reserved = person.reserve(Wish("login", order={"until": "design"}))
    assert (reserved.id, reserved.state, reserved.order) == (waiting.id, State.QUEUED, {"until": "design"})
    assert worker.claim(most=5) is None and person.claim(most=5, id=waiting.id).token == 2


def test_put_back_with_a_time_it_waits_for_it(world):
    store = world.owner()
    running = into(store, State.RUNNING)
    store.finish(running, State.QUEUED, not_before=world.now() + 5)
    assert store.claim(most=5) is None
    world.pass_time(6)
    assert store.claim(most=5).id == running.id


def test_finished_is_not_running(world):
    store = world.owner()
    with pytest.raises(OurBug):
        store.finish(into(store, State.RUNNING), State.RUNNING)


def test_two_living_owners_cannot_have_one_name(world):
    first = world.owner("anna")
    with pytest.raises(UserError) as said:
        world.owner("anna")
    assert said.value.code == "worker-name-taken" and "--name" in said.value.help
    world.kill(first)
    assert [owner.name for owner in world.owner("anna").owners()] == ["anna"]


def test_whoever_waits_is_woken_by_what_changes(world):
    waiting, busy = world.owner(), world.owner()
    while waiting.wait(0):  # what their own coming has told
        pass
    threading.Timer(0.05, lambda: busy.add(Wish("login"))).start()
    began = time.monotonic()
    assert waiting.wait(20) and time.monotonic() - began < 5
    threading.Timer(0.05, waiting.wake).start()
    while waiting.wait(0.5):
        pass
    assert time.monotonic() - began < 10


def test_closing_gives_up_what_was_claimed(world):
    owner, other = world.owner(), world.owner()
    owner.add(Wish("login"))
    lost = owner.claim(most=5)
    world.leave(owner)
    assert other.claim(most=5).id == lost.id and other.owners() == (other.me,)
