"""A project as the use cases see it: its root, its settings, its specs."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

from shiage.agents.adapter import AgentSettings
from shiage.app import abroad
from shiage.config import AgentConfig, Loaded, Settings, find_project, load, user_state_dir
from shiage.config.nearest import nearest
from shiage.config.trust import is_trusted, of_documents, require_trust
from shiage.domain.details import told
from shiage.domain.errors import UserError
from shiage.domain.run import Limits, Role
from shiage.engine import worktrees
from shiage.engine.carrier import Route
from shiage.engine.case import Case, Guard, Patience, Refusal, Setup, Tools
from shiage.engine.keeping import committing
from shiage.engine.places import Places
from shiage.engine.worktrees import Tree
from shiage.prompts import DIALECT_MARKERS, detect_dialect
from shiage.specs.folder import Folder, find, list_folders
from shiage.specs.freeform import find_task


def _hands() -> ModuleType:
    """Who works and who judges, loaded when a run calls them: whoever only looks has no use for either."""
    return import_module("shiage.app.hands")


def now() -> float:
    """Milliseconds are what the journal keeps, so nothing finer is ever decided on."""
    return round(time.time(), 3)


@dataclass(frozen=True, slots=True)
class Workspace:
    root: Path
    loaded: Loaded
    environ: Mapping[str, str]
    overrides: Mapping[str, object]
    taken_by: Path | None = None  #: the project that took this one from its branch, and whose trust counts here too

    @property
    def settings(self) -> Settings:
        return self.loaded.settings

    def reloaded(self) -> "Workspace":
        """The same project with its settings as they are now."""
        return replace(self, loaded=load(self.root, overrides=self.overrides, environ=self.environ))

    @property
    def route(self) -> Route | None:
        """How this project's runs travel between machines, if they do."""
        return None if self.taken_by else abroad.route_of(self.root, self.settings.queue)

    def folder(self, name: str) -> Folder:
        """The spec, the bug or the free-form task of this name; one that travels as its branch has it, to be read."""
        route, task = self.route, find_task(self.root, name)
        return task or (abroad.folder(route, name) if route else None) or find(self.root, name)

    def folders(self) -> tuple[Folder, ...]:
        """Every spec, then every bug, those that travel as their branches have them."""
        away = {folder.key: folder for folder in abroad.folders(self.route)}
        here = {folder.key: folder for folder in list_folders(self.root)}
        return tuple(sorted({**here, **away}.values(), key=lambda folder: (folder.workflow == "bug", folder.name)))

    def look_again(self) -> None:
        """What was known of runs elsewhere is old: something was done."""
        if route := self.route:
            abroad.forget(route)

    @property
    def out_of_touch(self) -> UserError | None:
        """Why what is shown of runs elsewhere may be old."""
        route = self.route
        return abroad.seen(route).trouble if route else None

    def kept_here(self) -> "Workspace":
        """The same with its own queue, for what does not travel."""
        settings = replace(self.settings, queue=replace(self.settings.queue, url=None))
        return replace(self, loaded=replace(self.loaded, settings=settings))

    def is_away(self, folder: Folder) -> bool:
        """Whether it can only be looked at here: it is changed where its branch is taken."""
        return folder.root != self.root

    def places(self, folder: Folder) -> Places:
        return Places(folder.root, folder.key)

    def require_trust(self) -> None:
        if not self.trusted:
            require_trust(of_documents(self.root, self.loaded.documents), user_state_dir(self.environ))

    @property
    def trusted(self) -> bool:
        found, state = of_documents(self.root, self.loaded.documents), user_state_dir(self.environ)
        places = [found.project, *([self.taken_by.resolve()] if self.taken_by else [])]
        return any(is_trusted(replace(found, project=place), state) for place in places)

    def case(self, folder: Folder, *, works: bool = True) -> Case:
        """The spec on the desk; where nobody will work, nobody is called."""
        tree = self.tree(folder)
        there = tree is not None and tree.there
        working = tree.folder(folder) if tree is not None and there else folder
        setup = self._setup(folder, working) if works else Setup({}, lambda phase: None, guard=self._guard)
        if tree is None or not there:
            return Case(folder, self.places(folder), setup, folder.workflow, now)
        return Case(working, self.places(folder), setup, folder.workflow, now, tree, committing(tree))

    def tree(self, folder: Folder) -> Tree | None:
        """The worktree of the spec, if it has one; a state that cannot be read is told by whoever needs it."""
        try:
            return worktrees.of(self.root, folder) if folder.workflow != "task" else None
        except UserError:
            return None

    @property
    def _guard(self) -> Guard:
        return Guard(self.settings.guard.optional, self.settings.guard.ignore_headings)

    def _setup(self, folder: Folder, working: Folder) -> Setup:
        s, commands = self.settings, self.commands(working.root)
        return Setup(
            agents={role: self.agent(s.agent_for(role)) for role in Role},
            refused_by=lambda phase: self._refusal(dict.fromkeys((folder, working)), phase),
            limits=self.limits(),
            others={name: self.agent(name) for name in self._takeovers().values()},
            patience={role: self._patience(role) for role in Role},
            tools={role: Tools(s.tools.allow.get(role) or (), s.tools.deny.get(role) or ()) for role in Role},
            guard=self._guard,
            checks={name: argv for name in ("test", "lint", "types") if (argv := getattr(s.checks, name))},
            panel=cache(lambda: _hands().panel_of(self)) if s.review_loop.enabled else lambda: None,
            adapter=lambda kind: _hands().adapter_of(kind),
            flaky=(s.review_loop.flaky_runs, s.review_loop.flaky_passes),
            dialect=detect_dialect(commands),
            commands=commands,
            environ=self.environ,
        )

    def _patience(self, role: Role) -> Patience:
        limits = self.settings.limits
        idle, attempt = limits.idle.get(role), limits.attempt.get(role)
        silent, whole = idle or limits.idle_minutes, attempt or limits.attempt_minutes
        return Patience(silent * 60, whole * 60, limits.start_minutes * 60)

    def _takeovers(self) -> dict[str, str]:
        """Who takes over from whom while a usage limit lasts."""
        return {name: config.takeover for name, config in self.settings.agents.items() if config.takeover}

    def agent(self, name: str) -> AgentSettings:
        config = self.settings.agents.get(name)
        if config is None and name in (brought := _hands().further_kinds()):
            config = AgentConfig(kind=name)
        if config is None:
            known = sorted({*self.settings.agents, *brought})
            meant = nearest(name, known)
            hint = f'did you mean "{meant}"? ' if meant else ""
            raise UserError(
                "agent-unknown", f'there is no agent "{name}"', help=f"{hint}known agents: {', '.join(known)}."
            )
        return _agent(name, config)

    def limits(self) -> Limits:
        s = self.settings
        return Limits(
            review_rounds=s.limits.review_rounds,
            impl_reruns=s.limits.impl_reruns,
            inspection_rounds=s.limits.inspection_rounds,
            iterations=s.review_loop.max_iterations,
            retries=s.limits.retries,
            retry_delay=s.review_loop.retry_delay_ms / 1000,
            escalate=s.review_loop.escalate_on_max,
            usd=s.budget.usd,
            tokens=s.budget.tokens,
            minutes=s.budget.minutes,
            usage_wait=s.limits.usage_wait_minutes * 60,
            takeover=self._takeovers(),
        )

    def _refusal(self, folders: Iterable[Folder], phase: str) -> Refusal | None:
        """Both the settings and the spec must allow it: a spec.json is within an agent's reach."""
        now_ = self.reloaded().loaded
        if not now_.settings.permissions.get(phase, True):
            origin = now_.origins.get(f"permissions.{phase}")
            return Refusal(origin.path if origin and origin.path else "shiage.toml", f"[permissions] {phase} = false")
        forbids = next((folder for folder in folders if not folder.state().permissions.get(phase, True)), None)
        if forbids is None:
            return None
        return Refusal(forbids.shown(forbids.state_name), told("not-permitted", phase=phase))

    def commands(self, root: Path | None = None) -> tuple[str, ...]:
        """The slash commands that this project has, or a worktree of it."""
        return tuple(name for name in DIALECT_MARKERS if ((root or self.root) / name).exists())


def _agent(name: str, config: AgentConfig) -> AgentSettings:
    return AgentSettings(
        name=name,
        kind=config.kind,
        command=config.command or (),
        model=config.model or "",
        permission_mode=config.permission_mode or "",
        extra_args=config.extra_args,
        env={name: f"${name}" for name in config.env},
    )


def open_workspace(
    start: Path, environ: Mapping[str, str], overrides: Mapping[str, object] | None = None, *, bare: bool = False
) -> Workspace:
    """The project around this folder; where `bare` will do, the folder itself if it is in none."""
    try:
        root = find_project(start)
    except UserError:
        if not (bare and start.is_dir() and start.resolve() != Path.home()):
            raise
        root = start.resolve()
    chosen = dict(overrides or {})
    return Workspace(root, load(root, overrides=chosen, environ=environ), environ, chosen)
