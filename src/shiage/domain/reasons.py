"""Why a run stopped, and the one thing that moves it on. Both are the same words everywhere."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reason:
    code: str  #: machine-readable, never translated
    next: str  #: the named next action; {spec}, {phase} and {path} are filled in
    needs_reset: bool = False  #: `shiage run` is refused until `shiage reset`


_ALL = (
    Reason("stopped", "run `shiage run {spec}`"),
    Reason("interrupted", "run `shiage run {spec}`"),
    Reason(
        "needs-discussion",
        "decide the open points, edit design.md and `shiage run {spec}`, or `shiage approve {spec} document-review`",
    ),
    Reason(
        "max-rounds",
        "settle what the last reply left open and `shiage run {spec}`, or `shiage approve {spec} document-review`",
    ),
    Reason(
        "verdict-unreadable", "repair {path} and `shiage run {spec}`; left as it is, the same role is asked once more"
    ),
    Reason("spec-unreadable", "repair {path}, then `shiage run {spec}`"),
    Reason("settings-unreadable", "repair {path}, then `shiage run {spec}`"),
    Reason("spec-not-writable", "make {path} writable, then `shiage run {spec}`"),
    Reason(
        "evidence-lost",
        "look at what was done and `shiage approve {spec} {phase}`, or have it done again: "
        "`shiage reset {spec}`, then `shiage run {spec}`",
    ),
    Reason("journal-not-writable", "make room for {path}, then `shiage run {spec}`"),
    Reason(
        "not-permitted",
        "permit the phase in {path} ([permissions] {phase} = true; in spec.json autoExecution.permissions) "
        "and `shiage run {spec}`, or `shiage step {spec} {phase}`",
    ),
    Reason(
        "merge-conflict", "merge the base branch in the worktree, settle {path} there, commit, then `shiage run {spec}`"
    ),
    Reason("merge-blocked", "commit or put away {path} in the main checkout, then `shiage run {spec}`"),
    Reason("push-refused", "see to it that the repository takes pushes to the run branch, then `shiage run {spec}`"),
    Reason(
        "worktree-broken",
        "repair the worktree with git and `shiage run {spec}`, or give it up with `shiage reset {spec} --discard`",
    ),
    Reason("not-approved", "read it, `shiage approve {spec} {phase}`, then `shiage run {spec}`"),
    Reason(
        "tasks-tampered",
        "restore the tasks in tasks.md and `shiage run {spec}`, or accept them with `shiage approve {spec} tasks`",
    ),
    Reason("budget", "raise [budget], or `shiage run {spec}` to grant the same again"),
    Reason("inspection-nogo", "repair what the report names and `shiage run {spec}`"),
    Reason("inspection-manual", "check by hand what {path} asks for, then `shiage approve {spec} inspection`"),
    Reason(
        "awaiting-response",
        'tell the agent what to do with `shiage answer {spec} "…"`, or `shiage approve {spec} {phase}`',
    ),
    Reason("usage-limit", "run `shiage run {spec}` when the limit has reset, or with another agent (`--agent`)"),
    Reason("incomplete", "look at `shiage show {spec}`, then `shiage run {spec}` for another try"),
    Reason("approved", "run `shiage run {spec}`"),
    Reason("muted", "run `shiage run {spec}`"),
    Reason("agent-failed", "look at `shiage log {spec}`, then `shiage run {spec}`"),
    Reason("timed-out", "raise [limits] or look at `shiage log {spec}`, then `shiage run {spec}`"),
    Reason(
        "tasks-incomplete", "look at the open tasks, `shiage reset {spec}`, then `shiage run {spec}`", needs_reset=True
    ),
    Reason("rejected", "look at `shiage show {spec}`, then `shiage step {spec} {phase}` or `shiage run {spec}`"),
)

REASONS = {reason.code: reason for reason in _ALL}


#: What helps against a failure whose cause the agent told; any other has the remedy of its reason.
REMEDIES = {
    "not-logged-in": "log in to the agent (`shiage doctor` says how), then `shiage run {spec}`",
    "not-installed": "install the agent (`shiage doctor` looks for it) or name another one (`--agent`), "
    "then `shiage run {spec}`",
    "context-overflow": "make the work smaller or choose a model with a larger window (model in [agents.NAME]), "
    "then `shiage run {spec}`",
    "max-turns": "look at `shiage log {spec}`, raise the agent's own limits (extra_args in [agents.NAME]), "
    "then `shiage run {spec}`",
    "permission-refused": "allow it to the role ([tools.allow]), then `shiage run {spec}`",
    "transient": "wait until the agent's service is well again, then `shiage run {spec}`",
}


def remedy(code: str, cause: str) -> str:
    """The name of the remedy: the cause where it has one of its own, else the reason."""
    return cause if code == "agent-failed" and cause in REMEDIES else code


def next_action(code: str, *, spec: str, phase: str, path: str = "", cause: str = "") -> str:
    """The remedy of a reason as a sentence for this spec."""
    name = remedy(code, cause)
    told = REMEDIES.get(name) or REASONS[name].next
    return told.format(spec=spec, phase=phase, path=path or "the file")
