-- What the store asks PostgreSQL. One statement a name; {schema}, {events}, {keys}, {snapshots} are filled in.

-- name: lock
-- The store's write lock until the transaction ends: the same one that the append function takes.
SELECT {schema}.{events}_lock_v1()

-- name: append
-- Append events and action keys at the expected heads, in one round trip; the positions in order. Word of it goes out
-- with the commit, once a transaction. Notifying transactions commit one after the other: so do appends anyway, for
-- the store's write lock.
SELECT {schema}.{events}_append_v1(
    %(streams)b, %(versions)b, %(digests)b,
    %(originator_ids)b, %(originator_versions)b, %(topics)b, %(states)b,
    %(keys)b, %(contents)b, %(key_streams)b, %(firsts)b, %(counts)b), pg_notify('{events}', '')

-- name: stream
-- A stream's events in order, above a version.
SELECT notification_id, originator_id, originator_version, topic, state FROM {schema}.{events}
WHERE originator_id = %(stream)s AND originator_version > %(after)s
ORDER BY originator_version LIMIT %(limit)s

-- name: head
-- A stream's last event.
SELECT originator_version, state FROM {schema}.{events}
WHERE originator_id = %(stream)s ORDER BY originator_version DESC LIMIT 1

-- name: after
-- Events of all streams by position.
SELECT notification_id, originator_id, originator_version, topic, state FROM {schema}.{events}
WHERE notification_id > %(after)s AND notification_id <= %(until)s
ORDER BY notification_id LIMIT %(limit)s

-- name: after_of_types
-- Events of some types by position. Each type is one range of the index (topic, notification_id): written as a
-- comparison of pairs, since for topic = ... the planner may walk through the whole log looking for a rare type.
SELECT notification_id, originator_id, originator_version, topic, state FROM {schema}.{events}
JOIN (
    SELECT found.notification_id FROM unnest(%(topics)s::text[]) AS wanted (topic),
    LATERAL (
        SELECT e.notification_id FROM {schema}.{events} AS e
        WHERE (e.topic, e.notification_id) > (wanted.topic, %(after)s::bigint)
            AND (e.topic, e.notification_id) <= (wanted.topic, %(until)s::bigint)
        ORDER BY e.topic, e.notification_id LIMIT %(limit)s
    ) AS found
    ORDER BY found.notification_id LIMIT %(limit)s
) AS chosen USING (notification_id)
ORDER BY notification_id

-- name: position
-- The last position.
SELECT max(notification_id) FROM {schema}.{events}

-- name: last_stream
-- The last stream by name between two names.
SELECT originator_id FROM {schema}.{events}
WHERE originator_id >= %(low)s AND originator_id < %(high)s ORDER BY originator_id DESC LIMIT 1

-- name: keys
-- Which of these action keys were used.
SELECT key, content, stream, first, count FROM {schema}.{keys} WHERE key = ANY(%(keys)s)

-- name: tally
-- The last position; how many action keys without a # there are, and for how many events they stand.
SELECT (SELECT max(notification_id) FROM {schema}.{events}), count(*), sum(count)::float8
FROM {schema}.{keys} WHERE position('#' IN key) = 0

-- name: keys_after
-- Action keys in their order, all or those with a #.
SELECT key, content, stream, first, count FROM {schema}.{keys}
WHERE key > %(after)s AND (NOT %(marked)s OR position('#' IN key) > 0) ORDER BY key LIMIT %(limit)s

-- name: outdated
-- Which of these action keys were used, and which of these streams went on after these versions.
SELECT 'key', key FROM {schema}.{keys} WHERE key = ANY(%(keys)b)
UNION ALL
SELECT 'stream', seen.stream FROM unnest(%(streams)b, %(versions)b) AS seen (stream, version)
WHERE EXISTS (
    SELECT FROM {schema}.{events} WHERE originator_id = seen.stream AND originator_version > seen.version
)

-- name: save_snapshot
-- Keep a snapshot, unless a later one is there.
INSERT INTO {schema}.{snapshots} AS kept (stream, evolve, version, state)
VALUES (%(stream)s, %(evolve)s, %(version)s, %(state)s)
ON CONFLICT (stream, evolve) DO UPDATE SET version = excluded.version, state = excluded.state
WHERE kept.version <= excluded.version

-- name: drop_snapshot
-- Forget a snapshot that is not to be believed.
DELETE FROM {schema}.{snapshots} WHERE stream = %(stream)s AND evolve = %(evolve)s

-- name: snapshot
-- The snapshot of a stream by this evolve.
SELECT stream, version, evolve, state FROM {schema}.{snapshots} WHERE stream = %(stream)s AND evolve = %(evolve)s

-- name: tables
-- Which of the store's tables there are.
SELECT c.relname::text FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = '{schema}' AND c.relname IN ('{events}', '{keys}', '{heads}')

-- name: guards
-- Their triggers: table, name, when (the bits of pg_trigger), whether it is on, for which columns and rows, and its
-- function's text.
SELECT c.relname::text, t.tgname::text, t.tgtype::int, t.tgenabled::text, t.tgattr::text, t.tgqual IS NOT NULL, p.prosrc
FROM pg_trigger AS t
JOIN pg_class AS c ON c.oid = t.tgrelid
JOIN pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_proc AS p ON p.oid = t.tgfoid
WHERE n.nspname = '{schema}' AND c.relname IN ('{events}', '{keys}', '{heads}') AND NOT t.tgisinternal
