-- The event store on SQLite: tables and the guards. Run as one script by create(), safe to repeat.

-- The columns are those of eventsourcing 9.5, with the rowid, its notification id, declared: an undeclared one
-- may change in a VACUUM.
CREATE TABLE IF NOT EXISTS {events} (
    rowid INTEGER PRIMARY KEY,
    originator_id TEXT NOT NULL,
    originator_version INTEGER NOT NULL,
    topic TEXT NOT NULL,
    state BLOB NOT NULL,
    UNIQUE (originator_id, originator_version)
);

-- Readers of a few types (the folds over facts) must not walk through everything in between.
CREATE INDEX IF NOT EXISTS {events}_topic_idx ON {events} (topic);

CREATE TABLE IF NOT EXISTS {keys} (
    key TEXT NOT NULL PRIMARY KEY,
    content BLOB NOT NULL,
    stream TEXT NOT NULL,
    first INTEGER NOT NULL,
    count INTEGER NOT NULL
) WITHOUT ROWID;

-- Snapshots are a cache: they alone may be replaced.
CREATE TABLE IF NOT EXISTS {snapshots} (
    stream TEXT NOT NULL,
    evolve TEXT NOT NULL,
    version INTEGER NOT NULL,
    state BLOB NOT NULL,
    PRIMARY KEY (stream, evolve)
) WITHOUT ROWID;

-- Nothing is ever edited: not by us, not by hand. INSERT OR REPLACE is a DELETE that fires no trigger of its own.
CREATE TRIGGER IF NOT EXISTS {events}_refuse_update BEFORE UPDATE ON {events}
BEGIN SELECT RAISE(ABORT, '{events} is never edited: append a correction'); END;
CREATE TRIGGER IF NOT EXISTS {events}_refuse_delete BEFORE DELETE ON {events}
BEGIN SELECT RAISE(ABORT, '{events} is never edited: append a correction'); END;
CREATE TRIGGER IF NOT EXISTS {events}_refuse_replace BEFORE INSERT ON {events}
WHEN EXISTS (
    SELECT 1 FROM {events} WHERE originator_id = NEW.originator_id AND originator_version = NEW.originator_version
) OR EXISTS (SELECT 1 FROM {events} WHERE rowid = NEW.rowid)
BEGIN SELECT RAISE(ABORT, '{events} is never edited: this event exists'); END;
CREATE TRIGGER IF NOT EXISTS {keys}_refuse_update BEFORE UPDATE ON {keys}
BEGIN SELECT RAISE(ABORT, '{keys} is never edited'); END;
CREATE TRIGGER IF NOT EXISTS {keys}_refuse_delete BEFORE DELETE ON {keys}
BEGIN SELECT RAISE(ABORT, '{keys} is never edited'); END;
CREATE TRIGGER IF NOT EXISTS {keys}_refuse_replace BEFORE INSERT ON {keys}
WHEN EXISTS (SELECT 1 FROM {keys} WHERE key = NEW.key)
BEGIN SELECT RAISE(ABORT, '{keys} is never edited: this key exists'); END;

-- The integrity heads, beside the events: what signs them is `events/integrity`. Heads are never edited either.
CREATE TABLE IF NOT EXISTS {heads} (
    number INTEGER PRIMARY KEY,
    head BLOB NOT NULL
);
CREATE TRIGGER IF NOT EXISTS {heads}_refuse_update BEFORE UPDATE ON {heads}
BEGIN SELECT RAISE(ABORT, '{heads} is never edited'); END;
CREATE TRIGGER IF NOT EXISTS {heads}_refuse_delete BEFORE DELETE ON {heads}
BEGIN SELECT RAISE(ABORT, '{heads} is never edited'); END;
-- INSERT OR REPLACE is a DELETE that fires no trigger of its own; heads are numbered without a gap.
CREATE TRIGGER IF NOT EXISTS {heads}_refuse_replace BEFORE INSERT ON {heads}
WHEN NEW.number <> (SELECT COALESCE(max(number), 0) + 1 FROM {heads})
BEGIN SELECT RAISE(ABORT, '{heads} is never edited: another head has this number, or one is missing'); END;
