"""One attempt: what the agent is told, where it runs, and what came back."""

import asyncio
import secrets
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from shiage.agents.adapter import Adapter, AgentEvent, AgentSettings, Job, Report
from shiage.agents.attempt import Limits, read_log
from shiage.agents.attempt import attempt as run_agent
from shiage.agents.launch import Ended
from shiage.domain.errors import UserError, Where
from shiage.domain.outcome import Cause, Ending, Outcome, Usage
from shiage.domain.run import Attempt, Mode, Order, Role, Run
from shiage.engine.case import Case, Tools
from shiage.engine.places import writing
from shiage.prompts import Brief, command, render, template_issues


def new_agent_id(run: str, number: int) -> str:
    """Unique on the machine: it is the mark by which every descendant is found."""
    return f"{run}-a{number}-{secrets.token_hex(4)}"


def prepare(case: Case, run: Run, number: int, order: Order) -> str:
    """Everything that can go wrong before the attempt is journalled: its folder, its place, its prompt."""
    place = case.places.attempt_log(run.id, number)
    with writing(place):
        place.parent.mkdir(parents=True, exist_ok=True)
    set_aside(case, run, number, order)
    text = prompt(case, run, order, case.setup.agent(order))
    with writing(place):
        place.with_suffix(".prompt.md").write_text(text)
    return text


def prompt(case: Case, run: Run, order: Order, agent: AgentSettings) -> str:
    """What the agent is told: the project's own command where it has one, else the whole brief."""
    brief = _brief(case, run, order)
    line, body = command(brief, case.setup.dialect, case.setup.commands), render(brief)
    if line is None or not case.setup.adapter(agent.kind).features.slash_commands:
        return body
    # Nobody knows whether a command of the person's own understands the project's slash commands.
    return f"{line}\n\n{body}" if agent.kind == "command" else line


def _brief(case: Case, run: Run, order: Order) -> Brief:
    """The order in the words of the prompts; findings go back to the role whose work they are about."""
    before = run.attempts[order.correcting - 1] if order.correcting else None
    found = before.assessment.findings if before and before.assessment else ()
    rejected = found if before and before.order.role is order.role else ()
    panel = case.setup.panel()
    issues = template_issues(panel.template, rejected, panel.ids) if panel else None
    return Brief(
        phase=order.phase,
        role=order.role,
        feature=case.name,
        spec_dir=case.folder.shown(""),
        round=order.round,
        language=case.folder.state().language,
        autofix=run.mode is Mode.AUTO,
        fix=order.fix,
        request=case.folder.request(),
        answer=order.answer,
        question=order.question if order.answer else "",
        problems=tuple(f for f in rejected if issues is None or f not in issues.findings),
        template_issues=issues,
        checks="" if rejected else "\n\n".join(f"{f.description}\n{f.quote}" for f in found),
    )


def _variables(case: Case, run: Run, attempt: Attempt) -> Mapping[str, str]:
    order = attempt.order
    named = {"SHIAGE_TASK": case.name} if case.workflow == "task" else {"SHIAGE_SPEC": case.name}
    return {
        **named,
        "SHIAGE_SPEC_DIR": str(case.folder.path),
        "SHIAGE_PHASE": order.phase,
        "SHIAGE_ROLE": order.role,
        "SHIAGE_ROUND": str(order.round),
        "SHIAGE_ATTEMPT": str(attempt.number),
        "SHIAGE_RUN": run.id,
        "SHIAGE_AGENT_ID": attempt.agent_id,
        "SHIAGE_PROJECT": str(case.root),
    }


def set_aside(case: Case, run: Run, number: int, order: Order) -> None:
    """Move what a cut attempt left in the place of this round's file: a stale verdict must not be read as a new one."""
    name = report_name(order)
    place = case.folder.path / name
    if not name or order.fix or not place.exists():
        return
    try:
        place.replace(case.places.run_folder(run.id) / f"attempt-{number}.found-{name}")
    except OSError as error:
        where = Where(case.folder.shown(name))
        raise UserError("spec-not-writable", f"{name} cannot be moved: {error.strerror}", where=where) from error


def report_name(order: Order) -> str:
    """The file in which a role reports about its round; empty for roles that do the work itself."""
    if order.phase == "verify" and order.role is Role.INSPECTOR:
        return "verification.md"
    return _REPORTS.get(order.role, "").format(round=order.round)


_REPORTS = {
    Role.REVIEWER: "document-review-{round}.md",
    Role.RESPONDER: "document-review-{round}-reply.md",
    Role.INSPECTOR: "inspection-{round}.md",
}


async def start(
    case: Case, run: Run, attempt: Attempt, text: str, stop: asyncio.Event, on_event: Callable[[AgentEvent], None]
) -> Report:
    """Run the attempt to its end; its output goes to the attempt's log."""
    order, agent = attempt.order, case.setup.agent(attempt.order)
    log = case.places.attempt_log(run.id, attempt.number)
    tools = _tools(case, run, order.role)
    job = Job(
        text,
        order.role,
        case.root,
        _session(case, run, attempt),
        _variables(case, run, attempt),
        tools.allow,
        tools.deny,
    )
    patience = case.setup.patience_for(order.role)
    adapter = case.setup.adapter(agent.kind)
    report = await run_agent(
        adapter, agent, job, marker=attempt.agent_id, log=log, err=log.with_suffix(".err"),
        limits=Limits(patience.idle_seconds, patience.total_seconds, start_seconds=patience.start_seconds), stop=stop, on_event=on_event,
        base=case.setup.environ,
    )  # fmt: skip
    outcome = _own(report.outcome, run) if adapter.features.usage_of_session else report.outcome
    return replace(report, outcome=_advised(_settled(outcome, tools), adapter))


def _own(outcome: Outcome, run: Run) -> Outcome:
    """Without what the session's earlier attempts have used: this agent tells the total of its session."""
    ended = [attempt.outcome for attempt in run.attempts if attempt.outcome and attempt.outcome.session]
    before = sum((each.usage for each in ended if each.session == outcome.session), Usage())
    return replace(outcome, usage=outcome.usage.since(before))


def _tools(case: Case, run: Run, role: Role) -> Tools:
    """What the settings say, and what a person has said since."""
    said = [grant for grant in run.grants if grant.role is role]
    chosen = case.setup.tools.get(role, Tools())
    return Tools(
        (*chosen.allow, *(grant.tool for grant in said if grant.allowed)),
        (*chosen.deny, *(grant.tool for grant in said if not grant.allowed)),
    )


def _settled(outcome: Outcome, tools: Tools) -> Outcome:
    """An agent that was refused only what it must not use has ended as it should: its work decides."""
    refused = outcome.cause is Cause.PERMISSION_REFUSED and outcome.asked
    if not refused or not set(tools.deny).issuperset(outcome.asked):
        return outcome
    return replace(outcome, ending=Ending.COMPLETED, cause=Cause.NONE, asked=())


def _advised(outcome: Outcome, adapter: Adapter) -> Outcome:
    """Where a login helps, the agent's own way to it is told with the failure."""
    login = adapter.features.login
    if outcome.cause is not Cause.NOT_LOGGED_IN or login is None:
        return outcome
    return replace(outcome, detail=f"{outcome.detail} (to log in, {login.remedy})")


def _session(case: Case, run: Run, attempt: Attempt) -> str:
    """The session to resume, if this agent began it on this machine: nobody else knows it."""
    wanted = attempt.order.session
    began = (a.number for a in run.attempts if a.outcome and a.outcome.session == wanted and a.agent == attempt.agent)
    is_here = wanted and any(case.places.attempt_log(run.id, number).exists() for number in began)
    return wanted if is_here else ""


def words(case: Case, run: Run, attempt: Attempt) -> str:
    """The agent's final words, read back from its log: the same after a crash as before."""
    return last_words(case, case.places.attempt_log(run.id, attempt.number), attempt)


def last_words(case: Case, log: Path, attempt: Attempt) -> str:
    agent = case.setup.agent(attempt.order)
    return read_log(case.setup.adapter(agent.kind), log, Ended(Ending.COMPLETED, exit_code=0)).words
