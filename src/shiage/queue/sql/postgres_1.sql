-- The queue of many machines, made in a schema of its own. Rows keep to the table `move`, whoever writes them.

CREATE TABLE about (version integer NOT NULL);

CREATE TABLE move (before text NOT NULL, next text NOT NULL, PRIMARY KEY (before, next));

CREATE TABLE owner (
    id text PRIMARY KEY,
    name text NOT NULL,
    host text NOT NULL,
    pid integer NOT NULL,
    worker boolean NOT NULL,
    since double precision NOT NULL,
    home text NOT NULL,  -- whoever has the same can see the process itself
    seat integer GENERATED ALWAYS AS IDENTITY  -- number of the lock that its session holds
);

CREATE TABLE hold (agent text PRIMARY KEY, until double precision NOT NULL, why text NOT NULL);

CREATE TABLE ticket (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    subject text NOT NULL,
    key text NOT NULL,
    "order" text NOT NULL,
    agents text NOT NULL,
    state text NOT NULL DEFAULT 'QUEUED',
    priority integer NOT NULL,
    not_before double precision NOT NULL,
    after bigint REFERENCES ticket (id),
    answer text NOT NULL DEFAULT '',
    reserved text NOT NULL DEFAULT '',
    owner text NOT NULL DEFAULT '',
    token bigint NOT NULL DEFAULT 0,
    beat bigint NOT NULL DEFAULT 0,
    stop boolean NOT NULL DEFAULT FALSE,
    apart boolean NOT NULL DEFAULT FALSE,
    run text NOT NULL DEFAULT '',
    reason text NOT NULL DEFAULT '',
    detail text NOT NULL DEFAULT '',
    added_at double precision NOT NULL,
    started_at double precision,
    ended_at double precision,
    CONSTRAINT what_runs_has_an_owner CHECK (state <> 'RUNNING' OR owner <> '')
);

CREATE UNIQUE INDEX one_open_ticket_per_key ON ticket (key)
    WHERE state IN ('QUEUED', 'RUNNING', 'AWAITING_RESPONSE');
CREATE UNIQUE INDEX one_running_ticket_per_subject ON ticket (subject) WHERE state = 'RUNNING';
CREATE INDEX by_turn ON ticket (priority DESC, id) WHERE state = 'QUEUED';
CREATE INDEX by_waiting ON ticket (id) WHERE state = 'AWAITING_RESPONSE';
CREATE INDEX by_completion ON ticket (subject, id) WHERE state = 'COMPLETE';
CREATE INDEX by_openness ON ticket (subject) WHERE state IN ('QUEUED', 'RUNNING', 'AWAITING_RESPONSE');

CREATE FUNCTION keep_the_beginning() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.state <> 'QUEUED' OR NEW.token <> 0 THEN
        RAISE 'a ticket begins QUEUED';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER a_ticket_begins_queued BEFORE INSERT ON ticket
    FOR EACH ROW EXECUTE FUNCTION keep_the_beginning();

CREATE FUNCTION keep_the_table() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM move WHERE before = OLD.state) THEN
        RAISE 'the ticket has ended';
    END IF;
    IF NEW.state <> OLD.state AND NOT EXISTS (SELECT 1 FROM move WHERE before = OLD.state AND next = NEW.state) THEN
        RAISE 'illegal move';
    END IF;
    IF NEW.id <> OLD.id THEN
        RAISE 'a ticket keeps its number';
    END IF;
    IF NEW.token < OLD.token
        OR (NEW.state = 'RUNNING' AND (OLD.state <> 'RUNNING' OR NEW.owner <> OLD.owner) AND NEW.token = OLD.token)
    THEN
        RAISE 'a claim needs a new token';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER states_move_by_the_table BEFORE UPDATE ON ticket
    FOR EACH ROW EXECUTE FUNCTION keep_the_table();

CREATE FUNCTION keep_the_open() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM move WHERE before = OLD.state) THEN
        RAISE 'an open ticket cannot be deleted';
    END IF;
    RETURN OLD;
END
$$;
CREATE TRIGGER open_tickets_are_kept BEFORE DELETE ON ticket
    FOR EACH ROW EXECUTE FUNCTION keep_the_open();

CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE 'tickets are not emptied, and their moves stay';
END
$$;
CREATE TRIGGER tickets_are_not_emptied BEFORE TRUNCATE ON ticket
    FOR EACH STATEMENT EXECUTE FUNCTION refuse();
CREATE TRIGGER moves_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON move
    FOR EACH STATEMENT EXECUTE FUNCTION refuse();

-- Whoever waits is woken when the transaction that changed something is durable.
CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('shiage:' || TG_TABLE_SCHEMA, '');
    RETURN NULL;
END
$$;
CREATE TRIGGER a_new_ticket_is_told AFTER INSERT ON ticket
    FOR EACH ROW EXECUTE FUNCTION tell();
CREATE TRIGGER a_change_is_told AFTER UPDATE ON ticket
    FOR EACH ROW WHEN ((NEW.state <> OLD.state AND NEW.state <> 'RUNNING') OR (NEW.stop AND NOT OLD.stop))
    EXECUTE FUNCTION tell();
CREATE TRIGGER a_hold_is_told AFTER INSERT OR UPDATE ON hold
    FOR EACH ROW EXECUTE FUNCTION tell();
CREATE TRIGGER who_leaves_is_told AFTER DELETE ON owner
    FOR EACH ROW EXECUTE FUNCTION tell();

-- Locks of this queue are of this class: lock 0 is for claims, every owner's session holds the one of its seat.
CREATE FUNCTION lock_class() RETURNS integer LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
    SELECT ('ticket'::regclass::oid::bigint & 2147483647)::integer
$$;

CREATE VIEW living AS
    SELECT o.id, o.name FROM owner o JOIN pg_locks l
        ON l.locktype = 'advisory' AND l.objsubid = 2 AND l.granted AND l.classid::bigint = lock_class()
        AND l.objid::bigint = o.seat
        AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database());

CREATE FUNCTION is_alive(wanted text) RETURNS boolean LANGUAGE sql VOLATILE SET search_path FROM CURRENT AS $$
    SELECT EXISTS (SELECT 1 FROM living WHERE id = wanted)
$$;

CREATE FUNCTION instr(text, text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$ SELECT strpos($1, $2) $$;
