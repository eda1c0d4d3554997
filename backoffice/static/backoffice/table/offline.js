// A round without signal: the house judges no step, and has declared which steps follow each other. No rule is here.
import { withdrawnBets } from "./model.js";

const OPENS = "round.open";
const ARMS = "progressive.arm";
const OWN_NUMBERS = 1000; // of steps that only stand here, behind those of the layout

/** @param {any} a @param {any} b */
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
/** @param {Own.Step} step @param {Own.Step} other */
const isStep = (step, other) => step.do === other.do && same(step.data ?? {}, other.data ?? {});
/** @param {Record<string, any> | undefined} data @param {Own.Action} action */
const matchesData = (data, action) => Object.entries(data ?? {}).every(([name, value]) => same(value, action.data[name]));

/** The entries since a round was opened on this device without an answer; null where none was. @param {Own.Entry[]} waiting */
export function sinceOpening(waiting) {
  const opening = waiting.findLastIndex((entry) => entry.actions.some((action) => action.type === OPENS));
  return opening < 0 ? null : waiting.slice(opening);
}

/**
 * Actions of this round: tapped ones, and those that the house has recorded unless a round was opened since.
 * @param {Own.Layout} layout @param {Own.Entry[]} waiting @returns {Own.Action[]}
 */
function actionsOfRound(layout, waiting) {
  const since = sinceOpening(waiting);
  const withdrawn = withdrawnBets(waiting);
  const recorded = since ? [] : (layout.offline_round?.recorded ?? []).map(({ do: type, data }) => ({ type, data }));
  const tappedActions = (since ?? waiting).flatMap((entry) => entry.actions);
  return [...recorded, ...tappedActions].filter((action) => !withdrawn.has(action.data.bet));
}

/** Whether no bet of a progressive counts in this round: it was not armed, and cannot be without the house. @param {Own.Layout} layout @param {Own.Entry[]} waiting */
export function isProgressiveClosed(layout, waiting) {
  const queued = new Set(waiting.filter((entry) => entry.queued).flatMap((entry) => entry.actions));
  return Boolean(layout.progressive_view) && !actionsOfRound(layout, waiting).some((action) => action.type === ARMS && !queued.has(action));
}

/** The panes without what a result or a round that was tapped without signal has overtaken. @param {Own.Layout} layout @param {Own.Entry[]} waiting @returns {House.Pane[]} */
export function withoutStale({ panes = [], offline_bets: rules = [] }, waiting) {
  const results = new Set(rules.map((rule) => rule.do));
  if (!waiting.some((entry) => entry.actions.some((action) => results.has(action.type)))) return panes;
  const isOver = sinceOpening(waiting) !== null;
  return panes.map((pane) => ({ ...pane, cards: [], dice: [], discs: [], marks: [], chips: isOver ? pane.chips?.filter((chip) => !chip.is_due) : pane.chips }));
}

/** Steps of the round in order, those of each seat or box with its number. @param {Own.Layout} layout @returns {Own.Step[]} */
function stepsOfRound({ offline_round: offline, seats = [] }) {
  /** @param {Own.Step} step @param {number} block @returns {Own.Step} */
  const own = (step, block) => ({ group: "play", refusal: null, ...step, block });
  return (offline?.blocks ?? []).flatMap(({ each, steps }, block) => !each ? steps.map((step) => own(step, block))
    : seats.flatMap(({ seat }) => steps.map((step) => own({ ...step, label: step.label.replace("{0}", String(seat)), data: { ...step.data, [each]: seat },
        after: step.after && { ...step.after, data: { ...step.after.data, [each]: seat } } }, block))));
}

/** Whether the action that a step follows was done often enough. @param {Own.Step} step @param {Own.Action[]} actions */
const isOffered = ({ after }, actions) => !after || actions.filter((action) => action.type === after.do && matchesData(after.data, action)).length >= (after.times ?? 1);

/** Where play stands after an action: at its next step from here on, else at the last one before; after the last step of all, at the first. Unchanged where it is no step. @param {Own.Step[]} play @param {number} at @param {Own.Action} action */
function positionAfter(play, at, action) {
  const weight = (/** @type {Own.Step} */ step) => (step.do === action.type && matchesData(step.data, action) ? Object.keys(step.data ?? {}).length : -1);
  const best = Math.max(-1, ...play.map(weight));
  if (best < 0) return at;
  const isBest = (/** @type {Own.Step} */ step) => weight(step) === best;
  const following = play.findIndex((step, number) => number > at && isBest(step));
  if (following >= 0) return following;
  return at === play.length - 1 ? play.findIndex(isBest) : play.findLastIndex(isBest);
}

/** The number of the step that was next when the signal was lost. @param {Own.Step[]} play @param {Own.Step[]} steps @param {House.OfflineRoundView | null | undefined} offline */
function startOf(play, steps, offline) {
  const large = steps.find((step) => step.size === "large");
  if (!offline) return large ? play.findIndex((step) => (step.number ?? 0) >= (large.number ?? 0)) : 0;
  const following = play.findIndex((step) => large && isStep(step, large) && (step.block ?? Infinity) >= offline.block);
  return following >= 0 ? following : play.findIndex((step) => (step.block ?? 0) >= offline.block);
}

/**
 * All steps in the order of the house, none of them refused. The one that follows the last tapped is large, and with it
 * those that the house has shown large, until one of them is tapped.
 * @param {Own.Layout} layout @param {Own.Entry[]} waiting @returns {Own.Step[]}
 */
export function offlineSteps(layout, waiting) {
  const steps = (layout.steps ?? []).map((step, number) => ({ ...step, number, refusal: null }));
  const all = actionsOfRound(layout, waiting);
  const round = stepsOfRound(layout).map((step, number) => ({ ...step, number: OWN_NUMBERS + number }));
  const others = steps.filter((step) => step.group === "play" && !round.some((own) => isStep(own, step)));
  const play = [...others, ...round.filter((step) => isOffered(step, all))];
  const start = Math.max(0, startOf(play, steps, layout.offline_round));
  const at = waiting.flatMap((entry) => entry.actions).reduce((place, action) => positionAfter(play, place, action), start - 1);
  const turns = [...play.slice(at + 1), ...play.slice(0, at + 1)];
  const next = turns.find((step) => step.may_be_next !== false);
  const isFirst = (/** @type {Own.Step} */ step, /** @type {number} */ place) => step === next || !(next && isStep(next, step)) && play.findIndex((candidate) => isStep(candidate, step)) === place;
  const large = steps.filter((step) => step.size === "large");
  const isKept = at === start - 1 && large.some((step) => next && isStep(step, next));
  const isLarge = (/** @type {Own.Step} */ step) => step === next || isKept && large.some((candidate) => isStep(candidate, step));
  const withSize = (/** @type {Own.Step} */ step) => ({ ...step, number: steps.find((candidate) => isStep(candidate, step))?.number ?? step.number,
    size: isLarge(step) ? /** @type {const} */ ("large") : step.size === "menu" ? step.size : /** @type {const} */ ("small") });
  return [...play.filter(isFirst), ...steps.filter((step) => step.group !== "play")].map(withSize).sort((a, b) => (a.number ?? 0) - (b.number ?? 0));
}
