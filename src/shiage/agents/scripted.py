"""An agent that plays a script: a program of its own, for the demo, for tests and for authors of plugins.

    python scripted.py SCRIPT.json

The script is `{"scenes": [{"spec": …, "role": …, "phase": …, "round": …, "nth": …, "do": [[action, argument, …], …]}]}`.
A call plays the first scene whose given keys all fit; `nth` counts the calls for the same role, phase and round. Paths
that begin with `spec:` are in the spec's folder, others in the project. It imports the least that it can, because its
start is part of what is measured.
"""

import binascii
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

_BOX = re.compile(r"^(\s*[-*+] \[)( )(\]\*?\s+([\w.-]+)?.*)$", re.MULTILINE)


def main(path: str) -> NoReturn:
    with open(path, encoding="utf-8") as file:  # noqa: PTH123  pathlib costs a quarter of this program's start
        script = json.load(file)
    sys.stdin.read()
    me = {"role": _env("ROLE"), "phase": _env("PHASE"), "round": int(_env("ROUND") or 0)}
    me["nth"] = _count(script.get("memory") or f"{path}.calls", "{role} {phase} {round}".format(**me))
    me["spec"] = _env("SPEC")
    scene = next((s for s in script["scenes"] if _fits(s, me)), None)
    if scene is None:
        sys.exit(f"the script has no scene for {me}")
    speed = float(script.get("speed", 1))
    for action, *arguments in scene["do"]:
        _ACTIONS[action](speed, *arguments)
    sys.exit(0)


def _env(name: str) -> str:
    return os.environ.get(f"SHIAGE_{name}", "")


def _fits(scene: dict[str, Any], me: dict[str, Any]) -> bool:
    return all(scene[key] == value for key, value in me.items() if key in scene)


def _count(memory: str, key: str) -> int:
    """How often this was asked before, and once more; a line per call, appended whole."""
    with open(memory, "a+", encoding="utf-8") as file:  # noqa: PTH123
        file.write(key + "\n")
        file.flush()
        file.seek(0)
        return file.read().splitlines().count(key)


def _at(path: str) -> str:
    root, rest = (_env("SPEC_DIR"), path[5:]) if path.startswith("spec:") else (_env("PROJECT"), path)
    return os.path.join(root, rest.replace("{round}", _env("ROUND")))  # noqa: PTH118


def _read(path: str) -> str:
    with open(path, encoding="utf-8") as file:  # noqa: PTH123
        return file.read()


def _say(speed: float, *lines: str) -> None:
    for line in lines:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
        time.sleep(0.12 * speed)


def _put(speed: float, base64: str) -> None:
    """Bytes as they are: half a line, half a character."""
    sys.stdout.buffer.write(binascii.a2b_base64(base64))
    sys.stdout.buffer.flush()


def _flood(speed: float, line: str, times: int) -> None:
    sys.stdout.write((line + "\n") * times)
    sys.stdout.flush()


def _complain(speed: float, text: str, times: int = 1) -> None:
    sys.stderr.write((text + "\n") * times)


def _write(speed: float, path: str, text: str) -> None:
    place = _at(path)
    os.makedirs(os.path.dirname(place), exist_ok=True)  # noqa: PTH103, PTH120
    with open(place, "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write(text.replace("{round}", _env("ROUND")))


def _replace(speed: float, path: str, old: str, new: str) -> None:
    text = _read(_at(path))
    if old not in text:
        sys.exit(f"{path} does not contain {old!r}")
    _write(speed, path, text.replace(old, new))


def _tick(speed: float, *ids: str) -> None:
    """Tick these boxes of tasks.md; none named: all."""
    text = _read(_at("spec:tasks.md"))
    ticked = _BOX.sub(lambda m: f"{m[1]}x{m[3]}" if not ids or (m[4] or "").rstrip(".") in ids else m[0], text)
    _write(speed, "spec:tasks.md", ticked)


def _delete(speed: float, path: str) -> None:
    os.remove(_at(path))  # noqa: PTH107


def _claim(speed: float, keys: str, value: Any) -> None:
    """Write into spec.json as agents do, by their own lights: dotted keys."""
    path = _at("spec:spec.json")
    state = json.loads(_read(path))
    *way, last = keys.split(".")
    place = state
    for key in way:
        place = place.setdefault(key, {})
    place[last] = value
    _write(speed, "spec:spec.json", json.dumps(state, indent=2, ensure_ascii=False) + "\n")


def _run(speed: float, *argv: str) -> None:
    subprocess.run(argv, check=True, cwd=_env("PROJECT"), stdout=subprocess.DEVNULL)


def _commit(speed: float, message: str) -> None:
    identity = ("-c", "user.name=scripted agent", "-c", "user.email=agent@localhost")
    _run(speed, "git", "add", "-A")
    _run(speed, "git", *identity, "commit", "--quiet", "--allow-empty", "--no-verify", "-m", message)


def _sleep(speed: float, seconds: float) -> None:
    time.sleep(seconds * speed)


def _hang(speed: float, seconds: float) -> None:
    """Sleep whatever the speed of the script is."""
    time.sleep(seconds)


def _exit(speed: float, code: int) -> None:
    sys.stdout.flush()
    os._exit(code)


def _die(speed: float, number: int) -> None:
    os.kill(os.getpid(), number)
    time.sleep(10)


def _ignore_term(speed: float) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _child(speed: float, seconds: float) -> None:
    """Leave a process behind, in a session of its own."""
    subprocess.Popen(["sleep", str(seconds)], start_new_session=True)


_ACTIONS: dict[str, Callable[..., None]] = {
    "say": _say,
    "put": _put,
    "flood": _flood,
    "complain": _complain,
    "write": _write,
    "replace": _replace,
    "tick": _tick,
    "delete": _delete,
    "claim": _claim,
    "run": _run,
    "commit": _commit,
    "sleep": _sleep,
    "hang": _hang,
    "exit": _exit,
    "die": _die,
    "ignore-term": _ignore_term,
    "child": _child,
}


def command(python: str, script: str) -> Sequence[str]:
    """The argument list of an agent that plays this script."""
    return (python, "-I", "-S", __file__, script)


if __name__ == "__main__":
    main(sys.argv[1])
