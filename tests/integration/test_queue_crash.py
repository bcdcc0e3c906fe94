"""Workers are killed in the middle of their work; `bench/queue_crash.py` is the same with many more tickets."""

import pytest
from private_postgres import HASTY, NoPostgres, running
from queue_crashing import Play, play


@pytest.mark.slow
def test_workers_that_are_killed_lose_nothing_and_do_nothing_twice(tmp_path):
    tally = play(tmp_path, processes=3, tickets=400)
    assert (tally.lost, tally.doubles, tally.at_once) == (0, 0, 0), tally
    assert tally.kills > 0, tally


@pytest.mark.slow
def test_machines_that_die_or_freeze_and_a_server_that_crashes_lose_nothing_and_do_nothing_twice(tmp_path):
    try:
        with running(HASTY) as server:
            tally = Play(tmp_path, 3, 300, server.url, server.restart, between_kills=2.0, freezes=3).run()
    except NoPostgres as error:
        pytest.skip(str(error))
    assert (tally.lost, tally.doubles, tally.at_once) == (0, 0, 0), tally
    assert (tally.restarts > 0, tally.refused) == (True, tally.frozen), tally
