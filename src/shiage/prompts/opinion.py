"""What a model is asked when its opinion is one of the criteria."""

from shiage.prompts.slots import fill, load, template_language
from shiage.prompts.text import data, fenced

_MOST_CHANGE = 60_000  #: characters of the change that is judged


def opinion(language: str, request: str, words: str, change: str) -> str:
    """The request, the change and the agent's words, each as data, and the form of the answer."""
    template = load(template_language(language), "opinion")
    slots = {
        "request": fenced(request or "(none: judge the change and the report by themselves)", "request"),
        "change": data(change or "(no file was changed)", _MOST_CHANGE),
        "report": data(words or "(no words)"),
    }
    return fill(template, slots) + "\n"
