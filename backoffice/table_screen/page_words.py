"""The few words of the table screen's own, in the reader's language. All else that it shows comes from the house."""

from collections.abc import Mapping

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from backoffice.wording.code_to_word_translation import word
from events.roles import DEALING, MONEY_KEYS


def page_words() -> Mapping[str, str]:
    """Return the words by the names that the page's modules use; `{name}` is filled in there."""
    roles = {f"role_{role}": word(role, "role") for role in dict.fromkeys((*DEALING, *MONEY_KEYS))}
    return {
        **roles,
        **_table(),
        **_bar(),
        **_pairing(),
        **_device(),
        **_people(),
        **_sheets(),
        **_progressive(),
        **_messages(),
    }


def _table() -> dict[str, str]:
    return {
        "layout": _("Layout"),
        "boxes": _("Bets by box"),
        "next_steps": _("Next steps"),
        "due": _("Payments due"),
        "all_paid": _("Pay all as due"),
        "paid_otherwise": _("Record another amount"),
        "chips": _("Chips"),
        "players": _("Players"),
        "free_seat": _("free"),
        "round": _("Round {number}"),
        "no_round": _("No round yet"),
        "minimum": _("from {amount}"),
        "other_amount": _("Other"),
        "enlarge": _("Enlarge layout"),
        "same_again_all": _("Same again: {count}"),
        "same_again_seat": _("Same again, {seat}"),
        "choose_chip": _("Choose a chip first."),
        "nothing_here": _("No bet of this player lies here."),
        "no_same_again": _("No bet of the last round can be repeated now."),
        "pending": _("waiting for the house"),
    }


def _bar() -> dict[str, str]:
    return {
        "mistakes": _("Mistakes"),
        "undo": _("Undo"),
        "menu": _("Menu"),
        "badge": _("Badge"),
        "close": _("Close"),
        "total": _("Total"),
        "optional": _("optional"),
        "delete_digit": _("Delete digit"),
        "record_fact": _("Record as happened"),
        "signal_live": _("Connected"),
        "signal_pending": _("Sending {count}"),
        "signal_offline": _("Offline"),
        "offline": _("Offline since {since}. Actions waiting to be sent: {count}. The game can go on."),
        "progressive_closed": _("The progressive is closed for this round."),
        "needs_house": _("This needs the house's answer. Wait for the connection."),
    }


def _pairing() -> dict[str, str]:
    return {
        "starting": _("Opening the table."),
        "unreachable": _("The house does not answer"),
        "unreachable_help": _("The screen tries again by itself. Check the network of this device."),
        "turned_away": _("This device cannot be used here"),
        "pair_again": _("Pair this device"),
        "pair_this": _("Pair this device with table {table}"),
        "pair_help": _(
            "A pit boss opens the page of the table's devices and makes a code. Scan the QR code, or type it."
        ),
        "pairing_code": _("Pairing code"),
        "device_name": _("Name of this device"),
        "pair_device": _("Pair device"),
        "tablet": _("Tablet"),
        "compare_digits": _("Compare these four digits"),
        "compare_digits_help": _("The pit boss sees the same digits and confirms the device."),
        "pairing_open": _("This code is not used yet. Try again."),
        "pairing_refused": _("The pit boss refused this device. Ask for a new code."),
        "pairing_expired": _("This code has expired. Ask for a new one."),
        "pairing_revoked": _("This device was revoked. Ask for a new code."),
    }


def _device() -> dict[str, str]:
    return {
        "needs_https": _("This address is not secure"),
        "needs_https_help": _("Open the table screen with https. Without it the browser cannot sign actions."),
        "cannot_store_title": _("This browser cannot store actions"),
        "cannot_store": _(
            "This device cannot store actions, so it records nothing. Free some space or leave private mode."
        ),
        "tap_not_stored": _(
            "This device could not store the last tap. It is not recorded. Free some space, then tap again."
        ),
        "cannot_delete": _("This device cannot delete answered actions. It records taps as usual."),
        "another_tab": _("Another tab of this device records the game. This one only shows it."),
        "take_pen": _("Record here"),
        "try_again": _("Try again"),
        "storage": _("Storage"),
        "storage_kept": _("persistent"),
        "storage_refused": _("refused by the browser"),
        "storage_refused_help": _("The browser refused persistent storage. Install this page as an app."),
        "device": _("Device"),
        "device_clock": _("Clock"),
        "clock_right": _("agrees with the house"),
        "clock_off": _("{seconds} s behind the house"),
        "screen_awake": _("Screen stays on"),
        "yes": _("yes"),
        "no": _("no"),
    }


def _people() -> dict[str, str]:
    return {
        "who_is_at": _("Who is at table {table}?"),
        "badge_help": _("Scan your badge, or enter the code from your phone."),
        "badge_help_nfc": _("Hold your badge to this device, scan it, or enter the code from your phone."),
        "badge_or_code": _("Badge or code"),
        "badge_needs_house": _("The badge cannot be checked without the house. Try again when connected."),
        "role": _("Role"),
        "come_to_table": _("Start at table"),
        "relieve": _("Relieve"),
        "relief_offline": _("Relieve offline"),
        "unverified": _("unverified"),
        "leave_table": _("Leave table"),
        "person": _("Person"),
        "one_time_code": _("One-time code"),
        "agree": _("Approve request"),
        "second_person": _("Get approval"),
        "second_help": _("The second person enters this code on a phone, or a one-time code here."),
        "needs_second": _("needs a second person"),
    }


def _sheets() -> dict[str, str]:
    return {
        "sheet_menu": _("Table"),
        "sheet_mistakes": _("Mistakes"),
        "sheet_undo": _("Undo"),
        "sheet_badge": _("Badge"),
        "sheet_person": _("At the table"),
        "sheet_notices": _("Messages"),
        "sheet_amount": _("Stake"),
        "sheet_paid": _("Record another amount"),
        "sheet_calculator": _("Payment calculator"),
        "sheet_second": _("Second person"),
        "sheet_form": _("Details"),
        "sheet_refusal": _("Not allowed now"),
        "sheet_progressive": _("Progressive"),
    }


def _progressive() -> dict[str, str]:
    return {
        "hits": _("Hits"),
        "box": _("Box"),
        "share": _("Share"),
        "envy": _("Envy"),
        "waits_for": _("Waits for"),
        "authorise_share": _("Authorise share"),
        **{f"hit_{state}": word(state) for state in ("pending", "locked", "authorised", "paid", "void")},
        **{f"level_{level}": word(level, "level") for level in ("mega", "major", "minor")},
    }


def _messages() -> dict[str, str]:
    return {
        "this_screen": _("This screen"),
        "calculator": _("Payment calculator"),
        "light_dark": _("Light or dark"),
        "left_right": _("Left or right hand"),
        "full_screen": _("Full screen"),
        "notices": _("Messages"),
        "no_notices": _("No messages. Refused actions and requests appear here."),
        "nothing_to_undo": _("Nothing can be undone now."),
        "undo_bet_withdraw": _("Take back bet"),
        "undo_bet_correct": _("Correct bet"),
        "undo_payment_make": _("Take back payment"),
        "undo_round_void": _("Void round"),
        "waits": _("Requests waiting for approval"),
        "entries_waiting": _("Entries waiting"),
        "accept_entry": _("Accept entry"),
        "reject_entry": _("Reject entry"),
        "reason": _("Reason"),
        "reason_needed": _("Enter a reason."),
        "clock_corrected": _("The clock of this device is {seconds} s behind the house. Its times are corrected."),
        "entries_refused": _("Refused entries of the queue"),
        "entry_unverified": _("waits for the dealer's badge"),
        "entry_held": _("waits for an inspector's decision"),
        "entry_taken": _("waits for the house"),
        "irregularities": _("Irregularities"),
        "cleared_by": _("To be cleared by: {by}"),
        "answers": _("Messages of this screen"),
        "stake": _("Stake"),
        "odds": _("Odds"),
        "to": pgettext("odds", "to"),
        "use_amount": _("Use amount"),
        "paid": _("Paid"),
        "calculated": _("Calculated payment: {amount}"),
        "record_payment": _("Record payment"),
    }
