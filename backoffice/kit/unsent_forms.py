"""Forms that were filled in and could not be sent: kept in the session, and shown again unchanged.

The reason is a second factor to be repeated, a sign-out meanwhile, or a new sign-in since the form was opened. A form
carries the signed id of its reader. It comes back to that reader alone, and strangers cannot leave a form here.
"""

from django.core import signing
from django.http import HttpRequest, QueryDict
from django.utils.http import urlencode

KEY, STEP, BACK, CORRECTS, OF = "form-key", "form-step", "form-back", "form-corrects", "form-of"
IN_SESSION = "forms"
MOST = 5
LONGEST = 20_000  # characters, as sent
AGE_S = 86_400
_SALT = "form"


def shown_to(person: str) -> str:
    """Return the signed mark of the form's reader."""
    return signing.dumps(person, salt=_SALT)


def whose(sent: QueryDict) -> str:
    """Return the reader of a form by its mark; "" for a form without a valid mark."""
    try:
        return str(signing.loads(str(sent.get(OF, "")), salt=_SALT, max_age=AGE_S))
    except signing.BadSignature:
        return ""


def keep_form(request: HttpRequest, posted: QueryDict, *, is_confirmed: bool = False) -> str:
    """Return the address that shows the form again, beginning with its effect.

    `is_confirmed`: its sender has pressed the last button, and the form was accepted as theirs. That address sends it,
    once, as soon as their second factor is fresh.
    """
    form = posted.copy()
    form[STEP] = "send" if is_confirmed else "look"
    form.pop("csrfmiddlewaretoken", None)
    key = str(form[KEY])
    earlier = dict([*request.session.get(IN_SESSION, {}).items()][-MOST + 1 :])
    request.session[IN_SESSION] = {**earlier, key: form.urlencode()}
    return f"{request.path}?{urlencode({'kept': key})}"


def unsent_form_address(request: HttpRequest) -> str:
    """Return the address that shows the unsent form again; "" where the request is no form of a person."""
    if request.method != "POST" or KEY not in request.POST or not whose(request.POST):
        return ""
    return keep_form(request, request.POST) if len(request.POST.urlencode()) <= LONGEST else ""


def forget(request: HttpRequest) -> None:
    """Drop the form that the address names: it is sent once."""
    forms = dict(request.session.get(IN_SESSION, {}))
    if forms.pop(request.GET.get("kept", ""), None) is not None:
        request.session[IN_SESSION] = forms


def kept_form(request: HttpRequest, person: str) -> QueryDict | None:
    """Return this person's kept form that the address names; None for no such form."""
    encoded = request.session.get(IN_SESSION, {}).get(request.GET.get("kept", ""))
    sent = None if encoded is None else QueryDict(encoded)
    return sent if sent is not None and whose(sent) == person else None
