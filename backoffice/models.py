"""Directory and devices: names and credentials. Events know opaque ids only, and no rebuild touches these."""

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.db import models


class Person(AbstractBaseUser):
    """A person who works in the house, and Django's user. The id stays in the events, the name can be erased.

    A person without a password cannot sign in; roles are events, not rows here.
    """

    id = models.CharField(max_length=64, primary_key=True)
    name = models.CharField(max_length=200, blank=True)
    email = models.EmailField(blank=True)
    password = models.CharField(max_length=128, default=UNUSABLE_PASSWORD_PREFIX)
    is_active = models.BooleanField(default=True)
    turns_keys = models.BooleanField(default=True)  # False: let in by one person alone
    wants_mail = models.BooleanField(default=False)  # when something waits for them
    language = models.CharField(max_length=8, blank=True)  # chosen for pages and mails; "": the property's

    objects = BaseUserManager["Person"]()

    USERNAME_FIELD = "id"
    EMAIL_FIELD = "email"

    def __str__(self) -> str:
        return self.name or self.id


class Enrolment(models.Model):
    """A code with which a person sets a password once, as a hash."""

    digest = models.CharField(max_length=64, primary_key=True)
    person = models.ForeignKey(Person, on_delete=models.CASCADE)
    made_by = models.CharField(max_length=64)
    made_at = models.DateTimeField(auto_now_add=True)
    ends_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    turns_keys = models.BooleanField(default=True)
    agreed = models.CharField(max_length=200, null=True, blank=True, unique=True)  # the request that two agreed to

    def __str__(self) -> str:
        return f"enrolment of {self.person_id}"


class Told(models.Model):
    """A notification that something waits, sent once: to a person by mail, or ("") to the webhook, which is tried
    again."""

    person = models.CharField(max_length=64, blank=True)
    matter = models.CharField(max_length=64)  # a digest
    at = models.DateTimeField(auto_now_add=True)
    tries = models.PositiveSmallIntegerField(default=0)
    is_done = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["person", "matter"], name="told_once")]

    def __str__(self) -> str:
        return f"{self.person or 'webhook'} was told of {self.matter}"


class Credential(models.Model):
    """A person's badge or a device's key, as a hash; it can be revoked and never read again."""

    digest = models.CharField(max_length=64, primary_key=True)
    person = models.ForeignKey(Person, null=True, blank=True, on_delete=models.CASCADE)
    device = models.ForeignKey("Device", null=True, blank=True, on_delete=models.CASCADE)
    made_at = models.DateTimeField(auto_now_add=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"credential of {self.person_id or self.device_id}"


class Device(models.Model):
    """A terminal, bound to a table."""

    id = models.CharField(max_length=64, primary_key=True)
    table = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"{self.id} at {self.table}"


class Display(models.Model):
    """A screen on the casino floor. Key and code are hashes; "" means no key or code.

    `wall_of`: the person whose alerts it shows on a wall; "" for a screen of signs.
    """

    id = models.CharField(max_length=64, primary_key=True)
    key = models.CharField(max_length=64, blank=True, db_index=True)
    code = models.CharField(max_length=64, blank=True)
    code_ends_at = models.DateTimeField()
    made_by = models.CharField(max_length=64)
    made_at = models.DateTimeField()
    wall_of = models.CharField(max_length=64, blank=True)

    def __str__(self) -> str:
        return f"display {self.id}"


class IdClaim(models.Model):
    """An id of a person, a terminal or a display, which reserves its look-alikes. `key`: kind and skeleton of the
    id.
    """

    key = models.TextField(primary_key=True)
    name = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"{self.key} is {self.name}"


class Remembered(models.Model):
    """Failed attempts and used one-time codes, shared by all processes (`backoffice/people/durable_cache.py`).
    `key`: an HMAC; `value`: JSON."""

    key = models.CharField(max_length=64, primary_key=True)
    value = models.TextField()
    ends_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.key


class SavedSearch(models.Model):
    """A search of the log that a person keeps, for themselves or for a role.

    `query`: the query string of its address, with people by id. `role`: the role that shares it, "" without one.
    """

    person = models.CharField(max_length=64)
    name = models.CharField(max_length=80)
    query = models.TextField()
    role = models.CharField(max_length=64, blank=True, db_index=True)
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["person", "name"], name="search_once")]

    def __str__(self) -> str:
        return f"{self.person}: {self.name}"


class BackupRecord(models.Model):
    """A backup that was made or tried (`backoffice/house/backup_records.py`). `position`: of the last event in it."""

    began_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    is_scheduled = models.BooleanField(default=False)
    folder = models.TextField()
    is_good = models.BooleanField(default=False)
    reason = models.TextField(blank=True)  # why it is not good
    position = models.BigIntegerField(null=True, blank=True)
    size_bytes = models.BigIntegerField(null=True, blank=True)
    has_keys = models.BooleanField(default=False)
    checked_at = models.DateTimeField(null=True, blank=True)  # every file against the manifest
    restored_at = models.DateTimeField(null=True, blank=True)  # into a scratch house, and verified

    def __str__(self) -> str:
        return f"backup {self.folder}"


class PartReport(models.Model):
    """The last report of a part, by host (`backoffice/running/status_reports_of_parts_into_database.py`).

    Times are seconds since 1970 by the database server's clock; `figures` is JSON.
    """

    id = models.TextField(primary_key=True)  # PART@HOST
    part = models.TextField()
    host = models.TextField()
    pid = models.IntegerField()
    version = models.TextField()
    started_s = models.FloatField()
    reported_s = models.FloatField()
    progress_s = models.FloatField()
    is_ended = models.BooleanField()
    waits = models.TextField(blank=True)
    figures = models.TextField()

    def __str__(self) -> str:
        return self.id


class PartCount(models.Model):
    """Total of a series of the parts' counters or histograms (`events/runtime/metric_counters.py`)."""

    id = models.TextField(primary_key=True)
    metric = models.TextField()
    labels = models.TextField()  # JSON: the values, in the order of the declaration
    suffix = models.TextField(blank=True)
    value = models.FloatField()

    def __str__(self) -> str:
        return self.id


class TableDevice(models.Model):
    """A tablet or reader at a table, from its pairing code on. Secrets are hashes; "" means no secret.

    Whether it is paired or revoked is in the events (`backoffice/table_screen/device_authentication.py`). `last_seq`
    and `last_digest` are those of the last entry of its queue.
    """

    id = models.CharField(max_length=64, primary_key=True)
    table = models.CharField(max_length=64, db_index=True)
    use = models.CharField(max_length=20)
    name = models.CharField(max_length=80, blank=True)
    secret = models.CharField(max_length=64, unique=True)
    made_by = models.CharField(max_length=64)
    made_at = models.DateTimeField()
    ends_at = models.DateTimeField()  # of the code; of the confirmation, once a device has used it
    public_key = models.TextField(blank=True)  # JWK, as JSON
    fingerprint = models.CharField(max_length=64, blank=True)  # SHA-256 of the key
    commitment = models.CharField(max_length=64, blank=True)  # of the device, to a nonce
    house_nonce = models.CharField(max_length=64, blank=True)
    digits = models.CharField(max_length=4, blank=True)  # once the device has shown its nonce
    refused_at = models.DateTimeField(null=True, blank=True)
    used_again = models.PositiveIntegerField(default=0)  # how often the used code came once more
    cookie = models.CharField(max_length=64, blank=True, db_index=True)
    last_seq = models.BigIntegerField(default=0)
    last_digest = models.CharField(max_length=64)
    clock_behind_ms = models.BigIntegerField(default=0)  # negative: ahead of the house's
    seen_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.use} {self.id} at {self.table}"


class BadgeSession(models.Model):
    """A person at a device, by badge, in one role. `secret`: hash of the device's cookie.

    `relief`: the offline relief that this badge confirmed.
    """

    id = models.CharField(max_length=32, primary_key=True)
    secret = models.CharField(max_length=64, unique=True)
    device = models.ForeignKey(TableDevice, on_delete=models.CASCADE)
    person = models.CharField(max_length=64)
    role = models.CharField(max_length=64)
    relief = models.CharField(max_length=64, blank=True)
    began_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.person} at {self.device_id}"


class QueueEntry(models.Model):
    """An entry of a device's queue as signed, and its first answer (JSON; "": not answered yet)."""

    device = models.ForeignKey(TableDevice, on_delete=models.CASCADE)
    table = models.CharField(max_length=64)
    seq = models.BigIntegerField()
    digest = models.CharField(max_length=64)
    body = models.TextField()
    signature = models.CharField(max_length=120)
    session = models.CharField(max_length=64)
    is_queued = models.BooleanField(default=False)
    is_reported = models.BooleanField(default=False)  # its time without signal was
    time = models.DateTimeField()  # by the house's clock
    received_at = models.DateTimeField()
    state = models.CharField(max_length=12)  # taken, done, unverified, held
    # a reader's actions with the additions of the table's procedure, before sending
    completed = models.TextField(blank=True)
    answer = models.TextField(blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["device", "seq"], name="entry_once")]
        indexes = [models.Index(fields=["table", "received_at"], name="entry_by_table")]

    def __str__(self) -> str:
        return f"entry {self.seq} of {self.device_id}"


class RefusedEntry(models.Model):
    """An entry that was changed, missing or out of order, shown to the inspector."""

    device = models.ForeignKey(TableDevice, on_delete=models.CASCADE)
    seq = models.BigIntegerField()
    code = models.CharField(max_length=40)
    digest = models.CharField(max_length=64)
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["device", "seq", "code", "digest"], name="refused_entry_once")]

    def __str__(self) -> str:
        return f"{self.code} {self.seq} of {self.device_id}"


class SecondRequest(models.Model):
    """An action that a second person must carry out, shown at a screen by a code. `action`: JSON of the request."""

    id = models.CharField(max_length=32, primary_key=True)
    code = models.CharField(max_length=64, unique=True)
    device = models.ForeignKey(TableDevice, on_delete=models.CASCADE)
    table = models.CharField(max_length=64)
    by = models.CharField(max_length=64)
    action = models.TextField()
    made_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    answer = models.TextField(blank=True)
    answered_by = models.CharField(max_length=64, blank=True)

    def __str__(self) -> str:
        return f"second person at {self.table}"


class Subscription(models.Model):
    """News that a person receives by mail, by a named webhook, or as files in a named folder (both "": by mail).

    `source` is alerts, search, report or day; `choice` narrows it: a severity, the id of a saved search, a report.
    `period` is at once, hour, day, week or month. `position` is that of the last event that a delivery covers,
    `looked_at` the time at which it was counted last. Quiet hours are clock times of the property, "" for none.
    """

    person = models.CharField(max_length=64, db_index=True)
    source = models.CharField(max_length=16)
    choice = models.CharField(max_length=80, blank=True)
    webhook = models.CharField(max_length=64, blank=True)
    folder = models.CharField(max_length=64, blank=True)
    period = models.CharField(max_length=16, default="at once")
    quiet_from = models.CharField(max_length=5, blank=True)
    quiet_to = models.CharField(max_length=5, blank=True)
    position = models.BigIntegerField(default=0)
    made_at = models.DateTimeField()
    last_at = models.DateTimeField(null=True, blank=True)
    looked_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    end_reason = models.CharField(max_length=16, blank=True)  # "no access" where it ended by itself

    def __str__(self) -> str:
        return f"{self.source} for {self.person}"


class OutboxMessage(models.Model):
    """Something to be sent, with its attempts.

    `state` is waiting, sent, failed or dropped. `answer` says in a word why it was not sent. `requested_by` is the
    person who had it sent again.
    """

    id = models.CharField(max_length=64, primary_key=True)
    made_at = models.DateTimeField()
    state = models.CharField(max_length=16, default="waiting")
    tries = models.PositiveSmallIntegerField(default=0)
    next_try_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)
    answer = models.CharField(max_length=80, blank=True)
    requested_by = models.CharField(max_length=64, blank=True)

    class Meta:
        abstract = True


class BookmarkPush(OutboxMessage):
    """A bookmark of video that goes to a video system. Its id follows from the event of the bookmark.

    It has no text of the case.
    """

    case = models.CharField(max_length=16, db_index=True)
    event = models.CharField(max_length=200)
    system = models.CharField(max_length=64)

    class Meta:
        indexes = [models.Index(fields=["state", "next_try_at"], name="bookmark_push_due")]

    def __str__(self) -> str:
        return f"push {self.id}"


class Delivery(OutboxMessage):
    """A message to a subscriber. Its id follows from the subscription and the events that it covers."""

    subscription = models.ForeignKey(Subscription, on_delete=models.CASCADE)
    after = models.BigIntegerField()
    upto = models.BigIntegerField()

    class Meta:
        indexes = [models.Index(fields=["state", "next_try_at"], name="delivery_due")]

    def __str__(self) -> str:
        return f"delivery {self.id}"


class DeliveryAttempt(models.Model):
    """One attempt to send a delivery. `result` is "" until it ends, and stays so where the sender was killed.

    `destination` is the name in the file of destinations, "" for an e-mail. `state` is that of the delivery afterwards.
    """

    delivery = models.ForeignKey(Delivery, on_delete=models.CASCADE)
    at = models.DateTimeField()
    kind = models.CharField(max_length=8)  # mail, webhook or folder
    destination = models.CharField(max_length=64, blank=True)
    state = models.CharField(max_length=16, blank=True)
    result = models.CharField(max_length=80, blank=True)
    next_try_at = models.DateTimeField(null=True, blank=True)
    requested_by = models.CharField(max_length=64, blank=True)

    class Meta:
        indexes = [models.Index(fields=["at"], name="attempt_time")]

    def __str__(self) -> str:
        return f"attempt of {self.delivery_id}"


class DeliveredFile(models.Model):
    """A file that a delivery writes into a named folder. The row is written before the file has its name.

    `copy` is the number of the issued copy, 0 where the report is not listed as issued.
    """

    delivery = models.ForeignKey(Delivery, on_delete=models.CASCADE)
    folder = models.CharField(max_length=64)
    name = models.CharField(max_length=200)
    digest = models.CharField(max_length=64)
    copy = models.PositiveIntegerField(default=0)
    at = models.DateTimeField()
    is_written = models.BooleanField(default=False)

    class Meta:
        indexes = [models.Index(fields=["folder", "name"], name="delivered_name")]

    def __str__(self) -> str:
        return f"{self.folder}/{self.name}"
