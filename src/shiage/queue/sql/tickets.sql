-- What a queue asks and writes, by name; each statement is read by every database that keeps one.

-- name: add
INSERT INTO ticket (subject, key, "order", agents, priority, not_before, after, reserved, added_at)
SELECT :subject, :key, :order, :agents, :priority, :not_before, :after, :reserved, :now
WHERE NOT EXISTS (SELECT 1 FROM ticket WHERE key = :key AND state IN ('QUEUED', 'RUNNING', 'AWAITING_RESPONSE'))
ON CONFLICT DO NOTHING

-- name: of_key
SELECT * FROM ticket WHERE key = :key AND state IN ('QUEUED', 'RUNNING', 'AWAITING_RESPONSE')

-- name: running
SELECT * FROM ticket WHERE state = 'RUNNING'

-- name: take
UPDATE ticket SET
    state = 'RUNNING', owner = :me, token = token + 1, beat = 0, reserved = '', reason = '', detail = '',
    started_at = coalesce(started_at, :now),
    apart = EXISTS (SELECT 1 FROM ticket r WHERE r.state = 'RUNNING' AND NOT r.apart)
WHERE state = 'QUEUED'
    AND EXISTS (SELECT 1 FROM owner o WHERE o.id = :me)  -- whoever is not there has left what it claims
    AND (SELECT count(*) FROM ticket r WHERE r.state = 'RUNNING') < :most
    AND id = (
        SELECT t.id FROM ticket t
        WHERE t.state = 'QUEUED'
            AND (:id IS NULL OR t.id = :id)
            AND t.not_before <= :now
            AND NOT EXISTS (SELECT 1 FROM ticket r WHERE r.state = 'RUNNING' AND r.subject = t.subject)
            AND (
                t.after IS NULL
                OR EXISTS (
                    SELECT 1 FROM ticket p JOIN ticket c ON c.subject = p.subject
                    WHERE p.id = t.after AND c.state = 'COMPLETE' AND c.id >= p.id
                )
            )
            AND NOT EXISTS (
                SELECT 1 FROM hold h WHERE h.until > :now AND instr(t.agents, ' ' || h.agent || ' ') > 0
            )
            AND (t.reserved IN ('', :me) OR NOT is_alive(t.reserved))
        ORDER BY t.priority DESC, t.id
        LIMIT 1
    )
RETURNING *

-- name: retake
UPDATE ticket SET
    owner = :me, token = token + 1, beat = 0, reason = '', detail = '',
    apart = apart OR EXISTS (SELECT 1 FROM ticket r WHERE r.state = 'RUNNING' AND NOT r.apart AND r.id <> ticket.id)
WHERE id = :id AND token = :token AND beat = :beat AND state = 'RUNNING'
    AND EXISTS (SELECT 1 FROM owner o WHERE o.id = :me)
RETURNING *

-- name: renew
UPDATE ticket SET beat = beat + 1
WHERE id = :id AND token = :token AND owner = :me AND state = 'RUNNING'
RETURNING stop

-- name: heard
UPDATE ticket SET answer = '' WHERE id = :id AND token = :token AND owner = :me AND state = 'RUNNING' RETURNING id

-- name: finish
UPDATE ticket SET
    state = :state, run = :run, reason = :reason, detail = :detail, stop = FALSE,
    not_before = CASE WHEN :state = 'QUEUED' THEN :not_before ELSE not_before END,
    ended_at = CASE WHEN :final THEN :now END
WHERE id = :id AND token = :token AND owner = :me AND state = 'RUNNING'
RETURNING *

-- name: cancel_waiting
UPDATE ticket SET state = 'CANCELLED', ended_at = :now, reason = 'cancelled'
WHERE id = :id AND state IN ('QUEUED', 'AWAITING_RESPONSE')
RETURNING *

-- name: ask_stop
UPDATE ticket SET stop = TRUE WHERE id = :id AND state = 'RUNNING' RETURNING *

-- name: answer
UPDATE ticket SET state = 'QUEUED', answer = :answer, reserved = '', not_before = 0
WHERE id = :id AND state = 'AWAITING_RESPONSE'
RETURNING *

-- name: reserve
UPDATE ticket SET
    state = 'QUEUED', reserved = :me, "order" = :order, agents = :agents, not_before = 0, after = NULL
WHERE id = :id AND state IN ('QUEUED', 'AWAITING_RESPONSE') AND reserved = :was
RETURNING *

-- name: hold
INSERT INTO hold (agent, until, why) VALUES (:agent, :until, :why)
ON CONFLICT (agent) DO UPDATE SET until = excluded.until, why = excluded.why WHERE excluded.until > hold.until

-- name: holds
SELECT agent, until, why FROM hold WHERE until > :now ORDER BY agent

-- name: get
SELECT * FROM ticket WHERE id = :id

-- name: open
SELECT * FROM ticket WHERE state IN ('QUEUED', 'RUNNING', 'AWAITING_RESPONSE')
ORDER BY CASE state WHEN 'RUNNING' THEN 0 WHEN 'QUEUED' THEN 1 ELSE 2 END, priority DESC, id

-- name: ended
SELECT * FROM ticket WHERE state NOT IN ('QUEUED', 'RUNNING', 'AWAITING_RESPONSE') ORDER BY id DESC LIMIT :most

-- name: blocked
SELECT 1 FROM ticket p
WHERE p.id = :after
    AND p.state NOT IN ('QUEUED', 'RUNNING', 'AWAITING_RESPONSE', 'COMPLETE')
    AND NOT EXISTS (
        SELECT 1 FROM ticket c
        WHERE c.subject = p.subject AND c.id >= p.id AND c.state IN ('QUEUED', 'RUNNING', 'AWAITING_RESPONSE', 'COMPLETE')
    )

-- name: owners
SELECT id, name, host, pid, worker, since FROM owner ORDER BY since

-- name: enter
INSERT INTO owner (id, name, host, pid, worker, since) VALUES (:id, :name, :host, :pid, :worker, :since)

-- name: leave
DELETE FROM owner WHERE id = :id
