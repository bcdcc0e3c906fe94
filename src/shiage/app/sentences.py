"""An entry of the journal as one sentence for a person, the same in every front end."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from shiage.app.catalogue import known, say
from shiage.domain import details
from shiage.domain.reasons import REASONS, next_action, remedy
from shiage.journal.entry import Entry, timestamp

Values = dict[str, object]

#: Findings of one rejection that a sentence names.
_MOST = 3


def sentence(language: str, spec: str, entry: Entry) -> str:
    """What happened, in words; a type of entry that nobody knows is shown by its name."""
    values = dict(_flat(entry.content)) | {"spec": spec, "event": entry.event_type}
    for add in (_reason, _guard, _issues, _until, _role, _details):
        values |= add(language, values, entry.content)
    return say(language, _key(language, entry, values), **values).strip()


def _key(language: str, entry: Entry, values: Values) -> str:
    key = f"event.{entry.event_type}"
    decides = _VARIANTS.get(entry.event_type)
    variant = f"{key}-{decides(values)}" if decides else key
    return next((k for k in (variant, key) if known(language, k)), "event.other")


#: What decides between the sentences of one type.
_VARIANTS: Mapping[str, Callable[[Values], object]] = {
    "RUN_STARTED": lambda v: v.get("mode"),
    "PHASE_REFUSED": lambda v: "optional" if v.get("optional") is True else v.get("reason"),
    "ATTEMPT_EXITED": lambda v: v.get("outcome_ending"),
    "STOP_REQUESTED": lambda v: v.get("by"),
    "QUALITY_JUDGMENT": lambda v: v.get("judgment"),
    "ROUND_COMPLETED": lambda v: "counted" if "fixRequired" in v else v.get("verdict"),
    "IMPL_RERUN": lambda v: "counted" if v.get("left") else "unreadable",
    "IMPL_LIMIT_REACHED": lambda v: "counted",
    "REVIEW_LOOP_END": lambda v: v.get("final_status"),
}


def _flat(content: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    """Values by name; what lies deeper carries the name of what it lies in."""
    for name, value in content.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}_")
        elif isinstance(value, Sequence) and not isinstance(value, str):
            yield f"{prefix}{name}", ", ".join(item for item in value if isinstance(item, str))
        else:
            yield f"{prefix}{name}", "" if value is None else value


def _reason(language: str, values: Values, content: Mapping[str, object]) -> Values:
    reason = str(values.get("reason", ""))
    if not reason:
        return {}
    place = {name: str(values.get(name, "")) for name in ("spec", "phase", "path", "cause")}
    return {"why": why(language, reason), "next": next_step(language, reason, **place)}


def next_step(language: str, reason: str, *, spec: str, phase: str, path: str = "", cause: str = "") -> str:
    """The remedy of a reason. The English words are those of the domain, so that they are the same everywhere."""
    if reason not in REASONS:
        return ""
    key = f"next.{remedy(reason, cause)}"
    if not known(language, key):
        return next_action(reason, spec=spec, phase=phase, path=path, cause=cause)
    place = path or say(language, "next.file")
    return say(language, key, spec=spec, phase=phase, path=place)


def why(language: str, reason: str) -> str:
    """What a reason means."""
    key = f"why.{reason}"
    return say(language, key) if known(language, key) else reason


def _guard(language: str, values: Values, content: Mapping[str, object]) -> Values:
    left = content.get("open")
    return {"left": len(left)} if isinstance(left, Sequence) and not isinstance(left, str) else {}


def _issues(language: str, values: Values, content: Mapping[str, object]) -> Values:
    found = content.get("issues_detected")
    issues = [issue for issue in found if isinstance(issue, Mapping)] if isinstance(found, Sequence) else []
    more = f" +{len(issues) - _MOST}" if len(issues) > _MOST else ""
    return {"issues": "; ".join(map(finding, issues[:_MOST])) + more} if issues else {}


def finding(issue: Mapping[str, object]) -> str:
    """One finding in a line: place, rule, quoted text."""
    rule = " ".join(str(issue.get(name) or "") for name in ("criteria_id", "rule")).strip()
    quote = str(issue.get("quote") or "").strip()
    said = f'"{quote}"' if quote else str(issue.get("description") or "")
    return "  ".join(part for part in (str(issue.get("location") or ""), rule, said) if part)


def _until(language: str, values: Values, content: Mapping[str, object]) -> Values:
    until = values.get("until")
    if not isinstance(until, int | float):
        return {}
    try:
        return {"until": timestamp(until)[11:16] + "Z"}
    except (OverflowError, ValueError):  # a moment that no calendar has
        return {"until": "?"}


def detail(language: str, text: str) -> str:
    """One sentence more, in a person's language where it is ours; the English words are those of the domain."""
    key, values, said = details.read(text)
    if language == "en" or not known(language, f"detail.{key}"):
        return text
    by = f"detail.by-{values.get('by', '')}"
    named = {**values, "by": say(language, by)} if known(language, by) else values
    return f"{say(language, f'detail.{key}', **named)} {said}".strip()


def _details(language: str, values: Values, content: Mapping[str, object]) -> Values:
    told = {name: values[name] for name in ("detail", "problem", "outcome_detail") if values.get(name)}
    return {name: detail(language, str(text)) for name, text in told.items()}


def _role(language: str, values: Values, content: Mapping[str, object]) -> Values:
    role = str(values.get("order_role") or values.get("role") or "")
    return {"role": role_name(language, role)} if role else {}


def role_name(language: str, role: str) -> str:
    key = f"role.{role}"
    return say(language, key) if known(language, key) else role
