"""A model asked over its API for a verdict: the prompt on standard input, JSON on standard output.

It is a program of its own, because its libraries take seconds to load and a request may hang: whoever runs it ends it.
"""

import sys

from pydantic import BaseModel
from pydantic_ai import Agent


class Issue(BaseModel):
    path: str = ""
    line: int | None = None
    quote: str = ""
    description: str
    suggestion: str = ""


class Opinion(BaseModel):
    verdict: str
    summary: str = ""
    issues: list[Issue] = []


def main(model: str) -> None:
    answer = Agent(model, output_type=Opinion).run_sync(sys.stdin.read())
    print(answer.output.model_dump_json())  # noqa: T201  its standard output is its answer


if __name__ == "__main__":
    main(sys.argv[1])
