-- What only the queue of many machines asks, by name.

-- name: alone
SELECT pg_advisory_xact_lock(lock_class(), 0)

-- name: sweep
DELETE FROM owner o
WHERE NOT is_alive(o.id) AND NOT EXISTS (SELECT 1 FROM ticket t WHERE t.state = 'RUNNING' AND t.owner = o.id)

-- name: sit
INSERT INTO owner (id, name, host, pid, worker, since, home)
SELECT :id, :name, :host, :pid, :worker, :since, :home
WHERE NOT EXISTS (SELECT 1 FROM owner o WHERE o.name = :name AND o.id <> :id AND is_alive(o.id))
ON CONFLICT (id) DO UPDATE SET seat = DEFAULT  -- the lock of the old one may be held by a session that is cut off
RETURNING pg_try_advisory_lock(lock_class(), seat) AS seated

-- name: homes
SELECT id, home FROM owner

-- name: living
SELECT id FROM living
