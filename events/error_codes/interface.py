"""Interface: requests, badges, addresses and pages."""

from events.error_codes.entry import Entry, _, entry

INTERFACE: tuple[Entry, ...] = (
    entry("no-answer-in-time", _("There was no answer in time."), _("Send it again, with the same keys.")),
    entry(
        "own-requests-on-their-way",
        _("%(count)s requests of yours are still on their way."),
        _("Try again when they have ended."),
        count="count",
    ),
    entry("checks-waiting", _("%(count)s checks are waiting."), _("Try again in a moment."), count="count"),
    entry(
        "requests-on-their-way", _("Too many requests are still on their way."), _("Send the same again in a moment.")
    ),
    entry(
        "part-is-full", _("Too many requests wait for %(part)s."), _("Send the same again in a moment."), part="text"
    ),
    entry(
        "part-silent-within",
        _("%(part)s did not answer within %(seconds)s s."),
        _("Send the same again in a moment."),
        part="text",
        seconds="id",
    ),
    entry("part-silent", _("%(part)s does not answer."), _("Send the same again in a moment."), part="text"),
    entry("directory-silent", _("The directory of people does not answer."), _("Send the same again in a moment.")),
    entry(
        "waiting-needs-badge", _("A wait for a position is answered by the web process."), _("Ask there, with a badge.")
    ),
    entry("pass-invalid", _("This pass is not of this house, or too old."), _("Load the page again.")),
    entry(
        "rate-limit",
        _("At most %(rate)s requests a second are accepted %(whose)s."),
        _("Try again in a moment."),
        rate="id",
        whose="text",
    ),
    entry("waits-full", _("%(count)s requests are waiting already."), _("Try again in a moment."), count="count"),
    entry("alerts-limit", _("A page has 1 to %(most)s alerts."), _("Correct the limit."), most="count"),
    entry("read-models-silent", _("The read models do not answer."), _("Send the same action again in a moment.")),
    entry(
        "proofs-not-read",
        _("The proofs of this alert are not all read yet."),
        _("Send the same action again in a moment."),
    ),
    entry("one-of-these", _("This value is not known."), _("Use one of: %(known)s."), known="list"),
    entry("alert-not-found", _("There is no alert %(alert)s."), _("Check the id."), alert="text"),
    entry(
        "alert-page-unknown",
        _("There is no page of alerts after %(after)s."),
        _("Begin with the first page."),
        after="text",
    ),
    entry("step-unknown", _("There is no step %(step)s."), _("Use the number of a step."), step="text"),
    entry(
        "round-not-found",
        _("There was no round %(round)s at the table %(table)s on the gaming day %(day)s."),
        _("Check table, day and round."),
        round="count",
        table="text",
        day="text",
    ),
    entry(
        "step-not-in-round",
        _("The round has no step %(step)s: it has %(steps)s."),
        _("Use one of these."),
        step="count",
        steps="count",
    ),
    entry("order-newest-or-oldest", _("The order is newest or oldest."), _("Use one of the two.")),
    entry("events-limit", _("A page has 1 to %(most)s events."), _("Correct the limit."), most="count"),
    entry("search-too-long", _("A search has at most %(most)s characters."), _("Make it shorter."), most="count"),
    entry(
        "timeline-unknown",
        _("There is no timeline of %(name)s."),
        _("Use one of: %(known)s."),
        name="text",
        known="list",
    ),
    entry(
        "timeline-empty", _("No event is about the %(what)s %(name)s."), _("Check the name."), what="word", name="text"
    ),
    entry("position-unknown", _("There is no position %(position)s."), _("Enter a number."), position="text"),
    entry("sum-needs-meter", _("%(name)s is counted at one meter."), _("Add meter=PROGRESSIVE/LEVEL."), name="text"),
    entry("stream-unknown", _("There is no stream %(stream)s here."), _("Check the name."), stream="text"),
    entry("not-a-whole-number", _("%(text)s is not a whole number."), _("Correct the number."), text="text"),
    entry("sum-unknown", _("There is no sum %(name)s."), _("Use one of: %(known)s."), name="text", known="list"),
    entry("round-text-unknown", _("There is no round %(round)s."), _("Use the number of a round."), round="text"),
    entry("gaming-day-unknown", _("There is no gaming day %(day)s."), _("Write it as 2026-11-20."), day="text"),
    entry(
        "slip-not-found",
        _("The cage has issued no %(paper)s %(number)s in %(year)s."),
        _("Check the number of the slip."),
        paper="text",
        number="count",
        year="text",
    ),
    entry(
        "day-report-not-closed",
        _("%(day)s is not closed yet."),
        _("Its report can be downloaded when it is."),
        day="day",
    ),
    entry(
        "day-report-sealed",
        _("A box of %(day)s is not counted yet."),
        _("The report can be downloaded when it is counted."),
        day="day",
    ),
    entry(
        "discrepancy-not-found",
        _("No discrepancy of %(day)s was found by event %(position)s."),
        _("Check the position."),
        day="day",
        position="count",
    ),
    entry(
        "grouping-unknown", _("There is no grouping by %(by)s."), _("Use one of: %(known)s."), by="text", known="list"
    ),
    entry(
        "no-table-opened-on-day",
        _("No table was opened on the gaming day %(day)s."),
        _("Check the gaming day."),
        day="text",
    ),
    entry("report-unknown", _("There is no report %(name)s."), _("Check its name."), name="text"),
    entry(
        "report-waits-for-boxes",
        _("Boxes of %(day)s are not counted yet."),
        _("This report is available when they are."),
        day="day",
    ),
    entry(
        "no-round-armed-on-day",
        _("No round of %(progressive)s was armed on %(day)s."),
        _("Choose another day."),
        progressive="id",
        day="day",
    ),
    entry("place-unknown", _("There is nothing at %(place)s."), _("Check the address."), place="text"),
    entry(
        "hit-not-of-progressive",
        _("The progressive %(progressive)s has no hit %(hit)s."),
        _("Check the id."),
        hit="text",
        progressive="text",
    ),
    entry(
        "document-kind-unknown",
        _("Documents of the kind %(kind)s cannot be made again."),
        _("Choose another document."),
        kind="text",
    ),
    entry(
        "export-not-written",
        _("The file cannot be written: %(why)s."),
        _("Free space in PITLEDGER_DATA, then export again."),
        why="text",
    ),
    entry("export-expired", _("The file has expired."), _("Ask for it again.")),
    entry(
        "read-models-missing",
        _("The tables of the read models are missing (%(why)s)."),
        _("Run `./manage.py migrate`."),
        why="text",
    ),
    entry("journal-being-posted", _("The journal is being posted again."), _("Try again in a moment.")),
    entry(
        "journal-of-another-version",
        _("The rows of the journal are of another version or another history."),
        _("They are being posted again. Look again in a moment."),
    ),
    entry("journal-posted-elsewhere", _("Another process posts the journal."), _("Try again in a moment.")),
    entry(
        "projection-unknown",
        _("There is no projection %(name)s."),
        _("Use one of: %(known)s."),
        name="text",
        known="list",
    ),
    entry("body-malformed", _("The body is not understood: %(why)s."), _("Correct the request body."), why="text"),
    entry("body-too-large", _("A body has at most %(most)s bytes."), _("Send fewer actions at a time."), most="count"),
    entry("badge-unknown", _("This badge is unknown or was revoked."), _("Ask for a new badge.")),
    entry("badge-needed", _("A valid badge is needed."), _("Send it as Authorization: Bearer BADGE.")),
    entry("device-key-unknown", _("The key of this device is unknown or was revoked."), _("Pair the device again.")),
    entry("sign-in-needed", _("You are not signed in."), _("Sign in again.")),
    entry(
        "address-unknown",
        _("There is nothing at %(path)s."),
        _("/api/v1/openapi.json lists all addresses."),
        path="text",
    ),
    entry("encryption-needed", _("This house is reached with encryption only."), _("Use %(origin)s."), origin="id"),
    entry(
        "page-role-needed", _("This page is for: %(roles)s."), _("Ask a person in one of these roles."), roles="list"
    ),
    entry(
        "login-let-in-by-one",
        _("One person alone let you in, and such a login approves nothing."),
        _("Ask an administrator for a link to which surveillance agrees."),
    ),
    entry(
        "web-process-silent", _("The web process does not answer."), _("Press the button again: nothing is done twice.")
    ),
)

REQUESTS: tuple[Entry, ...] = (
    entry(
        "request-header-twice",
        _("The header %(header)s appears more than once."),
        _("Send it once."),
        header="text",
    ),
    entry(
        "request-two-lengths",
        _("The headers content-length and transfer-encoding exclude each other."),
        _("Send one of them."),
    ),
    entry("request-address-slash", _("The address does not begin with a slash."), _("Correct the address.")),
    entry(
        "request-address-characters",
        _("The address has control characters, backslashes, dot segments, or bytes that are not UTF-8."),
        _("Correct the address."),
    ),
    entry("request-parameter-twice", _("A parameter appears more than once."), _("Send it once.")),
    entry("request-two-hosts", _("The address and the header host name two hosts."), _("Name one host.")),
    entry("request-length-format", _("The header content-length is not a whole number."), _("Correct the number.")),
    entry(
        "request-transfer-encoding",
        _("The header transfer-encoding is not chunked."),
        _("Use chunked, or leave the header out."),
    ),
    entry(
        "request-connection",
        _("The header connection has the option %(option)s."),
        _("Use close or keep-alive."),
        option="text",
    ),
    entry("request-charset", _("The text is not UTF-8."), _("Leave the charset out of content-type, or use utf-8.")),
    entry(
        "request-two-proxies",
        _("The headers forwarded and x-forwarded-for differ."),
        _("Let the proxy set one of them and remove the other."),
    ),
    entry(
        "request-forwarded-format",
        _("The header forwarded cannot be read."),
        _("Write it as for=192.0.2.7;proto=https."),
    ),
    entry(
        "request-other-address",
        _("The house is not at this address."),
        _("Open %(address)s."),
        address="text",
    ),
    entry("request-other-host", _("This house does not have this name."), _("Correct the address.")),
    entry(
        "request-https-only",
        _("The house answers encrypted requests only."),
        _("Open %(address)s."),
        address="text",
    ),
)

CALCULATIONS: tuple[Entry, ...] = (
    entry(
        "calculation-stopped",
        _("The calculation stopped too often at the same step."),
        _("Check the log of the web process."),
    ),
    entry("calculation-failed", _("The calculation failed."), _("Check the log of the web process.")),
    entry(
        "calculation-not-finished",
        _("The calculation is not finished (%(percent)s %%)."),
        _("Try again in a minute."),
        percent="count",
    ),
    entry(
        "file-not-ready",
        _("The file is being prepared: %(percent)s %%."),
        _("Try again in a moment."),
        percent="count",
    ),
    entry("export-began-again", _("The export has begun again."), _("Try again in a moment.")),
    entry(
        "address-read-only",
        _("This address accepts GET only."),
        _("Send actions to an address that ends in /actions."),
    ),
    entry(
        "metrics-closed",
        _("This client may not read the metrics."),
        _("Name its network in PITLEDGER_OBSERVERS, or send the token of PITLEDGER_OBSERVER_TOKEN."),
    ),
)

ENTRIES = (*INTERFACE, *REQUESTS, *CALCULATIONS)
