"""Roulette: wheels, spins, bets, colour chips and prison."""

from events.error_codes.entry import Entry, _, entry

ENTRIES: tuple[Entry, ...] = (
    entry(
        "colour-value",
        _("The value of a colour chip is from %(least)s to %(most)s, in steps of the smallest chip."),
        _("Choose another value."),
        least="money",
        most="money",
    ),
    entry(
        "colour-of-another",
        _("Colour %(colour)s belongs to another player."),
        _("Choose another colour."),
        colour="count",
    ),
    entry(
        "colour-in-play",
        _("%(player)s has bets on the layout."),
        _("Change the colour after the round."),
        player="id",
    ),
    entry("colour-not-given", _("%(player)s has no colour."), _("Check the player."), player="id"),
    entry("spin-needed", _("At least one spin is needed."), _("Add a number.")),
    entry(
        "stake-closed-by-spin",
        _("The stake was closed by spin %(spin)s."),
        _("Remove the spins after it."),
        spin="count",
    ),
    entry(
        "prison-choice-needed",
        _("Zero %(zeros)s on the %(wager)s needs the player's choice."),
        _('Enter "half" or "prison".'),
        zeros="count",
        wager="word",
    ),
    entry(
        "prison-for-even-chances",
        _("Only even chances go to prison, not %(bet)s."),
        _("Leave the choice out."),
        bet="text",
    ),
    entry("minimum-not-positive", _("The minimum of a table is above zero."), _("Enter a positive amount.")),
    entry("bet-type-unknown", _("%(name)s is not a type of bet."), _("Check the name of the bet."), name="text"),
    entry("place-above-maximum", _("The maximum here is %(maximum)s."), _("Lower the stake."), maximum="money"),
    entry(
        "call-bet-without-stake",
        _("A call bet without a stake is never accepted nor paid."),
        _("Take the stake first."),
    ),
    entry("no-more-bets-handed-back", _('"No more bets" was called.'), _("Hand the stake back.")),
    entry(
        "racetrack-by-croupier", _("Only the croupier places bets on the racetrack."), _("Let the croupier place it.")
    ),
    entry(
        "stake-below-place-minimum", _("At least %(minimum)s is needed here."), _("Raise the stake."), minimum="money"
    ),
    entry(
        "role-handles-no-chips",
        _("%(role)s may not handle chips or money at this table."),
        _("Let the croupier do it."),
        role="word",
    ),
    entry("wheel-number-unknown", _("The wheel has the 37 positions 0 to 36."), _("Enter one of them.")),
    entry("maximum-not-positive", _("A maximum is a positive whole number."), _("Correct the maximum.")),
    entry(
        "choice-for-even-chances",
        _("Half or prison is a choice for even chances in French roulette."),
        _("Leave the choice out."),
    ),
    entry("no-zero-places", _("This table takes no %(wager)s with zero."), _("Choose another place."), wager="word"),
    entry("last-coup-played", _("The last coup was played."), _("Close the table.")),
    entry(
        "maxima-outside-bands", _("These maxima are outside their bands: %(bets)s."), _("Correct them."), bets="list"
    ),
    entry("ball-with-wheel", _("The ball runs with the wheel: no spin."), _("Spin the ball against the wheel.")),
    entry(
        "wheel-same-direction", _("The wheel turns in the direction of the time before."), _("Turn it the other way.")
    ),
    entry("ball-not-running", _("The ball does not run yet."), _("Spin the ball first.")),
    entry("no-more-bets-not-called", _('"No more bets" was not called.'), _("Call it before the ball lands.")),
    entry("no-spin", _("No spin: %(reasons)s."), _("Call the spin off and spin again."), reasons="list"),
    entry("limit-needs-bet", _("The kind of bet of the limit is missing."), _("Name one of: %(bets)s."), bets="list"),
    entry("limit-outside-band", _("This is outside the band of %(wager)s."), _("Correct the limit."), wager="word"),
    entry("on-zero-only", _("A bet at a wheel takes on_zero, and nothing else."), _("Leave the rest out.")),
    entry(
        "zero-gave-no-choice", _("No zero of this spin gave a choice on bet %(bet)s."), _("Check the bet."), bet="id"
    ),
    entry("no-prison-after-last-coup", _("After the last coup nothing stays en prison."), _("Cash the stake.")),
    entry(
        "prison-cashed-on-zero", _("A stake en prison is cashed only when zero falls."), _("Leave the stake as it is.")
    ),
    entry(
        "place-not-on-layout",
        _("The layout has no %(bet)s on %(numbers)s."),
        _("Check the place of the bet."),
        bet="text",
        numbers="list",
    ),
    entry(
        "bet-not-on-layout-of-game", _("The layout has no bet %(bet)s."), _("Check the name of the bet."), bet="text"
    ),
)
