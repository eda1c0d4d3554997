// Questions to the layout that the house sent: which bet lies at a place, what is next. No rule of any game is here.

export const PLACE_KINDS = { place: "bet.place", withdraw: "bet.withdraw" };

/** @param {any} a @param {any} b @returns {boolean} */
function same(a, b) {
  if (a === b || typeof a !== "object" || typeof b !== "object") return a === b;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((value, at) => same(value, b[at]));
  return JSON.stringify(a) === JSON.stringify(b);
}

/**
 * Whether a bet (of the layout, or of an action's data) lies at a place.
 * @param {Own.Bet} bet @param {Own.Place} place @param {Own.Seat | null} [seat]
 */
export function liesAt(bet, place, seat) {
  if (seat && bet[seat.field ?? "seat"] !== seat.seat) return false;
  return Object.entries(place.data).every(([name, value]) => same(bet[name], value) || isEmpty(bet[name], value));
}

/** @param {any} actual @param {any} expected */
const isEmpty = (actual, expected) => actual === undefined && (expected === null || (Array.isArray(expected) && !expected.length));

/** The place of a bet. @param {Own.Layout} layout @param {Own.Bet} bet @returns {House.Place | undefined} */
export function placeOf(layout, bet) {
  return (layout.places ?? []).find((place) => liesAt(bet, place));
}

const CHANGES = ["bet.restake", "bet.instruct", "bet.correct"]; // actions that give a bet other data
const OPENS = "round.open";
const STAKE = ["wager", "amount_minor", "player", "seat", "box", "numbers", "which", "on_zero", "after_win", "number"];

/** Whether a bet has these data; null: a value that it has not. @param {Own.Bet} bet @param {Record<string, any>} data */
const hasData = (bet, data) => Object.entries(data).every(([name, value]) => same(bet[name] ?? null, value ?? null));

/**
 * The bets that an action leaves on the layout, as the house has declared it for a time without signal.
 * @param {Own.Layout} layout @param {Own.Bet[]} bets @param {Own.Action} action @param {boolean} isFirst @returns {Own.Bet[]}
 */
function afterAction(layout, bets, { type, data }, isFirst) {
  const rules = (layout.offline_bets ?? []).filter((rule) => rule.do === type && (rule.is_first ?? isFirst) === isFirst
    && (!rule.values?.length || rule.values.some((value) => same(value, data[rule.field ?? ""]))));
  const applies = (/** @type {House.BetsOff} */ rule, /** @type {Own.Bet} */ bet) => rule.bets.some((pattern) => hasData(bet, pattern)) && !(rule.unless && hasData(bet, rule.unless));
  const remaining = bets.filter((bet) => !rules.some((rule) => !rule.becomes && applies(rule, bet)));
  return remaining.map((bet) => {
    const move = rules.find((rule) => rule.becomes && applies(rule, bet));
    return move ? { ...bet, ...move.becomes, spot: move.spot } : bet;
  });
}

/** A bet with the data of an action that changes it, as far as it names them. @param {Own.Bet} bet @param {Record<string, any>} data */
const withChanges = (bet, data) => ({ ...bet, ...Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null && value !== undefined)) });

/**
 * The bets that lie on the layout: those that the house has shown, with what was tapped since. Without signal a result
 * takes bets off, as far as the house has declared it.
 * @param {Own.Layout} layout @param {Own.Entry[]} waiting @param {{isOffline: boolean}} queue @returns {Own.Bet[]}
 */
export function lyingBets(layout, waiting, { isOffline }) {
  let bets = /** @type {Own.Bet[]} */ ((layout.bets ?? []).map((bet) => ({ ...bet })));
  let recordedTypes = (layout.offline_round?.recorded ?? []).map((action) => action.do);
  for (const [action, isPending] of waiting.flatMap((entry) => entry.actions.map((action) => /** @type {const} */ ([action, !entry.isAccepted])))) {
    const { type, data } = action;
    if (type === OPENS) recordedTypes = [];
    if (isOffline) bets = afterAction(layout, bets, action, !recordedTypes.includes(type));
    recordedTypes.push(type);
    if (type === PLACE_KINDS.place && !bets.some((bet) => bet.bet === data.bet)) bets.push(/** @type {Own.Bet} */ ({ ...data, isPending, isNew: true }));
    else if (type === PLACE_KINDS.withdraw) bets = bets.filter((bet) => !(bet.isNew && bet.bet === data.bet)).map((bet) => (bet.bet === data.bet ? { ...bet, isPending: true, isLeaving: true } : bet));
    else if (CHANGES.includes(type)) bets = bets.map((bet) => (bet.bet === data.bet ? { ...withChanges(bet, data), isPending } : bet));
  }
  return bets;
}

/**
 * Stakes to be laid again, by player and under "" those of all: without signal, those of a round that ended without it.
 * @param {Own.Layout} layout @param {Own.Entry[]} waiting @param {{isOffline: boolean}} queue @returns {Record<string, Record<string, any>[]>}
 */
export function sameAgain(layout, waiting, { isOffline }) {
  const opening = waiting.findLastIndex((entry) => entry.actions.some((action) => action.type === OPENS));
  if (!isOffline || opening < 0) return layout.same_again ?? {};
  const before = waiting.slice(0, opening);
  const openingBefore = before.findLastIndex((entry) => entry.actions.some((action) => action.type === OPENS));
  const own = openingBefore < 0 && layout.phase !== "settled" ? (layout.bets ?? []).filter((bet) => bet.placed_in === layout.round) : [];
  const stakes = lyingBets({ bets: own }, before.slice(Math.max(openingBefore, 0)), { isOffline: false })
    .filter((bet) => !bet.isLeaving && !bet.base)
    .map((bet) => Object.fromEntries(STAKE.filter((name) => bet[name] !== undefined && bet[name] !== null).map((name) => [name, bet[name]])));
  const ofPlayer = (/** @type {string} */ player) => stakes.filter((stake) => stake.player === player);
  return stakes.length ? { "": stakes, ...Object.fromEntries(stakes.map(({ player }) => [player, ofPlayer(player)])) } : {};
}

/** Names of bets that are being taken back. @param {Own.Entry[]} waiting @returns {Set<string>} */
export function withdrawnBets(waiting) {
  return new Set(waiting.flatMap((entry) => entry.actions).filter((action) => action.type === PLACE_KINDS.withdraw).map((action) => action.data.bet));
}

/**
 * The last bet of a player at a place that can be taken back, also one that is still on its way.
 * @param {Own.Bet[]} bets @param {Own.Place} place @param {Own.Seat | null} [seat] @param {string | null} [player]
 */
export function lastBet(bets, place, seat, player) {
  const candidates = bets.filter((bet) => !bet.isLeaving && liesAt(bet, place, seat));
  const own = candidates.filter((bet) => bet.player === player);
  return (own.length ? own : candidates).at(-1);
}

/** Steps to be shown, with those that were tapped and not answered. @param {Own.Layout} layout @param {Own.Entry[]} waiting @returns {Own.Step[]} */
export function stepsNow(layout, waiting) {
  const tapped = waiting.filter((entry) => !entry.isAnswered).flatMap((entry) => entry.actions);
  const isPending = (/** @type {House.StepView} */ step) => step.size === "large" && tapped.some((entry) => entry.type === step.do);
  return (layout.steps ?? []).map((step, number) => ({ ...step, number, isPending: isPending(step) }));
}

/**
 * The session of this screen that may do it: the first whose role is named; any where none is named.
 * @template {{role: string}} T @param {T[]} sessions @param {string[]} [roles] @returns {T | undefined}
 */
export function sessionFor(sessions, roles) {
  if (!roles?.length) return sessions[0];
  return sessions.find((session) => roles.includes(session.role));
}

/** The player at a seat, or the name that the house gives to somebody new there. @param {Own.Seat} seat */
export const playerAt = (seat) => seat.player;

/** An amount by chips, largest first: [[2500, 3], [100, 4]]; the rest that no chip makes. @param {number} amount @param {number[]} chips */
export function byChips(amount, chips) {
  let rest = amount;
  const piles = [...chips].sort((a, b) => b - a).map((chip) => {
    const count = Math.floor(rest / chip);
    rest -= count * chip;
    return [chip, count];
  });
  return { piles: piles.filter(([, count]) => count), rest };
}

/** Stakes that a place takes in place of one that is no multiple of its unit: the one below, and the two above. @param {number} stake @param {number} unit */
export const multiples = (stake, unit) => [0, 1, 2].map((count) => (Math.floor(stake / unit) + count) * unit).filter(Boolean);

/** The value of a dotted field: "chips.500". @param {Record<string, any>} data @param {string} field @returns {any} */
export const fieldOf = (data, field) => field.split(".").reduce((at, part) => at?.[part], data);

/** Set a dotted field: "chips.500". @param {Record<string, any>} data @param {string} field @param {any} value */
export function setField(data, field, value) {
  const parts = field.split(".");
  const last = /** @type {string} */ (parts.pop());
  const inner = parts.reduce((at, part) => (at[part] ??= {}), data);
  inner[last] = value;
  return data;
}

const WIDE = 2.3; // as wide as that, a cloth takes the whole width of the screen, and the steps stand below it

/** Whether the cloth of the places is so wide that it needs the whole width. @param {Own.Layout} layout */
export function isWide(layout) {
  const pane = (layout.panes ?? []).find((candidate) => hasPlaces(layout, candidate));
  return pane !== undefined && pane.width > WIDE * pane.height;
}

/** Whether a picture stands beside the steps: a square one without places, beside a wide cloth. @param {Own.Layout} layout @param {House.Pane} pane */
export const isAside = (layout, pane) => isWide(layout) && !hasPlaces(layout, pane) && pane.width < 1.3 * pane.height;

/** Whether bets are laid on a drawn cloth, which can be enlarged. @param {Own.Layout} layout */
export const hasDrawnPlaces = (layout) => (layout.panes ?? []).some((pane) => hasPlaces(layout, pane));

/** @param {Own.Layout} layout @param {House.Pane} pane */
const hasPlaces = (layout, pane) => (layout.places ?? []).some((place) => place.pane === pane.code && (!place.seated || place.spots));
