"""Whether an agent is installed, for `doctor` and for `init`."""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from shiage.agents.adapter import Adapter, AgentSettings, Login, last_line, plain
from shiage.agents.environment import chosen, inherited

PATIENCE = 30.0  #: seconds for a program to say its version; the slowest of six took 5 s on a machine at rest
MOST = 256 * 1024  #: bytes that are read of a version or a help


@dataclass(frozen=True, slots=True)
class Probe:
    installed: bool
    path: str = ""
    version: str = ""  #: as the program says it; empty: not known
    detail: str = ""  #: what is wrong, for a person
    missing: tuple[str, ...] = ()  #: options that we need and that this version does not have
    strange: bool = False  #: its first number is one that nobody has tried
    login: bool | None = None  #: whether credentials lie where it keeps them; None: it needs none, or nobody knows


def probe(adapter: Adapter, settings: AgentSettings, base: Mapping[str, str] | None = None) -> Probe:
    """Find the program, ask for its version and its options, look for a login. Blocks for up to a minute."""
    base = os.environ if base is None else base
    argv = adapter.version(settings) or settings.command
    path = shutil.which(argv[0], path=base.get("PATH")) if argv else None
    if path is None:
        return Probe(installed=False, detail=f"{argv[0]} was not found." if argv else "No program is named.")
    if not adapter.version(settings):
        return Probe(installed=True, path=path)
    env = {**inherited(base, adapter.features), **chosen(base, settings)}
    found = _asked(path, (path, *argv[1:]), env)
    if not found.version:
        return found
    can = adapter.features
    missing = _missing((path, *argv[1:-1], *can.help), can.needs, env) if can.needs else ()
    strange = bool(can.tried) and _major(found.version) not in map(_major, can.tried)
    return replace(found, missing=missing, strange=strange, login=_has_login(can.login, env) if can.login else None)


def _missing(argv: tuple[str, ...], needs: tuple[str, ...], env: Mapping[str, str]) -> tuple[str, ...]:
    """What its help does not name; `--json` is not named by `--json-schema`."""
    said = _run(argv, env)[1].decode("utf-8", "replace")
    return tuple(need for need in needs if not re.search(rf"(?<![\w-]){re.escape(need)}(?![\w-])", said))


def _has_login(login: Login, env: Mapping[str, str]) -> bool:
    """Looks for credentials; never reads them."""
    return any(env.get(name) for name in login.variables) or any(_is_file(path, env) for path in login.files)


def _is_file(path: str, env: Mapping[str, str]) -> bool:
    root, _, rest = path.partition("/")
    folder = env.get("HOME" if root == "~" else root.removeprefix("$"))
    return bool(folder) and Path(folder or "", rest).is_file()


def broken_settings(adapter: Adapter, root: Path, base: Mapping[str, str]) -> tuple[str, ...]:
    """Files of the agent's own that it would ignore without a word: the hooks and rules in them are not there."""
    return tuple(name for name in adapter.features.silent_files if _broken(name, root, base.get("HOME", "")))


def _broken(name: str, root: Path, home: str) -> bool:
    place = Path(home, name[2:]) if name.startswith("~/") else root / name
    try:
        return place.is_file() and not isinstance(json.loads(place.read_bytes()), dict)
    except (OSError, ValueError, RecursionError):
        return True


def _asked(path: str, argv: tuple[str, ...], env: Mapping[str, str]) -> Probe:
    try:
        code, said = _run(argv, env)
    except OSError as error:
        return Probe(installed=False, path=path, detail=f"{path} cannot be started: {error.strerror}.")
    if code is None:
        return Probe(installed=True, path=path, detail=f"{path} did not say its version within {PATIENCE:g} s.")
    if code != 0:
        return Probe(installed=True, path=path, detail=f"{path} fails with exit code {code}: {last_line(said)}")
    return Probe(installed=True, path=path, version=_version(said.decode("utf-8", "replace").strip()))


def _version(said: str) -> str:
    """The line with a number in it, for some warn first; a program without one has its first line."""
    lines = said.split("\n")
    return plain(next((line for line in lines if re.search(r"\d+\.\d+", line)), lines[0]), 80)


def _major(version: str) -> str:
    found = re.search(r"\d+(?=\.\d)", version)
    return found[0] if found else ""


def _run(argv: tuple[str, ...], env: Mapping[str, str]) -> tuple[int | None, bytes]:
    """Its exit code, None when it took too long, and the beginning of what it said; no terminal, no input."""
    # A file for its output: a grandchild that held a pipe open would hold us up beyond the limit.
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(
            argv, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, start_new_session=True
        )
        code = _wait(process)
        out.seek(0)
        return code, out.read(MOST)


def _wait(process: "subprocess.Popen[bytes]") -> int | None:
    try:
        return process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return None
