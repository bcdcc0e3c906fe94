-- The embedded queue. The table `move` is filled from the one table of states; these triggers keep to it.

CREATE TABLE move (before TEXT NOT NULL, next TEXT NOT NULL, PRIMARY KEY (before, next)) WITHOUT ROWID;

CREATE TABLE owner (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    host TEXT NOT NULL,
    pid INTEGER NOT NULL,
    worker INTEGER NOT NULL,
    since REAL NOT NULL
) WITHOUT ROWID;

CREATE TABLE hold (agent TEXT PRIMARY KEY, until REAL NOT NULL, why TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE ticket (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    subject TEXT NOT NULL,
    key TEXT NOT NULL,
    "order" TEXT NOT NULL,
    agents TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'QUEUED',
    priority INTEGER NOT NULL,
    not_before REAL NOT NULL,
    after INTEGER REFERENCES ticket (id),
    answer TEXT NOT NULL DEFAULT '',
    reserved TEXT NOT NULL DEFAULT '',
    owner TEXT NOT NULL DEFAULT '',
    token INTEGER NOT NULL DEFAULT 0,
    beat INTEGER NOT NULL DEFAULT 0,
    stop INTEGER NOT NULL DEFAULT 0,
    apart INTEGER NOT NULL DEFAULT 0,
    run TEXT NOT NULL DEFAULT '',
    reason TEXT NOT NULL DEFAULT '',
    detail TEXT NOT NULL DEFAULT '',
    added_at REAL NOT NULL,
    started_at REAL,
    ended_at REAL,
    CHECK (state <> 'RUNNING' OR owner <> '')
);

CREATE UNIQUE INDEX one_open_ticket_per_key ON ticket (key)
    WHERE state IN ('QUEUED', 'RUNNING', 'AWAITING_RESPONSE');
CREATE UNIQUE INDEX one_running_ticket_per_subject ON ticket (subject) WHERE state = 'RUNNING';
CREATE INDEX by_turn ON ticket (priority DESC, id) WHERE state = 'QUEUED';
CREATE INDEX by_waiting ON ticket (id) WHERE state = 'AWAITING_RESPONSE';
CREATE INDEX by_completion ON ticket (subject, id) WHERE state = 'COMPLETE';
CREATE INDEX by_openness ON ticket (subject) WHERE state IN ('QUEUED', 'RUNNING', 'AWAITING_RESPONSE');

CREATE TRIGGER a_ticket_begins_queued BEFORE INSERT ON ticket
WHEN NEW.state <> 'QUEUED' OR NEW.token <> 0
BEGIN
    SELECT RAISE(ABORT, 'a ticket begins QUEUED');
END;

CREATE TRIGGER states_move_by_the_table BEFORE UPDATE ON ticket
WHEN NEW.state <> OLD.state
    AND NOT EXISTS (SELECT 1 FROM move WHERE before = OLD.state AND next = NEW.state)
BEGIN
    SELECT RAISE(ABORT, 'illegal move');
END;

CREATE TRIGGER what_has_ended_stays BEFORE UPDATE ON ticket
WHEN NOT EXISTS (SELECT 1 FROM move WHERE before = OLD.state)
BEGIN
    SELECT RAISE(ABORT, 'the ticket has ended');
END;

CREATE TRIGGER every_claim_has_a_token_of_its_own BEFORE UPDATE ON ticket
WHEN NEW.token < OLD.token
    OR (NEW.state = 'RUNNING' AND (OLD.state <> 'RUNNING' OR NEW.owner <> OLD.owner) AND NEW.token = OLD.token)
BEGIN
    SELECT RAISE(ABORT, 'a claim needs a new token');
END;

CREATE TRIGGER open_tickets_are_kept BEFORE DELETE ON ticket
WHEN EXISTS (SELECT 1 FROM move WHERE before = OLD.state)
BEGIN
    SELECT RAISE(ABORT, 'an open ticket cannot be deleted');
END;
