-- The integrity heads on SQLite, beside the events. Safe to repeat.
CREATE TABLE IF NOT EXISTS pitledger_heads (
    number INTEGER PRIMARY KEY,
    head BLOB NOT NULL
);
CREATE TRIGGER IF NOT EXISTS pitledger_heads_refuse_update BEFORE UPDATE ON pitledger_heads
BEGIN SELECT RAISE(ABORT, 'pitledger_heads is never edited'); END;
CREATE TRIGGER IF NOT EXISTS pitledger_heads_refuse_delete BEFORE DELETE ON pitledger_heads
BEGIN SELECT RAISE(ABORT, 'pitledger_heads is never edited'); END;
-- INSERT OR REPLACE is a DELETE that fires no trigger of its own; heads are numbered without a gap.
CREATE TRIGGER IF NOT EXISTS pitledger_heads_refuse_replace BEFORE INSERT ON pitledger_heads
WHEN NEW.number <> (SELECT COALESCE(max(number), 0) + 1 FROM pitledger_heads)
BEGIN SELECT RAISE(ABORT, 'pitledger_heads is never edited: another head has this number, or one is missing'); END;
