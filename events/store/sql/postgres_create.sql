-- The event store on PostgreSQL: tables, the append function and the guards. Run as one script by create(), safe
-- to repeat. {schema}, {events}, {keys}, {snapshots} are names, {lock} is the number of the store's write lock.
-- Functions carry the table's name, so that several stores can live in one schema, and a version: another
-- signature or meaning is a new name, and the old one stays until no process calls it any more.

-- The columns are those of eventsourcing 9.5, whose own queries work on the table. Names sort by their bytes
-- (COLLATE "C"), so that "the last stream that begins with" is one step in the primary key.
CREATE TABLE IF NOT EXISTS {schema}.{events} (
    originator_id text COLLATE "C" NOT NULL,
    originator_version bigint NOT NULL,
    topic text COLLATE "C" NOT NULL,
    state bytea NOT NULL,
    notification_id bigserial NOT NULL,
    PRIMARY KEY (originator_id, originator_version)
);

-- Every reader by position; also what makes a position unique.
CREATE UNIQUE INDEX IF NOT EXISTS {events}_notification_id_idx ON {schema}.{events} (notification_id);

-- Readers of a few types (the folds over facts) must not walk through everything in between.
CREATE INDEX IF NOT EXISTS {events}_topic_idx ON {schema}.{events} (topic, notification_id);

CREATE TABLE IF NOT EXISTS {schema}.{keys} (
    key text COLLATE "C" PRIMARY KEY,
    content bytea NOT NULL,
    stream text NOT NULL,
    first bigint NOT NULL,
    count bigint NOT NULL
);

-- Snapshots are a cache: they alone may be replaced.
CREATE TABLE IF NOT EXISTS {schema}.{snapshots} (
    stream text COLLATE "C" NOT NULL,
    evolve text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    state bytea NOT NULL,
    PRIMARY KEY (stream, evolve)
);

-- Nothing is ever edited: not by us, not by hand, not by TRUNCATE.
CREATE OR REPLACE FUNCTION {schema}.{events}_refuse_v1() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
    RAISE EXCEPTION '% is never edited: % refused, append a correction', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'insufficient_privilege';
END;
$body$;

CREATE OR REPLACE TRIGGER {events}_refuse BEFORE UPDATE OR DELETE OR TRUNCATE ON {schema}.{events}
    FOR EACH STATEMENT EXECUTE FUNCTION {schema}.{events}_refuse_v1();
CREATE OR REPLACE TRIGGER {keys}_refuse BEFORE UPDATE OR DELETE OR TRUNCATE ON {schema}.{keys}
    FOR EACH STATEMENT EXECUTE FUNCTION {schema}.{events}_refuse_v1();

-- Positions are taken from a sequence before the commit. Whoever inserts, by whichever way, waits here until the
-- writer before has committed, so that no reader ever passes a gap that is filled later. Taken again by the same
-- transaction the lock costs next to nothing. An advisory lock, because LOCK TABLE would wait for autovacuum.
CREATE OR REPLACE FUNCTION {schema}.{events}_order_v1() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
    PERFORM pg_advisory_xact_lock({lock});
    RETURN NULL;
END;
$body$;

CREATE OR REPLACE TRIGGER {events}_order BEFORE INSERT ON {schema}.{events}
    FOR EACH STATEMENT EXECUTE FUNCTION {schema}.{events}_order_v1();

-- The store's write lock until the transaction ends. Whoever waits longer than this is told to try again.
CREATE OR REPLACE FUNCTION {schema}.{events}_lock_v1() RETURNS void LANGUAGE plpgsql SET lock_timeout = '10s' AS $body$
BEGIN
    PERFORM pg_advisory_xact_lock({lock});
END;
$body$;

-- Append in one round trip: lock, action keys, heads, events. Returns the positions in the order of the events.
-- A stream that is not at its head, and a key that exists, are unique violations of the constraints
-- "{events}_head" and "{keys}_pkey"; the key is judged first, since a repeated action finds its stream moved on.
CREATE OR REPLACE FUNCTION {schema}.{events}_append_v1(
    p_streams text[], p_versions bigint[], p_digests bytea[],
    p_originator_ids text[], p_originator_versions bigint[], p_topics text[], p_states bytea[],
    p_keys text[], p_contents bytea[], p_key_streams text[], p_firsts bigint[], p_counts bigint[]
) RETURNS bigint[] LANGUAGE plpgsql SET lock_timeout = '10s' AS $body$
DECLARE
    stale text;
    positions bigint[];
BEGIN
    PERFORM pg_advisory_xact_lock({lock});
    IF cardinality(p_keys) > 0 THEN
        INSERT INTO {schema}.{keys} (key, content, stream, first, count)
        SELECT * FROM unnest(p_keys, p_contents, p_key_streams, p_firsts, p_counts);
    END IF;
    SELECT head.stream INTO stale
    FROM unnest(p_streams, p_versions, p_digests) AS head (stream, version, digest)
    LEFT JOIN LATERAL (
        SELECT originator_version AS version, state FROM {schema}.{events}
        WHERE originator_id = head.stream ORDER BY originator_version DESC LIMIT 1
    ) AS last ON true
    WHERE head.version <> COALESCE(last.version, 0) OR (head.version > 0 AND head.digest <> sha256(last.state))
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'stream % is not at the expected head', stale
            USING ERRCODE = 'unique_violation', CONSTRAINT = '{events}_head';
    END IF;
    WITH inserted AS (
        INSERT INTO {schema}.{events} (originator_id, originator_version, topic, state)
        SELECT new.originator_id, new.originator_version, new.topic, new.state
        FROM unnest(p_originator_ids, p_originator_versions, p_topics, p_states)
            WITH ORDINALITY AS new (originator_id, originator_version, topic, state, place)
        ORDER BY new.place
        RETURNING notification_id
    )
    SELECT array_agg(notification_id ORDER BY notification_id) INTO positions FROM inserted;
    RETURN COALESCE(positions, ARRAY[]::bigint[]);
END;
$body$;

-- The integrity heads, beside the events: what signs them is `events/integrity`. Heads are never edited either.
CREATE TABLE IF NOT EXISTS {schema}.{heads} (
    number bigint PRIMARY KEY,
    head bytea NOT NULL
);

CREATE OR REPLACE FUNCTION {schema}.{heads}_refuse_v1() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
    RAISE EXCEPTION '% is never edited: % refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'insufficient_privilege';
END;
$body$;

CREATE OR REPLACE TRIGGER {heads}_refuse BEFORE UPDATE OR DELETE OR TRUNCATE ON {schema}.{heads}
    FOR EACH STATEMENT EXECUTE FUNCTION {schema}.{heads}_refuse_v1();
