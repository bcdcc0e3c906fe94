"""Where a run's files lie. `.shiage/` is ours and ignored by git."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from shiage.domain.errors import UserError, Where

IGNORE_ALL = "*\n"


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """What cannot be written in our own folder is named: a person can make room for it."""
    try:
        yield
    except OSError as error:
        raise UserError(
            "state-not-writable",
            f"shiage's own files cannot be written: {error.strerror}",
            where=Where(str(error.filename or path)),
            help="make room for them or make them writable, then start again; nothing finished is lost",
        ) from error


@dataclass(frozen=True, slots=True)
class Places:
    root: Path  #: the project in the main checkout
    key: str  #: names the spec among specs, bugs and tasks

    @property
    def home(self) -> Path:
        return self.root / ".shiage"

    @property
    def lock(self) -> Path:
        return self.home / "locks" / f"{self.key}.lock"

    @property
    def checkout(self) -> Path:
        """Held by the one run that works in this checkout."""
        return self.home / "checkout.lock"

    @property
    def head(self) -> Path:
        return self.home / "heads" / self.key

    @property
    def stop_request(self) -> Path:
        return self.home / "inbox" / f"{self.key}.stop"

    @property
    def output(self) -> Path:
        """What a run in the background prints."""
        return self.home / f"{self.key}.out"

    @property
    def snapshots(self) -> Path:
        return self.home / "snapshots"

    @property
    def operator_log(self) -> Path:
        return self.home / "shiage.log"

    def run_folder(self, run: str) -> Path:
        return self.home / "runs" / run

    def attempt_log(self, run: str, number: int) -> Path:
        return self.run_folder(run) / f"attempt-{number}.log"

    def prepare(self) -> None:
        """Make our folder, invisible to git even where nobody ran `shiage init`."""
        ignore, runs = self.home / ".gitignore", self.home / "runs"
        with writing(self.home):
            for folder in (self.home, self.lock.parent, self.head.parent, self.stop_request.parent, runs):
                folder.mkdir(parents=True, exist_ok=True)
            if not ignore.exists():
                ignore.write_text(IGNORE_ALL)

    def new_run(self) -> str:
        """The next free run number of the project; making the folder is what claims it."""
        runs = self.home / "runs"
        number = max((int(name.name[2:]) for name in runs.glob("r-*") if name.name[2:].isdigit()), default=0)
        while True:
            number += 1
            folder = runs / f"r-{number:04d}"
            with writing(folder), suppress(FileExistsError):
                folder.mkdir()
                return folder.name
