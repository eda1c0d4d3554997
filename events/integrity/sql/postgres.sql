-- The integrity heads on PostgreSQL, beside the events. Safe to repeat, and by several processes at once: the lock
-- keeps them apart, since "IF NOT EXISTS" alone does not.
SELECT pg_advisory_xact_lock(hashtextextended('pitledger_heads', 0));

CREATE TABLE IF NOT EXISTS pitledger_heads (
    number bigint PRIMARY KEY,
    head bytea NOT NULL
);

CREATE OR REPLACE FUNCTION pitledger_heads_refuse_v1() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
    RAISE EXCEPTION '% is never edited: % refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'insufficient_privilege';
END;
$body$;

CREATE OR REPLACE TRIGGER pitledger_heads_refuse BEFORE UPDATE OR DELETE OR TRUNCATE ON pitledger_heads
    FOR EACH STATEMENT EXECUTE FUNCTION pitledger_heads_refuse_v1();
