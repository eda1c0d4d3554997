"""The work of people at jackpots: correct, approve and refuse, read signs, pay, open."""

from tests.jobs.person_at_a_screen import HouseInBrowser
from tests.support.houses.small_house import DAY, progressive
from tests.support.pages.sign_in import code

BLAZING = "/progressives/blazing"
MINOR = f"{BLAZING}/hits/BJ1-{DAY}-2-1"


def change_and_agree(house: HouseInBrowser) -> None:
    """The progressive manager changes a cap; accounting sees before and after in its inbox, and agrees."""
    with house.somebody("mark", BLAZING) as mark:
        mark.look()
        mark.press("Change parameters")
        mark.look()
        mark.fill(level="minor", cap_minor="3000.00")
        mark.act(says="Needs one approval")
        assert "Sent for approval" in mark.text
    with house.somebody("anna", "/inbox") as anna:
        line = anna.matter("change parameters")
        assert "no cap → 3,000.00\N{NO-BREAK SPACE}EUR" in line.inner_text()
        anna.look()
        anna.press("Approve request", line)
        anna.act(says="3,000.00 EUR")
        assert anna.page.locator("tr.matter", has_text="change parameters").count() == 0


def refuse(house: HouseInBrowser) -> None:
    """A correction is declined with a reason, which its requester can read."""
    with house.somebody("mark", f"{BLAZING}/do/meter.adjust") as mark:
        mark.fill(level="mega", amount_minor="-285.80", reason="malfunction")
        mark.act(says="285.80")
    with house.somebody("anna", "/inbox") as anna:
        anna.press("Decline request", anna.matter("correct meter"))
        anna.fill(reason="the sign was right")
        anna.act()
    with house.somebody("mark", "/inbox") as mark:
        assert "anna: the sign was right" in mark.text
        mark.look()


def withdraw(house: HouseInBrowser) -> None:
    """The requester withdraws the request."""
    with house.somebody("paul", f"{BLAZING}/do/meter.adjust") as paul:
        paul.fill(level="major", amount_minor="12.00", reason="malfunction")
        paul.act()
        paul.go("/inbox")
        paul.press("Withdraw request", paul.matter("correct meter"))
        paul.act()
        assert "withdrawn" in paul.text


def agree_again_with_a_factor(house: HouseInBrowser) -> None:
    """An old second factor is asked for again. Then the action continues automatically."""
    with house.somebody("mark", f"{BLAZING}/do/meter.adjust") as mark:
        house.night.older("mark", 10_000)
        mark.fill(level="mega", amount_minor="2.50", reason="malfunction")
        mark.press("Review")
        mark.page.locator("main button.main").click()
        mark.page.wait_for_url("**/reauthenticate/**")
        mark.look()
        secret = house.night.secret_of("mark")
        mark.fill(code=code(secret))
        mark.page.locator("main button[type=submit]").first.click()
        mark.page.locator(".banner.good").wait_for()
        assert "Sent for approval" in mark.text
        mark.go("/inbox")
        mark.press("Withdraw request", mark.matter("correct meter"))
        mark.act()


def come_back_to_a_form(house: HouseInBrowser) -> None:
    """A person is signed out after a long absence. After a new sign-in, the form still has their values."""
    with house.somebody("mark", f"{BLAZING}/do/meter.adjust") as mark:
        mark.fill(level="mega", amount_minor="4.75", reason="malfunction")
        house.night.make_idle("mark")
        mark.page.evaluate("void htmx.ajax('GET', '/inbox/count?seen=')")  # as the page does by itself
        mark.page.wait_for_url("**/sign-in?**")
        assert "You were signed out. Nothing was saved." in mark.text
        mark.look()
        house.sign_in_here(mark, "mark")
        mark.page.locator("#would").wait_for()
        assert "4.75 EUR" in mark.text


def pay_a_jackpot(house: HouseInBrowser) -> None:
    """A locked share is authorised from the inbox and paid from the hit's page."""
    with house.somebody("ines", "/inbox") as ines:
        ines.press("Authorise share", ines.matter("authorise share"))
        ines.act(says="1,200.75 EUR")
    with house.somebody("cage", MINOR) as cage:
        cage.look()
        cage.press("Pay jackpot")
        cage.fill(gaming_day=DAY)
        cage.act(says="1,200.75 EUR")
        assert "paid" in cage.text


def declare_a_missed_hit(house: HouseInBrowser) -> None:
    """An undeclared hit is red in the inbox. An inspector declares it, and surveillance approves."""
    with house.somebody("ines", "/inbox") as ines:
        ines.look()
        ines.press("Declare late hit", ines.matter("Undeclared hit: minor at BJ2"))
        ines.act(says="Needs one approval")
    with house.somebody("sven", "/inbox") as sven:
        line = sven.matter("declare late hit")
        sven.press("Approve request", line)
        sven.act()
        sven.go(f"{BLAZING}/matters")
        assert f"BJ2-{DAY}-1-1-late" in sven.page.content()
        sven.look()


def read_the_signs(house: HouseInBrowser) -> None:
    """A reading that is off opens a case; it was misread, and is read again by two."""
    with house.somebody("cora", BLAZING) as cora:
        cora.press("Read sign")
        cora.fill(level="major", read_minor="99.00")
        cora.act()
        cora.go(f"{BLAZING}/matters")
        cora.look()
        shown = cora.page.locator("section[aria-labelledby=variances] tbody tr").first.locator("data").nth(1)
        right = f"{int(shown.get_attribute('value') or 0) / 100:.2f}"
        cora.press("Record new reading")
        cora.fill(reason="a digit was misread", read_minor=right)
        cora.act()
    with house.somebody("paul", f"{BLAZING}/matters") as paul:
        paul.press("Approve request", paul.matter("close variance"))
        paul.act()
        assert "No open variances" in paul.text


def open_a_progressive(house: HouseInBrowser) -> None:
    """Open a progressive by inputs: levels, stakes and bonuses in rows, with amounts as people write them."""
    terms = progressive()
    with house.somebody("mark", "/progressives/") as mark:
        mark.look()
        mark.press("Open progressive")
        mark.look()
        mark.fill(progressive="second", ruleset="blazing7s", policy="split", basis="to")
        for number, level in enumerate(terms["levels"]):
            rates = {"feed_millionths": "4", "reserve_millionths": "1"}
            amounts = {"level": level["level"], "seed_minor": "500.00", "meter_micro": "600.00", "reserve_micro": "0"}
            mark.fill(**{f"levels__{number}__{name}": value for name, value in (amounts | rates).items()})
            mark.fill(**{f"envy_minor__{number}__name": level["level"]})
            mark.fill(**{f"envy_minor__{number}__1": "25.00", f"envy_minor__{number}__2": "50.00"})
        mark.fill(stakes_minor__0__1="5.00", stakes_minor__0__2="10.00")
        mark.fill(surveillance_over_minor="10000.00", withhold_millionths="15")
        mark.act(says="seed: 500.00 EUR")
    with house.somebody("anna", "/inbox") as anna:
        anna.press("Approve request", anna.matter("open progressive"))
        anna.act()
        anna.go("/progressives/second")
        assert "600.00" in anna.text
        anna.look()


def liability_and_what_if(house: HouseInBrowser) -> None:
    """The accountant sees the liability, and the result of another seed."""
    with house.somebody("anna", BLAZING) as anna:
        anna.press("Liability")
        anna.page.locator("#funds").wait_for()
        anna.look()
        anna.press("What if")
        anna.fill(mega__seed="20000.00", minor__feed="5")
        anna.look()
        anna.press("Calculate")
        anna.page.locator("#in-words").wait_for()
        assert "Minor: contribution rate 2.5 % → 5 %" in anna.text
        assert "The winners would have received" in anna.text
        anna.look()
