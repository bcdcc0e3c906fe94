"""For authors of adapters: the promises that every adapter keeps, and a program that plays an agent.

    from shiage.testing import Subject, promises_for

    SUBJECT = Subject("mine", MyAgent(), done=(…), words="…", session="…", failed=(…), cause=Cause.NOT_LOGGED_IN)

    @pytest.mark.parametrize("promise", promises_for(SUBJECT))
    def test_my_agent_keeps_its_promises(promise, tmp_path):
        promise(SUBJECT, tmp_path)

A promise that is broken raises AssertionError with a sentence. Each takes well under a second.
"""

from shiage.testing.conformance import lines_of, promises_for
from shiage.testing.fake import Step, fake_agent
from shiage.testing.subject import Subject

__all__ = ["Step", "Subject", "fake_agent", "lines_of", "promises_for"]
