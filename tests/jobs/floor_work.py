"""The work of people at tables, with other people and with their own accounts."""

import re
from typing import Any

from tests.jobs.person_at_a_screen import HouseInBrowser, Visitor
from tests.support.houses.small_house import DAY
from tests.support.pages.browser import follow
from tests.support.pages.sign_in import PASSWORD

FR2 = f"/tables/FR2/{DAY}"


def sign_in_and_out(house: HouseInBrowser) -> None:
    """Sign in by password and app, find the session in the list, and end it."""
    with house.nobody() as olga:
        olga.go("/sign-in")
        olga.look()
        house.sign_in(olga, "olga")
        assert olga.page.title().startswith("Floor")
        olga.look()
        olga.go("/account/sessions")
        assert "Sessions" in olga.text
        olga.look()
        assert "Sessions" in olga.text
        olga.look()
        olga.go("/sign-out")
        olga.page.locator("main button[type=submit]").first.click()
        olga.page.wait_for_url("**/sign-in**")


def sign_in_by_a_passkey(house: HouseInBrowser) -> None:
    """A passkey is added, and signs in alone."""
    with house.somebody("sid", "/account/factors/webauthn/add/") as sid:
        tools = sid.page.context.new_cdp_session(sid.page)
        tools.send("WebAuthn.enable")
        options: dict[str, Any] = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True}
        options |= {"hasUserVerification": True, "isUserVerified": True, "automaticPresenceSimulation": True}
        tools.send("WebAuthn.addVirtualAuthenticator", {"options": options})
        sid.look()
        sid.fill(name="my key", passwordless=True)
        sid.page.click("#mfa_webauthn_add")
        sid.page.wait_for_url(lambda url: "add" not in url)
        sid.go("/sign-out")
        sid.page.locator("main button[type=submit]").first.click()
        sid.page.wait_for_url("**/sign-in**")
        sid.page.click("#passkey_login")
        sid.page.wait_for_url(lambda url: "sign-in" not in url)
        assert sid.page.locator(".who a").first.is_visible()


def install_a_table(house: HouseInBrowser) -> None:
    """The pit boss arranges the floor, accounting agrees."""
    name = "RA7"
    with house.somebody("paul", "/") as paul:
        paul.look()
        paul.press("Install table")
        paul.look()
        paul.fill(pit="B", table=name, game="roulette", ruleset="roulette-american")
        paul.act(says="Needs one approval")
    with house.somebody("anna", "/inbox") as anna:
        anna.press("Approve request", anna.matter("install table"))
        anna.act(says=name)
        anna.go("/")
        assert name in anna.text


def limits_and_staff(house: HouseInBrowser) -> None:
    """Between rounds the inspector posts limits in amounts, and assigns a dealer."""
    with house.somebody("ines", FR2) as ines:
        ines.look()
        ines.press("Post limits")
        ines.look()
        ines.fill(minimum_minor="10.00", maxima_minor="straight: 250.00\nred: 4000")
        ines.act(says="red: 4,000.00 EUR")
        ines.press("Assign staff")
        ines.fill(post="dealer", person="dora")
        ines.act()
        assert "dora" in ines.text


def correct_a_bet(house: HouseInBrowser) -> None:
    """Correct a bet from its event, while the bet is on the layout."""
    with house.somebody("ines", "/events?table=FR2&type=bet.placed.v1") as ines:
        ines.look()
        ines.page.locator("table.log tbody a").first.click()
        follow(ines.page.locator("tr.detail:visible").get_by_text("Correct bet"))
        ines.look()
        ines.fill(reason="a chip more lay there", amount_minor="30.00")
        ines.act()
        assert "Bet placed" in ines.text
        ines.go("/events?type=bet.corrected.v1")
        assert "a chip more" in ines.text
        assert "bet corrected" in ines.text


def void_a_round(house: HouseInBrowser) -> None:
    """Void a round: an inspector requests it, surveillance approves it, and the table's page shows it."""
    with house.somebody("ines", FR2) as ines:
        ines.press("Void round")
        ines.fill(round="3", reason="the ball was touched")
        ines.act(says="Needs one approval")
    with house.somebody("sven", "/inbox") as sven:
        sven.press("Approve request", sven.matter("void round"))
        sven.act(says="the ball was touched")
        sven.go(FR2)
        sven.look()
        assert re.search(r"void", sven.text)


def let_somebody_in(house: HouseInBrowser) -> None:
    """An administrator grants a role and gives a link to its holder, who chooses a password."""
    with house.somebody("adam", "/people") as adam:
        adam.look()
        adam.press("Grant role")
        adam.fill(person="nina", role="inspector")
        adam.act(says="Needs one approval")
    with house.somebody("sven", "/inbox") as sven:
        sven.press("Approve request", sven.matter("grant role"))
        sven.act(says="nina")
    with house.somebody("adam", "/people") as adam:
        adam.press("Create sign-in link")
        adam.look()
        adam.fill(person="nina")
        follow(adam.page.locator("main button.main"))
        link = adam.page.locator("#secret").inner_text().strip()
        assert "/enrol#" in link
        adam.look()
    with house.nobody() as nina:
        nina.page.goto(link)
        nina.look()
        nina.fill(password=PASSWORD, again=PASSWORD)
        nina.press("Set password")
        nina.page.wait_for_url("**/account/factors/")
        _look_at_factors(nina)


def _look_at_factors(visitor: Visitor) -> None:
    visitor.look()
    visitor.go("/account/factors/totp/activate/")
    visitor.look()
