"""The story that the demo plays: scenes, the same in every language, and each language's words and documents."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from itertools import zip_longest
from typing import Any

LANGUAGES = ("en", "ja")

#: Seconds between two lines of the agent: long enough to be read, and the whole play stays below 20 s.
BEAT = 0.18

Action = list[Any]  #: what the scripted agent can do: the name and its arguments


@dataclass(frozen=True, slots=True)
class Story:
    language: str
    request: str  #: what the person wants
    readme: str
    before: str  #: the commit before the run
    after: str  #: the commit when GO was reached
    scenes: tuple[Mapping[str, object], ...]


def tell(language: str) -> Story:
    """The story in this language; in English where it was never translated."""
    language = language if language in LANGUAGES else "en"
    texts = _Texts(language)
    scenes = tomllib.loads(_read("scenes.toml"))["scene"]
    return Story(
        language=language,
        request=texts.words["request"],
        readme=texts.file("README.md"),
        before=texts.words["before"]["commit"],
        after=texts.words["after"]["commit"],
        scenes=tuple(_played(scene, texts) for scene in scenes),
    )


def _read(*path: str) -> str:
    return files(__name__).joinpath(*path).read_text(encoding="utf-8")


class _Texts:
    """The words and documents of one language."""

    def __init__(self, language: str) -> None:
        self._language = language
        self.words: dict[str, Any] = tomllib.loads(_read(language, "words.toml"))

    def file(self, name: str) -> str:
        return _read(self._language, name).replace("{request}", self.words["request"])

    def filled(self, argument: object, scene: str) -> object:
        """An argument of an action, with its reference to a text looked up."""
        if not isinstance(argument, dict):
            return argument
        if "file" in argument:
            return self.file(argument["file"])
        return {**self.words, **self.words[scene]}[argument["word"]]


def _played(scene: Mapping[str, Any], texts: _Texts) -> dict[str, object]:
    """A scene as the scripted agent wants it: when it is due, and every action with its texts."""
    due = {key: value for key, value in scene.items() if key not in ("name", "do")}
    words = texts.words[scene["name"]]
    deeds = [[texts.filled(argument, scene["name"]) for argument in action] for action in scene["do"]]
    return {**due, "do": [*_paced(words["say"], deeds), ["commit", words["commit"]], ["say", words["report"]]]}


def _paced(lines: list[str], deeds: list[Action]) -> Iterator[Action]:
    """After its first line the agent does one thing with each line that it says."""
    for line, deed in zip_longest(lines, [None, *deeds]):
        if line:
            yield from (["say", line], ["sleep", BEAT])
        if deed:
            yield deed
