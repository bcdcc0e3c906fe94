"""Which facts can be true in which status, and where they may lead. The state diagram is drawn from this."""

from collections.abc import Mapping

from shiage.domain.events import (
    Answered,
    Approved,
    AttemptAssessed,
    AttemptExited,
    AttemptLost,
    AttemptStarted,
    Event,
    Muted,
    PhaseEntered,
    PhaseFinished,
    PhaseRefused,
    RecordFailed,
    ResetRequested,
    ResumeRequested,
    RoundClosed,
    RunStarted,
    StopRequested,
)
from shiage.domain.run import Status

IDLE, RUNNING, PAUSED, COMPLETED, ERROR = Status
_BEGINS = frozenset({RUNNING, COMPLETED})
_STAYS = frozenset({RUNNING})
_RESUMES = frozenset({RUNNING, PAUSED, COMPLETED})
_ANYWHERE = frozenset({RUNNING, PAUSED, COMPLETED, ERROR})

LEGAL: Mapping[type[Event], Mapping[Status, frozenset[Status]]] = {
    RunStarted: {IDLE: _BEGINS, COMPLETED: _BEGINS},
    ResumeRequested: {RUNNING: _RESUMES, PAUSED: _RESUMES, ERROR: _RESUMES},
    PhaseEntered: {RUNNING: frozenset({RUNNING, PAUSED})},
    PhaseRefused: {RUNNING: frozenset({PAUSED, COMPLETED})},
    AttemptStarted: {RUNNING: _STAYS},
    AttemptExited: {RUNNING: frozenset({RUNNING, PAUSED, ERROR}), PAUSED: frozenset({PAUSED})},
    AttemptLost: {RUNNING: _STAYS, PAUSED: frozenset({PAUSED})},
    AttemptAssessed: {RUNNING: _ANYWHERE},
    RoundClosed: {RUNNING: _ANYWHERE},
    PhaseFinished: {RUNNING: _BEGINS, PAUSED: frozenset({PAUSED, COMPLETED})},
    RecordFailed: {RUNNING: frozenset({PAUSED}), PAUSED: frozenset({PAUSED})},
    StopRequested: {RUNNING: frozenset({PAUSED})},
    ResetRequested: {status: frozenset({IDLE}) for status in (IDLE, PAUSED, COMPLETED, ERROR)},
    Approved: {IDLE: frozenset({IDLE}), COMPLETED: frozenset({COMPLETED})}
    | {status: frozenset({PAUSED, status}) for status in (PAUSED, ERROR)},
    Answered: {PAUSED: frozenset({PAUSED})},
    Muted: {status: frozenset({status}) for status in (IDLE, PAUSED, COMPLETED, ERROR)},
}
