"""Published packages as the bench reads them: fetched by name, in a fixed order."""

import io
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import which

PYPI = (
    "django",
    "sqlalchemy",
    "flask",
    "rich",
    "click",
    "httpx",
    "aiohttp",
    "jinja2",
    "werkzeug",
    "fastapi",
    "attrs",
    "networkx",
)
NPM = (
    "rxjs", "zod", "express", "eslint", "webpack", "date-fns", "three", "vue", "@reduxjs/toolkit", "typeorm", "svelte",
    "mocha", "socket.io", "fastify", "@tanstack/query-core", "jest-circus", "preact", "drizzle-orm", "yup", "ajv",
    "effect", "@effect/platform", "mobx", "immer", "redux", "@trpc/server", "@tanstack/router-core", "xstate", "zustand",
    # what follows brings C++, Java and Kotlin, and release notes
    "react-native", "cordova-android", "node-sass", "leveldown", "karma", "knex", "helmet", "standard-version",
)  # fmt: skip
#: Source packages of Debian: they bring Go and Rust, which the other two do not carry.
DEBIAN = (
    "golang-github-spf13-cobra-dev", "golang-github-gorilla-mux-dev", "golang-github-gin-gonic-gin-dev",
    "golang-github-prometheus-client-golang-dev", "golang-github-stretchr-testify-dev", "golang-go.uber-zap-dev",
    "golang-github-jackc-pgx-v4-dev", "golang-golang-x-net-dev",
    "librust-serde-dev", "librust-tokio-dev", "librust-regex-dev", "librust-clap-dev", "librust-hyper-dev",
    "librust-rand-dev", "librust-syn-dev", "librust-rayon-dev", "librust-nom-dev", "librust-reqwest-dev",
    "librust-itertools-dev", "librust-image-dev",
)  # fmt: skip
LANGUAGES = {
    ".py": "python",
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascript",
    ".ts": "typescript",
    ".tsx": "typescript",
    ".rs": "rust",
    ".go": "go",
    ".java": "java",
    ".kt": "kotlin",
    ".c": "c",
    ".h": "c",
    ".cc": "cpp",
    ".cpp": "cpp",
}
LARGEST = 200_000  #: characters; larger files in packages are bundles


@dataclass(frozen=True, slots=True)
class Source:
    """One published file."""

    path: str
    text: str

    @property
    def language(self) -> str:
        return LANGUAGES[Path(self.path).suffix]


def fetch(folder: Path) -> None:
    """Download the packages that are not there yet."""
    for name in PYPI:
        if not list(folder.glob(f"{name.replace('-', '_')}-*.whl")):
            command = [
                sys.executable,
                "-m",
                "pip",
                "download",
                "-q",
                "--no-deps",
                "--only-binary",
                ":all:",
                "-d",
                str(folder),
                name,
            ]
            subprocess.run(command, check=False, capture_output=True)
    for name in NPM:
        if not list(folder.glob(f"{name.lstrip('@').replace('/', '-')}-[0-9]*.tgz")):
            subprocess.run(["npm", "pack", "--silent", name], check=False, capture_output=True, cwd=folder)
    for name in DEBIAN if which("apt-get") and which("dpkg-deb") else ():
        if not list(folder.glob(f"{name}_*.deb")):
            subprocess.run(["apt-get", "download", "-q", name], check=False, capture_output=True, cwd=folder)


def sources(folder: Path) -> Iterator[Source]:
    """Every source file of the packages, in a fixed order, vendored and bundled files aside."""
    for archive in sorted(folder.iterdir()):
        for path, raw in _members(archive):
            if Path(path).suffix in LANGUAGES and not re.search(
                r"(?:^|[/.])(?:min|umd|bundle|vendor|node_modules)[/.]", path
            ):
                text = raw.decode("utf-8", "replace")
                if text.strip() and len(text) <= LARGEST:
                    yield Source(f"{archive.name}/{path}", text)


def _members(archive: Path) -> Iterator[tuple[str, bytes]]:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as package:
            for name in sorted(package.namelist()):
                yield name, package.read(name)
    elif archive.suffix == ".tgz":
        with tarfile.open(archive) as package:
            yield from _tarred(package)
    elif archive.suffix == ".deb":
        unpacked = subprocess.run(["dpkg-deb", "--fsys-tarfile", str(archive)], check=True, capture_output=True).stdout
        with tarfile.open(fileobj=io.BytesIO(unpacked)) as package:
            yield from _tarred(package)


def _tarred(package: tarfile.TarFile) -> Iterator[tuple[str, bytes]]:
    for member in package:  # in the archive's order: seeking back in a compressed file reads it again
        stream = package.extractfile(member) if member.isfile() else None
        if stream:
            yield member.name, stream.read()


_NOTES = re.compile(r"/(?:changelog|history|changes|release[-_]?notes)[^/]*\.(?:md|markdown|txt|rst)$", re.IGNORECASE)
_RELEASE = re.compile(r"^(?:#{1,3} |\[?v?\d+\.\d+\.\d+[^\n]{0,40}\n[-=]{3})", re.MULTILINE)
_BULLET = re.compile(r"^[ \t]*[-*+] +(?P<subject>\S[^\n]{8,})$", re.MULTILINE)


def release_notes(folder: Path) -> list[str]:
    """One text per release, from the change logs that the packages carry."""
    found: list[str] = []
    for archive in sorted(folder.iterdir()):
        for path, raw in _members(archive):
            if _NOTES.search(path):
                text = raw.decode("utf-8", "replace").replace("\r\n", "\n")
                starts = [match.start() for match in _RELEASE.finditer(text)]
                parts = [text[start:end].strip() for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
                found += [part for part in parts if part.count("\n") >= 2]
    return found


def subjects(notes: list[str]) -> list[str]:
    """Commit subjects: conventional change logs are made of nothing else."""
    found = (match["subject"] for note in notes for match in _BULLET.finditer(note))
    plain = (re.sub(r"\s*\(?\[[^\]]*\]\([^)]*\)\)?|\*\*", "", subject).strip(" ,()") for subject in found)
    return sorted({subject for subject in plain if len(subject) > 12})
