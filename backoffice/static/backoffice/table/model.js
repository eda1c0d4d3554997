// Questions to the layout that the house sent: which bet lies at a place, what is next. No rule of any game is here.

export const PLACE_KINDS = { place: "bet.place", withdraw: "bet.withdraw" };

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** Whether a bet (of the layout, or of an action's data) lies at a place. */
export function liesAt(bet, place, seat) {
  if (seat && bet[seat.field ?? "seat"] !== seat.seat) return false;
  return Object.entries(place.data).every(([name, value]) => same(bet[name], value) || isEmpty(bet[name], value));
}

const isEmpty = (have, wanted) => have === undefined && (wanted === null || (Array.isArray(wanted) && !wanted.length));

/** The place of a bet. */
export function placeOf(layout, bet) {
  return (layout.places ?? []).find((place) => liesAt(bet, place));
}

/** Entries that the house has not shown yet, as actions of one kind. */
export function unseen(waiting, type) {
  return waiting.flatMap((entry) => entry.actions.filter((action) => action.type === type).map((action) => ({ ...action.data, entry })));
}

/** Bets that are shown before the house has shown them; without those taken back meanwhile. */
export function pendingBets(waiting) {
  const gone = new Set(unseen(waiting, PLACE_KINDS.withdraw).map((data) => data.bet));
  return unseen(waiting, PLACE_KINDS.place).filter((data) => !gone.has(data.bet));
}

/** Names of bets that are being taken back. */
export function leaving(waiting) {
  return new Set(unseen(waiting, PLACE_KINDS.withdraw).map((data) => data.bet));
}

/** The last bet of a player at a place that can be taken back, also one that is still on its way. */
export function lastBet(layout, waiting, place, seat, player) {
  const gone = leaving(waiting);
  const known = [...(layout.bets ?? []), ...pendingBets(waiting)].filter((bet) => !gone.has(bet.bet) && liesAt(bet, place, seat));
  const own = known.filter((bet) => bet.player === player);
  return (own.length ? own : known).at(-1);
}

/** Steps to be shown, with those that were tapped and not answered. */
export function stepsNow(layout, waiting) {
  const tapped = waiting.filter((entry) => !entry.isAnswered).flatMap((entry) => entry.actions);
  const isPending = (step) => step.size === "large" && tapped.some((one) => one.type === step.do);
  return (layout.steps ?? []).map((step, number) => ({ ...step, number, isPending: isPending(step) }));
}

/** The session of this screen that may do it: the first whose role is named; any where none is named. */
export function sessionFor(sessions, roles) {
  if (!roles?.length) return sessions[0];
  return sessions.find((session) => roles.includes(session.role));
}

/** The player at a seat, or the name that the house gives to somebody new there. */
export const playerAt = (seat) => seat.player;

/** An amount by chips, largest first: [[2500, 3], [100, 4]]; the rest that no chip makes. */
export function byChips(amount, chips) {
  let rest = amount;
  const piles = [...chips].sort((a, b) => b - a).map((chip) => {
    const count = Math.floor(rest / chip);
    rest -= count * chip;
    return [chip, count];
  });
  return { piles: piles.filter(([, count]) => count), rest };
}

/** Stakes that a place takes in place of one that is no multiple of its unit: the one below, and the two above. */
export const multiples = (stake, unit) => [0, 1, 2].map((more) => (Math.floor(stake / unit) + more) * unit).filter(Boolean);

/** The value of a dotted field: "chips.500". */
export const fieldOf = (data, field) => field.split(".").reduce((at, part) => at?.[part], data);

/** Set a dotted field: "chips.500". */
export function setField(data, field, value) {
  const parts = field.split(".");
  const last = parts.pop();
  const inner = parts.reduce((at, part) => (at[part] ??= {}), data);
  inner[last] = value;
  return data;
}

const WIDE = 2.3; // as wide as that, a cloth takes the whole width of the screen, and the steps stand below it

/** Whether the cloth of the places is so wide that it needs the whole width. */
export function isWide(layout) {
  const pane = (layout.panes ?? []).find((one) => hasPlaces(layout, one));
  return Boolean(pane) && pane.width > WIDE * pane.height;
}

/** Whether a picture stands beside the steps: a square one without places, beside a wide cloth. */
export const isAside = (layout, pane) => isWide(layout) && !hasPlaces(layout, pane) && pane.width < 1.3 * pane.height;

/** Whether bets are laid on a drawn cloth, which can be enlarged. */
export const hasDrawnPlaces = (layout) => (layout.panes ?? []).some((pane) => hasPlaces(layout, pane));

const hasPlaces = (layout, pane) => (layout.places ?? []).some((place) => place.pane === pane.code && (!place.seated || place.spots));
