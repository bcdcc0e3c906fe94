"""Any program as an agent: prompt on its standard input, done when it exits with 0."""

from shiage.agents.adapter import WORDS, AgentEvent, AgentSettings, Features, Invocation, Job, Report, Text, explained
from shiage.agents.launch import Ended
from shiage.domain.outcome import Cause, Ending, Outcome

PLACE = "{prompt}"
LONGEST_TEXT = 4096  #: characters of one line that are shown live; the log has all of it
#: EX_TEMPFAIL of sysexits.h: "try again later", the one code with a meaning that programs share.
TRY_AGAIN = 75


class Lines:
    final = False  #: its exit is its only word on that

    def feed(self, line: bytes) -> tuple[AgentEvent, ...]:
        text = line[: 4 * LONGEST_TEXT].decode("utf-8", "replace")
        return (Text(text[:LONGEST_TEXT]),) if text.strip() else ()

    def conclude(self, ended: Ended, out: bytes, err: bytes, /) -> Report:
        failed = ended.ending is Ending.FAILED
        outcome = Outcome(
            ended.ending,
            Cause.TRANSIENT if failed and ended.exit_code == TRY_AGAIN else ended.cause,
            exit_code=ended.exit_code,
            signal=ended.signal,
            detail=explained(ended.detail, err) if failed else ended.detail,
        )
        words = out[-WORDS:].decode("utf-8", "replace")
        return Report(outcome, words, left_behind=ended.left_behind, seconds=ended.seconds)


class Command:
    features = Features("Any command", slash_commands=True)

    def command(self, settings: AgentSettings, job: Job) -> Invocation:
        argv = (*settings.command, *settings.extra_args)
        if any(PLACE in argument for argument in argv):
            return Invocation(tuple(argument.replace(PLACE, job.prompt) for argument in argv))
        return Invocation(argv, job.prompt.encode("utf-8", "replace"))

    def reader(self) -> Lines:
        return Lines()

    def version(self, _settings: AgentSettings, /) -> tuple[str, ...]:
        return ()  # a stranger's program may take any call for an order
