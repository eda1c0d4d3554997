-- What the store asks SQLite. One statement a name; {events}, {keys}, {snapshots} are filled in.

-- name: insert
-- One event at the position that the writer, alone under BEGIN IMMEDIATE, gave it.
INSERT INTO {events} (rowid, originator_id, originator_version, topic, state) VALUES (?, ?, ?, ?, ?)

-- name: insert_key
-- One action key.
INSERT INTO {keys} (key, content, stream, first, count) VALUES (?, ?, ?, ?, ?)

-- name: stream
-- A stream's events in order, above a version (a limit of -1: all).
SELECT rowid, originator_id, originator_version, topic, state FROM {events}
WHERE originator_id = :stream AND originator_version > :after ORDER BY originator_version LIMIT :limit

-- name: head
-- A stream's last event.
SELECT originator_version, state FROM {events}
WHERE originator_id = :stream ORDER BY originator_version DESC LIMIT 1

-- name: after
-- Events of all streams by position.
SELECT rowid, originator_id, originator_version, topic, state FROM {events}
WHERE rowid > :after AND rowid <= :until ORDER BY rowid LIMIT :limit

-- name: of_type
-- Events of one type by position. Several of these in a UNION ALL are merged, never sorted.
SELECT rowid AS notification_id, originator_id, originator_version, topic, state FROM {events}
WHERE topic = {topic} AND rowid > :after AND rowid <= :until

-- name: near_of_types
-- Events of some types (a JSON list) by position, where the end is near: all of these few are looked at, which is less
-- than to look for each type. The + keeps the index of types out of it.
SELECT rowid, originator_id, originator_version, topic, state FROM {events}
WHERE rowid > :after AND rowid <= :until AND +topic IN (SELECT value FROM json_each(:topics))
ORDER BY rowid LIMIT :limit

-- name: position
-- The last position.
SELECT max(rowid) FROM {events}

-- name: last_stream
-- The last stream by name between two names.
SELECT originator_id FROM {events}
WHERE originator_id >= :low AND originator_id < :high ORDER BY originator_id DESC LIMIT 1

-- name: keys
-- Which of these action keys were used (a JSON list).
SELECT key, content, stream, first, count FROM {keys} WHERE key IN (SELECT value FROM json_each(:keys))

-- name: tally
-- The last position; how many action keys without a # there are, and for how many events they stand. A forged count may
-- be anything: total() overflows nowhere.
SELECT (SELECT max(rowid) FROM {events}), count(*), total(count) FROM {keys} WHERE instr(key, '#') = 0

-- name: keys_after
-- Action keys in their order, all or those with a #.
SELECT key, content, stream, first, count FROM {keys}
WHERE key > :after AND (NOT :marked OR instr(key, '#') > 0) ORDER BY key LIMIT :limit

-- name: outdated
-- Which of these action keys (a JSON list) were used, and which streams went on after these versions (a JSON object).
SELECT 'key', key FROM {keys} WHERE key IN (SELECT value FROM json_each(:keys))
UNION ALL
SELECT 'stream', seen.key FROM json_each(:versions) AS seen
WHERE EXISTS (SELECT 1 FROM {events} WHERE originator_id = seen.key AND originator_version > seen.value)

-- name: save_snapshot
-- Keep a snapshot, unless a later one is there.
INSERT INTO {snapshots} (stream, evolve, version, state) VALUES (:stream, :evolve, :version, :state)
ON CONFLICT (stream, evolve) DO UPDATE SET version = excluded.version, state = excluded.state
WHERE {snapshots}.version <= excluded.version

-- name: drop_snapshot
-- Forget a snapshot that is not to be believed.
DELETE FROM {snapshots} WHERE stream = :stream AND evolve = :evolve

-- name: snapshot
-- The snapshot of a stream by this evolve.
SELECT stream, version, evolve, state FROM {snapshots} WHERE stream = :stream AND evolve = :evolve

-- name: tables
-- Which of the store's tables there are.
SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('{events}', '{keys}', '{heads}')

-- name: guards
-- Their triggers: table, name, text.
SELECT tbl_name, name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name IN ('{events}', '{keys}', '{heads}')
