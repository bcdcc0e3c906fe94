"""Who may use the dashboard from where: one-time codes, and the tokens of the devices that redeemed one.

Kept in the person's state folder, never in the project: what lies there is within an agent's reach.
Only hashes are kept, so reading the file lets nobody in.
"""

import secrets
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from enum import IntEnum
from hashlib import sha256
from pathlib import Path

import msgspec

from shiage.app.workspace import now
from shiage.config import user_state_dir
from shiage.domain.errors import UserError, Where
from shiage.specs import files

CODE_SECONDS = 600.0  #: a code that nobody redeems in this time is worthless
DEVICE_SECONDS = 90 * 86_400.0  #: a device that was not seen for so long pairs anew
SEEN_SECONDS = 3_600.0  #: how exactly it is known when a device was last seen
MOST_CODES, MOST_DEVICES = 20, 50
MOST_NAME = 80
_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  #: without those that look alike
_GROUPS, _GROUP = 3, 4  #: 59 bits, and guesses are counted


class Scope(IntEnum):
    """What a device may do; each includes those before it."""

    LOOK = 1
    ANSWER = 2
    CONTROL = 3


#: What each action needs, whatever it is done to.
NEEDS: Mapping[str, Scope] = {
    **dict.fromkeys(("new", "run", "stop", "reset", "step", "add", "cancel", "invite", "revoke"), Scope.CONTROL),
    **dict.fromkeys(("approve", "answer"), Scope.ANSWER),
}
SCOPES: Mapping[str, Scope] = {scope.name.lower(): scope for scope in Scope}


@dataclass(frozen=True, slots=True)
class Device:
    id: str
    name: str
    scope: str
    made: float
    seen: float
    hash: str

    @property
    def allowed(self) -> Scope:
        return SCOPES[self.scope]

    def as_json(self) -> dict[str, object]:
        return {"id": self.id, "name": self.name, "scope": self.scope, "made": self.made, "seen": self.seen}


@dataclass(frozen=True, slots=True)
class Code:
    hash: str
    scope: str
    until: float


@dataclass(frozen=True, slots=True)
class Kept:
    """The file of one project."""

    codes: tuple[Code, ...] = ()
    devices: tuple[Device, ...] = ()
    address: str = ""  #: where this project is served, or was


class Devices:
    """The codes and devices of one project."""

    def __init__(self, root: Path, environ: Mapping[str, str]) -> None:
        self._folder = user_state_dir(environ) / "dashboards"
        self._path = self._folder / f"{sha256(str(root).encode()).hexdigest()[:32]}.json"

    def invite(self, scope: str) -> str:
        """A new one-time code."""
        code = "-".join("".join(secrets.choice(_LETTERS) for _ in range(_GROUP)) for _ in range(_GROUPS))
        with self._locked():
            kept = self._read()
            fresh = Code(_hash(_plain(code)), scope, now() + CODE_SECONDS)
            self._write(replace(kept, codes=(*_valid(kept.codes), fresh)[-MOST_CODES:]))
        return code

    def redeem(self, code: str, name: str) -> tuple[Device, str] | None:
        """Trade a code for a device and its token; a code is good for one."""
        token, wanted = secrets.token_urlsafe(32), _hash(_plain(code))
        with self._locked():
            kept = self._read()
            found = next((each for each in _valid(kept.codes) if secrets.compare_digest(each.hash, wanted)), None)
            if found is None:
                return None
            at = now()
            made = Device(secrets.token_hex(4), _name(name), found.scope, at, at, _hash(token))
            others = tuple(each for each in kept.codes if each.hash != wanted)
            self._write(replace(kept, codes=others, devices=(*_alive(kept.devices), made)[-MOST_DEVICES:]))
        return made, token

    def of(self, token: str) -> Device | None:
        """The device with this token; None for one that was revoked or never was."""
        wanted = _hash(token)
        device = next((each for each in self.all() if secrets.compare_digest(each.hash, wanted)), None)
        if device and now() - device.seen > SEEN_SECONDS:
            self._change(device.id, replace(device, seen=now()))
        return device

    def all(self) -> tuple[Device, ...]:
        return _alive(self._read().devices)

    def revoke(self, id: str) -> Device:
        device = next((each for each in self.all() if each.id == id), None)
        if device is None:
            raise UserError(
                "device-unknown", f"there is no device {id[:20]!r}", help="`shiage pair --list` shows those that exist."
            )
        self._change(id, None)
        return device

    def stamp(self) -> tuple[int, int, int]:
        """Another one whenever a device came, went or changed."""
        try:
            found = self._path.stat()
        except OSError:
            return (0, 0, 0)
        return (found.st_ino, found.st_size, found.st_mtime_ns)

    @property
    def address(self) -> str:
        return self._read().address

    def reached(self) -> str:
        """The address, where there is one."""
        if not self.address:
            remedy = "`shiage serve` starts the dashboard."
            raise UserError("not-served", "this project is not being served", help=remedy)
        return self.address

    def served_at(self, address: str) -> None:
        with self._locked():
            self._write(replace(self._read(), address=address))

    def _change(self, id: str, device: Device | None) -> None:
        with self._locked():
            kept = self._read()
            rows = (device if each.id == id else each for each in kept.devices)
            self._write(replace(kept, devices=tuple(each for each in rows if each is not None)))

    def _locked(self) -> AbstractContextManager[None]:
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(
                "state-not-writable",
                f"paired devices cannot be kept: {error.strerror}",
                where=Where(str(self._folder)),
                help="make that folder writable, or set XDG_STATE_HOME to one that is.",
            ) from error
        return files.locked(self._folder, self._path.with_suffix(".lock"))

    def _read(self) -> Kept:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=Kept)
        except FileNotFoundError:
            return Kept()
        except (OSError, ValueError) as error:  # msgspec's errors are ValueErrors
            raise UserError(
                "devices-unreadable",
                "the file of paired devices cannot be read",
                where=Where(str(self._path)),
                help="delete it and pair the devices again.",
            ) from error

    def _write(self, kept: Kept) -> None:
        files.write_atomic(self._folder, self._path, msgspec.json.encode(kept))


def _plain(code: str) -> str:
    """As it was made, however a person typed it."""
    return "".join(letter for letter in code.upper() if letter in _LETTERS)[: _GROUPS * _GROUP + 1]


def _hash(secret: str) -> str:
    return sha256(secret.encode("utf-8", "replace")).hexdigest()


def _name(name: str) -> str:
    return "".join(letter for letter in name if letter.isprintable()).strip()[:MOST_NAME] or "?"


def _valid(codes: tuple[Code, ...]) -> tuple[Code, ...]:
    return tuple(code for code in codes if code.until > now())


def _alive(devices: tuple[Device, ...]) -> tuple[Device, ...]:
    return tuple(device for device in devices if device.seen + DEVICE_SECONDS > now())
