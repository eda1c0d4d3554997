"""People: roles, approvals, own matters."""

from events.error_codes.entry import Entry, _, entry

ENTRIES: tuple[Entry, ...] = (
    entry(
        "own-requests-wait",
        _("%(count)s requests of %(person)s wait here."),
        _("Withdraw one first (approval.withdraw)."),
        count="count",
        person="id",
    ),
    entry("too-many-requests-wait", _("%(count)s requests wait here."), _("Decide some of them first."), count="count"),
    entry(
        "own-request", _("%(person)s sent this request."), _("Withdraw it instead (approval.withdraw)."), person="id"
    ),
    entry(
        "request-unknown",
        _("No request %(request)s waits for approval here."),
        _("Reload and try again."),
        request="text",
    ),
    entry("request-decided", _("This request was decided already."), _("Reload and try again.")),
    entry("request-lapsed", _("The request has lapsed: its time ended at %(until)s."), _("Ask again."), until="time"),
    entry(
        "request-lapsed-with-role",
        _("The request has lapsed: %(person)s lost the role that may ask for this."),
        _("Let a person in that role ask again."),
        person="id",
    ),
    entry("approved-already", _("%(person)s has approved already."), _("Another person must approve."), person="id"),
    entry("request-of-another", _("%(person)s sent this request."), _("Only this person withdraws it."), person="id"),
    entry(
        "request-changed",
        _("The request has another content than the one that was approved."),
        _("Reload and try again."),
    ),
    entry(
        "action-not-here",
        _("%(action)s is not an action of this place."),
        _("Check the address and the action."),
        action="word",
    ),
    entry(
        "role-needed",
        _("%(action)s is for: %(roles)s."),
        _("Ask a person in one of these roles."),
        action="word",
        roles="list",
    ),
    entry(
        "second-factor-needed",
        _("%(action)s needs a second factor. A badge is not enough."),
        _("Sign in on the website."),
        action="word",
    ),
    entry(
        "second-factor-too-old",
        _("%(action)s needs a second factor within %(fresh)s s; yours is %(age)s s old."),
        _("Show it again."),
        action="word",
        fresh="count",
        age="count",
    ),
    entry(
        "people-of-matter-unknown",
        _("The people of this matter are not known, so no one can decide it."),
        _("Ask an administrator to check the System page."),
    ),
    entry(
        "not-an-action-of-people", _("%(action)s is not an action about people."), _("Check the action."), action="word"
    ),
    entry("role-unknown", _("There is no role %(role)s."), _("Use one of: %(roles)s."), role="text", roles="list"),
    entry(
        "first-is-administrator",
        _("The first person of a house gets the role %(role)s."),
        _("Grant this role first."),
        role="word",
    ),
    entry(
        "role-granted-already",
        _("%(person)s is in the role %(role)s already."),
        _("Leave it so."),
        person="id",
        role="word",
    ),
    entry("own-role", _("No one grants a role to himself or herself."), _("Ask another administrator.")),
    entry(
        "role-not-granted",
        _("%(person)s is not in the role %(role)s."),
        _("Check the person and the role."),
        person="id",
        role="word",
    ),
    entry(
        "last-administrator",
        _("%(person)s is the last %(role)s."),
        _("Grant the role to another person first."),
        person="id",
        role="word",
    ),
    entry(
        "last-of-surveillance",
        _("%(person)s is the last person of %(role)s."),
        _("Grant the role to another person first."),
        person="id",
        role="word",
    ),
    entry(
        "link-needs-no-approval",
        _("%(person)s is in no role that approves, so a link needs no approval."),
        _("Make the link."),
        person="id",
    ),
    entry("own-link", _("No one asks for the own link."), _("Another administrator asks, and surveillance approves.")),
    entry("approval-needed", _("This needs approval by: %(keys)s."), _("Ask these people to approve."), keys="list"),
    entry(
        "approval-needed-of-departments",
        _("This needs approval by people of two departments: %(keys)s."),
        _("Ask these people to approve."),
        keys="list",
    ),
    entry(
        "answer-role-needed",
        _("%(action)s is approved or declined by: %(roles)s."),
        _("Ask a person in one of these roles."),
        action="word",
        roles="list",
    ),
    entry("own-matter", _("%(person)s has a part in this matter."), _("Another person must decide."), person="id"),
    entry(
        "own-matter-acted",
        _("%(person)s is the round's dealer, or armed, dealt or declared in it."),
        _("Another person must decide."),
        person="id",
    ),
    entry(
        "own-matter-prepared",
        _("%(person)s is among those who authorised it."),
        _("Another person must decide."),
        person="id",
    ),
    entry(
        "own-matter-acted-or-prepared",
        _("%(person)s acted in the round, or is among those who authorised it."),
        _("Another person must decide."),
        person="id",
    ),
    entry(
        "own-matter-handled",
        _("%(person)s is named in it, or handled its slip or its box."),
        _("Another person must decide."),
        person="id",
    ),
    entry(
        "own-matter-named",
        _("%(person)s is named in it, or in an event that proves it."),
        _("Another person must decide."),
        person="id",
    ),
    entry("own-matter-read", _("%(person)s read the sign."), _("Another person must decide."), person="id"),
)
