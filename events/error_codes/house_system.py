"""Store, relay, integrity, keys and settings."""

from events.error_codes.entry import Entry, _, entry

ENTRIES: tuple[Entry, ...] = (
    entry(
        "kafka-certificate-unusable",
        _("The file cannot be used: %(why)s."),
        _("Name a certificate in PEM."),
        why="text",
    ),
    entry(
        "topic-holds-another-head",
        _("The topic %(topic)s holds a head %(number)s that is not the one kept here."),
        _(
            "Look with `./manage.py verify`. If the store came from a backup: `./manage.py heads "
            "--accept-restored %(accept)s`."
        ),
        topic="id",
        number="count",
        accept="count",
    ),
    entry("heads-not-acknowledged", _("Heads were not acknowledged: %(why)s."), _("It is tried again."), why="text"),
    entry("relay-lock-lost", _("The lock of the relay is lost."), _("It is tried again.")),
    entry(
        "topic-of-another-store",
        _("The topic holds events of another store (position %(position)s, %(stream)s)."),
        _("Use another Kafka, or empty the topic of this one by `./manage.py relay --empty-topic`."),
        position="count",
        stream="id",
    ),
    entry(
        "sent-event-missing",
        _(
            "The store does not hold event %(position)s any more, which was sent: it was restored from a "
            "backup, or is another one."
        ),
        _("If it is the right one, empty the topic: `./manage.py relay --empty-topic`."),
        position="count",
    ),
    entry("topic-lost-last-record", _("The topic has lost its last record."), _("It is tried again.")),
    entry(
        "kafka-needs-user",
        _("%(security)s needs a user."),
        _("Set PITLEDGER_KAFKA_USER and PITLEDGER_KAFKA_PASSWORD."),
        security="id",
    ),
    entry(
        "broker-silent",
        _("The broker at %(address)s does not answer: %(why)s."),
        _("It is tried again."),
        address="id",
        why="text",
    ),
    entry("batch-not-acknowledged", _("A batch was not acknowledged: %(why)s."), _("It is tried again."), why="text"),
    entry(
        "batch-at-another-offset",
        _("A batch got the offset %(got)s instead of %(offset)s: the topic has changed."),
        _("It is tried again."),
        got="id",
        offset="id",
    ),
    entry(
        "topic-not-made",
        _("The topic %(topic)s cannot be made at %(address)s: %(why)s."),
        _("It is tried again."),
        topic="id",
        address="id",
        why="text",
    ),
    entry(
        "topic-not-read",
        _("The topic %(topic)s cannot be read at %(address)s: %(why)s."),
        _("It is tried again."),
        topic="id",
        address="id",
        why="text",
    ),
    entry(
        "topic-not-emptied",
        _("The records of %(topic)s cannot be deleted at %(address)s: %(why)s."),
        _("It is tried again."),
        topic="id",
        address="id",
        why="text",
    ),
    entry("topic-unreadable", _("%(topic)s cannot be read: %(why)s."), _("It is tried again."), topic="id", why="text"),
    entry(
        "broker-silent-about-topic",
        _("The broker gives no answer about %(topic)s: %(why)s."),
        _("It is tried again."),
        topic="id",
        why="text",
    ),
    entry(
        "topic-bounds-unknown",
        _("The bounds of %(topic)s cannot be read: %(why)s."),
        _("It is tried again."),
        topic="id",
        why="text",
    ),
    entry(
        "broker-silent-within",
        _("The broker gave no answer about %(topic)s within %(seconds)s s."),
        _("It is tried again."),
        topic="id",
        seconds="id",
    ),
    entry(
        "witness-has-more-heads",
        _("The witness has head %(number)s, which is not here: the heads were cut off, or come from a backup."),
        _("After a backup give it up at the witness: `witness.py FILE give-up`."),
        number="count",
    ),
    entry("witness-refuses", _("The witness refuses: %(why)s."), _("Look with `./manage.py verify`."), why="text"),
    entry("witness-full", _("The witness has no room: %(why)s."), _("Make room there."), why="text"),
    entry(
        "witness-address-wrong", _("The witness answered %(status)s."), _("Correct PITLEDGER_WITNESS."), status="count"
    ),
    entry("witness-failed", _("The witness answered %(status)s."), _("It is tried again."), status="count"),
    entry("witness-silent", _("The witness does not answer: %(why)s."), _("It is tried again."), why="text"),
    entry(
        "not-a-witness", _("The answer is not that of a witness: %(why)s."), _("Correct PITLEDGER_WITNESS."), why="text"
    ),
    entry(
        "witness-file-differs",
        _("The last head in %(file)s is not the head %(number)s kept here."),
        _("Run `./manage.py verify`."),
        file="id",
        number="count",
    ),
    entry(
        "witness-file-not-written", _("The file drop cannot be written: %(why)s."), _("Make it writable."), why="text"
    ),
    entry(
        "witness-file-damaged",
        _("%(file)s does not end with a head: %(why)s."),
        _("Restore it from a copy."),
        file="id",
        why="text",
    ),
    entry(
        "store-on-network-drive",
        _("%(path)s is on a network drive (%(kind_of_drive)s), where SQLite damages its files."),
        _("Name a file on a disk of this machine, or a PostgreSQL database (postgresql://USER:PASSWORD@HOST:PORT/DB)."),
        path="text",
        kind_of_drive="id",
    ),
    entry("keys-used", _("Action keys were used before: %(keys)s."), _("Use new keys."), keys="list"),
    entry(
        "stream-moved",
        _("Stream %(stream)s is at version %(version)s, not at the expected %(expected)s."),
        _("Read it again and decide again."),
        stream="id",
        version="id",
        expected="id",
    ),
    entry(
        "notes-unusable",
        _("The notes in the database of the access log cannot be used: %(why)s."),
        _("It is tried again."),
        why="text",
    ),
    entry(
        "store-address-format",
        _("This is not the address of a store."),
        _("Write sqlite:///PATH or postgresql://USER:PASSWORD@HOST:PORT/DB."),
    ),
    entry("store-file-missing", _("The address names no file."), _("Name a file, or use memory://.")),
    entry("store-silent", _("The event store does not answer: %(why)s."), _("It is tried again."), why="text"),
    entry(
        "store-options-refused",
        _("The options %(options)s cannot be used."),
        _("Set libpq's variables instead, such as PGSSLMODE."),
        options="text",
    ),
    entry(
        "store-of-another-property",
        _("This event store holds the events of %(owner)s, not of %(property)s."),
        _("Correct PITLEDGER_STORE, or PITLEDGER_PROPERTY if this is %(owner)s."),
        owner="id",
        property="id",
    ),
    entry(
        "store-role-makes-no-tables",
        _("The database role may not make the tables."),
        _("Run `./manage.py migrate` as the owner of the database."),
    ),
    entry("key-used-in-store", _("An action key was used before: %(detail)s."), _("Use a new key."), detail="text"),
    entry("store-closed", _("The event store is closed."), _("Send the same again.")),
    entry(
        "store-read-only",
        _("The event store takes no writes: it is a standby, or read-only."),
        _("Name the primary in PITLEDGER_STORE."),
    ),
    entry(
        "store-damaged",
        _("The event store is damaged (%(description)s)."),
        _("Stop the house, put the backup back, then run `./manage.py verify`."),
        description="text",
    ),
    entry(
        "session-role-without-triggers",
        _("The setting session_replication_role is %(role)s, so no trigger guards the events."),
        _(
            "Take it back: ALTER ROLE ... RESET session_replication_role, or ALTER DATABASE ... RESET "
            "session_replication_role."
        ),
        role="id",
    ),
    entry(
        "database-encoding",
        _("The encoding of the database is %(encoding)s; Pitledger needs %(needed)s."),
        _("Create another database (`%(command)s`) and name it here. An encoding cannot be changed afterwards."),
        encoding="id",
        needed="id",
        command="text",
    ),
    entry(
        "head-does-not-cover",
        _("No head covers position %(position)s yet."),
        _("The next one does, in a few seconds."),
        position="count",
    ),
    entry(
        "day-has-own-accounts",
        _("The house has accounts of its own."),
        _("Close the day; its report is then proved whole."),
    ),
    entry(
        "store-differs-from-head",
        _("The store differs from the one that head %(number)s signed."),
        _("Run `./manage.py verify`."),
        number="count",
    ),
    entry(
        "heads-unreadable",
        _("The heads in %(file)s cannot be read: %(why)s."),
        _("It is tried again."),
        file="id",
        why="text",
    ),
    entry(
        "head-order-broken",
        _("The head after %(number)s is not the next one."),
        _("Run `./manage.py verify`."),
        number="count",
    ),
    entry("not-a-head", _("This is not a head: %(why)s."), _("Put it aside."), why="text"),
    entry(
        "store-cut-off",
        _("The store ends at %(position)s, and head %(number)s signed position %(signed)s: events were cut off."),
        _("Restore events and heads of one backup. `./manage.py verify` lists the missing events."),
        position="count",
        number="count",
        signed="count",
    ),
    entry(
        "store-rewritten",
        _("Up to %(position)s the store differs from the one that head %(number)s signed: it was rewritten."),
        _("`./manage.py verify` lists the differences."),
        position="count",
        number="count",
    ),
    entry(
        "events-replaced-meanwhile",
        _("The events up to %(position)s were replaced while they were counted."),
        _("They are counted again."),
        position="count",
    ),
    entry(
        "head-signature-wrong",
        _("Head %(number)s is not signed by the key that it names: it was put there."),
        _("Run `./manage.py verify`."),
        number="count",
    ),
    entry(
        "heads-cut-off",
        _(
            "The heads end at %(end)s, and the last one signed here is %(number)s: they were cut off, or "
            "the store comes from an older backup."
        ),
        _("Look with `./manage.py verify`. If it was a backup: `./manage.py heads --accept-restored %(end)s`."),
        end="count",
        number="count",
    ),
    entry(
        "head-replaced",
        _("Head %(number)s is not the one that was signed here: it was replaced."),
        _("Run `./manage.py verify`."),
        number="count",
    ),
    entry(
        "head-of-another-key",
        _("Head %(number)s is not signed by the key of this house: it was put there."),
        _("Run `./manage.py verify`."),
        number="count",
    ),
    entry(
        "house-key-is-another",
        _("Head %(number)s was signed by another key (%(key)s...) than the present one."),
        _(
            "Restore keys/ from the backup (or PITLEDGER_HEAD_KEY). If the key of the house is lost for "
            "good: `./manage.py heads --new-key %(number)s`."
        ),
        number="count",
        key="id",
    ),
    entry(
        "witness-without-heads",
        _("%(file)s holds no head: nothing was witnessed there."),
        _("Name another file."),
        file="id",
    ),
    entry(
        "witness-of-another-property",
        _("%(file)s is of %(properties)s, and this house is %(property)s."),
        _("Name the file of this house."),
        file="id",
        properties="list",
        property="id",
    ),
    entry(
        "witness-line-wrong",
        _("Line %(number)s is not a line of a witness: %(why)s."),
        _("Name another file."),
        number="count",
        why="text",
    ),
    entry(
        "signer-elsewhere",
        _("The signer works in %(place)s, and its key and memory are only there."),
        _("Run this command there: `docker compose exec %(place)s python manage.py ...`."),
        place="id",
    ),
    entry("head-key-format", _("The key has another form."), _("Give 32 bytes in hexadecimal digits.")),
    entry("house-key-damaged", _("The key of the house is damaged."), _("%(advice)s."), advice="text"),
    entry("house-key-not-ed25519", _("This is not an Ed25519 key."), _("%(advice)s."), advice="text"),
    entry(
        "signer-memory-unreadable",
        _("The memory of the signer cannot be read (%(why)s)."),
        _("Restore it from the backup."),
        why="text",
    ),
    entry(
        "signer-memory-not-written",
        _("The signer cannot write down its last head: %(why)s."),
        _("Make the folder writable."),
        why="text",
    ),
    entry("environment-setting-unknown", _("There is no such setting: %(hint)s."), _("Correct its name."), hint="text"),
    entry("setting-set-twice", _("%(name)s and %(file)s are both set."), _("Unset one of them."), name="id", file="id"),
    entry(
        "setting-file-unreadable",
        _("%(path)s cannot be read: %(why)s."),
        _("Correct the path."),
        path="text",
        why="text",
    ),
    entry("setting-file-empty", _("%(path)s is empty."), _("Write the value into it."), path="text"),
    entry(
        "mail-link-differs",
        _("%(named)s differs from %(link)s, the first of PITLEDGER_ADDRESS."),
        _("Unset PITLEDGER_MAIL_LINK."),
        named="text",
        link="text",
    ),
    entry("setting-invalid", _("%(why)s."), _("Correct the setting."), why="text"),
    entry(
        "setting-of-another-kind",
        _("%(value)s is not %(wanted)s."),
        _("Correct the setting."),
        value="text",
        wanted="text",
    ),
    entry("clock-file-unreadable", _("%(path)s: %(why)s."), _("Correct the path."), path="text", why="text"),
    entry(
        "clock-format",
        _("%(text)s is not a clock."),
        _("Write 2026-11-20T18:00:00.000Z, or that and since SECONDS."),
        text="text",
    ),
    entry("traces-not-installed", _("The packages for traces are not installed."), _("To %(how)s."), how="text"),
    entry("store-refused", _("%(why)s."), _("Correct PITLEDGER_STORE."), why="error"),
    entry(
        "database-silent", _("%(server)s does not answer: %(why)s."), _("It is tried again."), server="text", why="text"
    ),
    entry("database-refused", _("%(setting)s: %(why)s."), _("Correct the setting."), setting="id", why="error"),
    entry("heads-not-made", _("The store has no table of heads."), _("`./manage.py migrate` makes it.")),
    entry(
        "expected-head-moved",
        _("A stream is not at the expected head: %(detail)s."),
        _("Read it again and decide again."),
        detail="text",
    ),
    entry(
        "event-too-large",
        _("%(event_type)s would have %(size)s bytes; an event has at most %(most)s."),
        _("Do it in smaller parts."),
        event_type="id",
        size="count",
        most="count",
    ),
    entry(
        "event-above-broker-limit",
        _("Event %(position)s (%(event_type)s, %(event)s) has %(size)s bytes, more than the broker takes."),
        _("Raise max.message.bytes of the topic %(topic)s above that."),
        position="count",
        event_type="id",
        event="id",
        size="count",
        topic="id",
    ),
)
