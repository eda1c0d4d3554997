// The screen's state and what a tap does. It knows pads, places, steps, chips and the queue; rules are the house's.
import * as house from "./house.js";
import { PAGE, useMoney, word } from "./view.js";
import { Pen } from "./pen.js";
import { Queue } from "./queue.js";
import { Storage } from "./storage.js";
import { isOneTap } from "./pads.js";
import { fieldOf, lastBet, lyingBets, multiples, playerAt, sameAgain, sessionFor, setField } from "./model.js";
import { placeRefusal } from "./cloth.js";
import { openHits } from "./progressive.js";

/**
 * The state with the members that the house leaves out where they are as usual, and a refusal for each place.
 * @param {Own.State} state @returns {Own.State}
 */
function complete({ place_refusals: groups, ...state }) {
  if (!state.layout) return state;
  const places = state.layout.places.map((place) => ({ do: "bet.place", pane: "layout", seated: false, ...place }));
  const refusals = groups?.flatMap(({ refusal, places: seatedPlaces }) => seatedPlaces.map(([place, seat]) => ({ place, seat, refusal })));
  return { ...state, layout: { ...state.layout, places, refused_places: refusals ?? state.layout.refused_places } };
}

/** @param {() => void} work */
const whenIdle = (work) => ("requestIdleCallback" in globalThis ? requestIdleCallback(work, { timeout: IDLE_MS }) : setTimeout(work));

const NOTICES_MAX = 30;
const IDLE_MS = 200;
const CLOCK_MS = 1000;
const HITS_MS = 3000;

/** The request of a reply that still needs a person: it was asked for just now, or approved without being decided. @param {Record<string, any>} reply */
function openRequest(reply) {
  const events = /** @type {House.Recorded[]} */ (reply.events ?? []);
  const facts = events.map(({ event }) => event?.data ?? {});
  const { request, content } = facts.find((data) => data.request && data.content && !data.decided) ?? {};
  return request ? { request, content } : null;
}

export class App {
  /** @param {(app: App) => void} draw */
  constructor(draw) {
    this.draw = draw;
    this.state = /** @type {Own.State | null} */ (null); // as the house sends it
    this.view = "starting";
    this.chip = /** @type {number | null} */ (null);
    this.chipOf = /** @type {Record<string, number | null>} */ ({});
    this.seat = /** @type {House.SeatView | null} */ (null);
    this.open = /** @type {Own.Open | null} */ (null); // a step whose pads are being answered
    this.sheet = /** @type {Own.Sheet | null} */ (null);
    this.notices = /** @type {Own.Notice[]} */ ([]);
    this.fresh = /** @type {Own.Notice | null} */ (null);
    this.relief = /** @type {Own.Relief | null} */ (null);
    this.error = /** @type {house.Problem | null} */ (null);
    this.update = /** @type {(() => void) | null} */ (null); // takes a new version of the page
    this.isAwake = false;
    this.isPersistent = false;
    this.isEnlarged = false;
    this.isDrawing = false;
    this.isStale = false;
    this.skew_ms = 0;
    this.fetching = /** @type {Promise<Own.State> | null} */ (null);
    this.toast = /** @type {number | undefined} */ (undefined);
    this.unsavedState = /** @type {Own.State | null} */ (null); // the latest state, before it is on the device
    this.hitsTimer = /** @type {number | undefined} */ (undefined);
    this.storage = new Storage();
    this.queue = new Queue(this.storage, {
      onChange: () => this.redraw(),
      onAnswer: (entry, answer) => this.onAnswer(entry, answer),
      onState: (state) => (state ? this.applyState(state) : this.refresh()),
      onPenLost: () => this.onPenLost(),
    });
    this.pen = new Pen(PAGE.table, (isHeld) => this.onPen(isHeld), () => this.queue.resume());
    this.counter = 0;
  }

  redraw() {
    if (this.isDrawing) return;
    this.isDrawing = true;
    queueMicrotask(() => {
      this.isDrawing = false;
      this.draw(this);
    });
  }

  /** @returns {Own.Layout} */
  get layout() {
    return this.state?.layout ?? {};
  }

  /**
   * People at the screen, the dealer first; who came without signal stands first until the badge was checked.
   * @returns {Array<House.SessionShown | Own.Relief>}
   */
  get sessions() {
    const rank = (/** @type {{role: string}} */ session) => Number(session.role !== "dealer");
    const me = [...(this.state?.me ?? [])].sort((a, b) => rank(a) - rank(b));
    const { relief } = this;
    return relief ? [relief, ...me.filter((session) => session.role !== relief.role)] : me;
  }

  /** The bets that lie on the layout, with what was tapped and not shown by the house yet. */
  get bets() {
    return lyingBets(this.layout, this.queue.waiting, this.queue);
  }

  /** The stakes that can be laid again: by player, and under "" those of all. */
  get sameStakes() {
    return sameAgain(this.layout, this.queue.waiting, this.queue);
  }

  get isInRound() {
    return !["idle", ""].includes(this.layout.phase ?? "");
  }

  /** Begin: read the device's store, take the pen, ask the house. */
  async start() {
    await this.storage.open();
    const device = await this.storage.device();
    if (!device?.id || device.table !== PAGE.table) return this.go("pairing");
    Object.assign(this.queue, { device, stuck: null }); // a new pairing ends what the house refused the former one
    this.relieve(await this.storage.relief());
    const last = await this.storage.lastState();
    if (last && !this.state) {
      this.state = complete(last);
      this.keepChoices();
      this.go("table");
    }
    this.pen.wait();
    await this.firstState();
  }

  async firstState() {
    try {
      await this.refresh();
      house.follow((update) => this.onPosition(update), () => this.onStreamLost());
    } catch (error) {
      if (error instanceof house.Problem && [401, 403, 404, 410].includes(error.status)) return this.showTurnedAway(error);
      this.queue.goOffline();
      this.go(this.state ? "table" : "unreachable");
      setTimeout(() => this.firstState(), 2000);
    }
  }

  /** @param {string} view */
  go(view) {
    this.view = view;
    this.redraw();
  }

  /** @param {house.Problem} error */
  showTurnedAway(error) {
    this.error = error;
    this.go("turned-away");
  }

  async onStreamLost() {
    try {
      await this.refresh();
    } catch (error) {
      if (error instanceof house.Offline) this.queue.goOffline();
    }
  }

  /** Count the pen again where this tab has it still; else hand its taps over. Returns whether it has it. */
  onPenLost() {
    const { isHeld } = this.pen;
    if (isHeld) this.onPen(true);
    else this.pen.handOver();
    return isHeld;
  }

  /** @param {boolean} isHeld */
  async onPen(isHeld) {
    if (isHeld) await this.queue.takePen();
    this.queue.hasPen = this.pen.isHeld;
    this.redraw();
    if (!this.queue.hasPen) await this.queue.leave().then(() => this.pen.handOver());
    else if (this.queue.device?.id) await this.queue.resume();
    this.queue.flush(); // without the pen it only asks whether the signal is there
  }

  /** @param {{position?: number}} update */
  onPosition(update) {
    if ((update.position ?? Infinity) > (this.state?.position ?? 0) && !this.queue.isExpecting) this.refresh().catch(() => {});
  }

  /** Fetch how the table stands; one request at a time, and once more if it was asked for meanwhile. */
  async refresh() {
    if (this.fetching) {
      this.isStale = true;
      return this.fetching;
    }
    const sentAt_ms = Date.now();
    this.fetching = house.state();
    try {
      const state = await this.fetching;
      this.skew_ms = state.house_time ? new Date(state.house_time).getTime() - (sentAt_ms + Date.now()) / 2 : 0;
      this.applyState(state);
    } finally {
      this.fetching = null;
    }
    if (this.isStale) {
      this.isStale = false;
      await this.refresh();
    }
  }

  /** @param {Own.State} state */
  applyState(state) {
    if (state.layout && state.position < (this.state?.position ?? 0)) return; // without people there is no layout
    this.state = complete(state);
    useMoney(state.layout?.money);
    this.queue.settle(state.position);
    this.keepChoices();
    this.view = this.sessions.length ? "table" : "badge";
    this.keepLater(state);
    this.followHits();
    this.updateWaits();
    this.redraw();
  }

  /** Keep the latest state on the device once the screen has drawn it. @param {Own.State} state */
  keepLater(state) {
    if (!state.layout) { // no one is signed in: the names of people who left do not stay on the device
      this.unsavedState = null;
      this.storage.keepState(state).catch(() => {});
      return;
    }
    const isComing = this.unsavedState !== null;
    this.unsavedState = state;
    if (isComing) return;
    whenIdle(() => {
      if (this.unsavedState) this.storage.keepState(this.unsavedState).catch(() => {});
      this.unsavedState = null;
    });
  }

  /** Chip or amount stay chosen, and the seat as long as there is one. */
  keepChoices() {
    const { chips = [], seats = [] } = this.layout;
    this.chip ??= chips[0] ?? null;
    this.seat = seats.find((seat) => seat.seat === this.seat?.seat) ?? seats.find((seat) => seat.is_taken) ?? seats[0] ?? null;
    const { open } = this;
    if (open && !this.layout.steps?.some((step) => step.do === open.step.do)) this.open = null;
  }

  /** Hits change by events of other streams, which this table's stream does not tell: ask while one waits. */
  followHits() {
    clearTimeout(this.hitsTimer);
    if (openHits(this.layout).length) this.hitsTimer = setTimeout(() => this.refresh().catch(() => {}), HITS_MS);
  }

  /** A new version of the page waits for the end of the round. */
  updateWaits() {
    if (this.update && !this.isInRound && !this.queue.pending) this.update();
  }

  /** @param {Own.Notice} notice */
  notice(notice) {
    this.notices = [{ time: new Date().toISOString(), ...notice }, ...this.notices].slice(0, NOTICES_MAX);
    this.fresh = this.notices[0];
    clearTimeout(this.toast);
    this.toast = setTimeout(() => ((this.fresh = null), this.redraw()), 12 * CLOCK_MS);
    this.redraw();
  }

  dismiss() {
    this.fresh = null;
    this.redraw();
  }

  /** @param {Own.Entry} entry @param {House.QueueAnswer} answer */
  onAnswer(entry, answer) {
    if (answer.status === 202) this.notice({ message: word(`entry_${answer.state}`), queued: true });
    const { problem } = answer;
    if (!problem) return;
    this.notice({ ...problem, message: problem.message ?? problem.detail ?? problem.title, isRefusal: true, actions: entry.actions, queued: entry.queued });
  }

  // --- what a tap does -----------------------------------------------------------------------------------------

  /**
   * Send actions through the queue, as the person who may do it. Takes no tap that cannot be written.
   * @param {Own.Action[]} actions @param {{roles?: string[], mode?: string, intent?: string}} [about]
   */
  async act(actions, { roles, mode, intent } = {}) {
    if (!this.queue.canWrite) return this.notice({ message: this.cannotWrite() });
    const session = sessionFor(this.sessions, roles);
    if (!session) return this.show("badge", { roles });
    try {
      navigator.vibrate?.(8);
      await this.queue.write(actions, { session: session.session, mode, intent });
    } catch {
      this.notice({ message: word("tap_not_stored") });
    }
  }

  cannotWrite() {
    if (this.queue.stuck) return this.queue.stuck.message;
    return word("another_tab");
  }

  betName() {
    this.counter += 1;
    return `b${Date.now().toString(36)}${this.counter.toString(36)}`;
  }

  /** @param {Own.Place} place @param {{amount?: number}} [stakes] */
  tapPlace(place, { amount } = {}) {
    const seat = place.seat ?? this.seat;
    const minor = amount ?? this.chip;
    if (!minor) return this.notice({ message: word("choose_chip") });
    const own = this.layout.place_data?.find((entry) => entry.place === place.place && entry.seat === seat?.seat)?.data;
    const fixedAmounts = this.layout.place_amounts?.[place.data.wager];
    const stake = fixedAmounts && !fixedAmounts.includes(minor) ? fixedAmounts[0] : minor;
    const unit = this.layout.place_units?.find((entry) => entry.place === place.place);
    const about = seat ? { player: playerAt(seat), [seat.field ?? "seat"]: seat.seat } : {};
    const before = place.again === "bet.restake" ? lastBet(this.bets, place, seat, about.player) : null;
    const action = before
      ? { type: "bet.restake", data: { bet: before.bet, amount_minor: before.amount_minor + minor } }
      : { type: place.do ?? "bet.place", data: { ...place.data, ...own, bet: this.betName(), amount_minor: stake, ...about } };
    const refusal = this.queue.isOffline ? null : placeRefusal(this.layout, place);
    if (!refusal && unit && stake % unit.unit_minor) {
      return this.show("refusal", { refusal: unit.refusal, actions: [action], title: place.label, place, stakes: multiples(stake, unit.unit_minor) });
    }
    if (refusal) return this.show("refusal", { refusal, actions: [action], title: place.label });
    return this.act([action]);
  }

  /** @param {Own.Place} place */
  takeBack(place) {
    const seat = place.seat ?? this.seat;
    const bet = lastBet(this.bets, place, place.seat, seat && playerAt(seat));
    if (!bet) return this.notice({ message: word("nothing_here") });
    navigator.vibrate?.([15, 30, 15]);
    return this.act([{ type: "bet.withdraw", data: { bet: bet.bet } }]);
  }

  /** @param {Own.Step} step @returns {Own.Pad[]} */
  pads(step) {
    const pads = this.layout.pads ?? [];
    return (step.asks ?? []).map((name) => (typeof name === "object" ? name : pads.find((pad) => pad.name === name) ?? { name, kind: "text", field: name, label: name }));
  }

  /** Fields that a step asks for, for programs. @param {Own.Step} step */
  asks(step) {
    return this.pads(step).map((pad) => pad.field || pad.name).join(" ");
  }

  /** @param {Own.Step} step */
  tapStep(step) {
    if (step.needs_house && this.queue.isOffline) return this.notice({ message: word(step.group === "progressive" ? "progressive_closed" : "needs_house") });
    if (step.refusal) return this.show("refusal", { refusal: step.refusal, step, title: step.label });
    return this.begin(step);
  }

  /** Send a step, or open its pads first. @param {Own.Step} step @param {string} [intent] */
  begin(step, intent) {
    const pads = this.pads(step);
    if (!pads.length) return this.finish({ step, data: { ...step.data }, intent });
    const data = structuredClone(step.data ?? {});
    for (const pad of pads) if ((pad.default ?? null) !== null && pad.field) setField(data, pad.field, pad.default);
    this.open = { step, pads, data, intent, touched: new Set() };
    this.sheet = pads.every(isOneTap) && pads.length === 1 && step.size !== "menu" ? null : { name: "form" };
    this.redraw();
  }

  /** A value of a pad: one that is the only thing asked sends the action. @param {Own.Open} open @param {Own.Pad} pad @param {any} input @param {{isTyping?: boolean}} [how] */
  answer(open, pad, input, { isTyping = false } = {}) {
    const field = pad.field ?? pad.name ?? "";
    const value = typeof input === "function" ? input(fieldOf(open.data, field)) : input;
    if (field === "") Object.assign(open.data, value);
    else setField(open.data, field, value);
    open.touched.add(pad.name ?? "");
    if (!isTyping && open.pads.length === 1) return this.finish(open);
    this.redraw();
  }

  /** @param {Pick<Own.Open, "step" | "data" | "intent">} open */
  finish({ step, data, intent }) {
    this.open = null;
    this.sheet = null;
    this.redraw();
    if (step.names && !data[step.names]) data[step.names] = this.betName();
    const actions = [{ type: step.do, data, ...(step.corrects ? { corrects: step.event } : {}) }];
    if (step.with?.length) return this.askSecondPerson(actions[0], { label: step.label, roles: step.roles });
    return this.act(actions, { roles: step.roles, intent: step.is_fact ? "fact" : intent });
  }

  /** A standing pad answers a step that was never opened. @param {Own.Step} step @param {Own.Pad} pad @param {any} value */
  answerStandingPad(step, pad, value) {
    const open = { step, pads: [pad], data: structuredClone(step.data ?? {}), touched: new Set() };
    return this.answer(open, pad, value);
  }

  sameAgain(player = "") {
    const bets = this.sameStakes[player] ?? [];
    if (!bets.length) return this.notice({ message: word("no_same_again") });
    return this.act(bets.map((data) => ({ type: "bet.place", data: { ...data, bet: this.betName() } })));
  }

  allPaid() {
    const actions = this.layout.all_paid ?? [];
    if (actions.length) return this.act(actions);
  }

  /** @param {House.DuePayment} due @param {number} [amount] */
  pay(due, amount) {
    const data = { ...(due.data ?? { bet: due.bet }), amount_minor: amount ?? due.amount_minor };
    const isOther = amount !== undefined && amount !== due.amount_minor;
    return this.act([{ type: "payment.make", data }], { intent: isOther ? "fact" : "ask" });
  }

  /** Record what happened although the house refused it. @param {{step?: Own.Step, actions?: Own.Action[]}} about */
  record(about) {
    this.dismiss();
    this.sheet = null;
    if (about.step) return this.begin(about.step, "fact");
    return this.act((about.actions ?? []).map(({ type, data }) => ({ type, data })), { intent: "fact" });
  }

  /** @param {string | null} name @param {Record<string, any>} [about] */
  show(name, about = {}) {
    this.sheet = name ? { name, ...about } : null;
    if (!name || name !== "form") this.open = name ? this.open : null;
    this.redraw();
  }

  // --- what is chosen ------------------------------------------------------------------------------------------

  /** A player is chosen with the chip that he used last. @param {House.SeatView} seat */
  chooseSeat(seat) {
    this.seat = seat;
    this.chip = this.chipOf?.[`${seat.seat} ${seat.chip_minor}`] ?? seat.chip_minor ?? this.chip;
    this.redraw();
  }

  /** @param {number | null} chip */
  chooseChip(chip) {
    this.chip = chip;
    if (this.seat) this.chipOf = { ...this.chipOf, [`${this.seat.seat} ${this.seat.chip_minor}`]: chip };
    this.sheet = null;
    this.redraw();
  }

  /** Show the cloth so large that every place is a finger's target, or all of it. */
  enlarge() {
    this.isEnlarged = !this.isEnlarged;
    this.redraw();
  }

  /** A setting of this screen: light or dark, left or right hand. It is kept on the device. @param {"theme" | "hand"} name @param {string} first @param {string} second */
  toggle(name, first, second) {
    const root = document.documentElement;
    const value = root.dataset[name] === first ? second : first;
    root.dataset[name] = value;
    localStorage.setItem(`pitledger-table-${name}`, value);
    this.redraw();
  }

  /** What this screen knows of itself, for the menu. */
  get facts() {
    const skew_s = Math.round((this.skew_ms ?? 0) / CLOCK_MS);
    return [
      [word("device"), this.queue.device?.id ?? "-"],
      [word("storage"), word(this.isPersistent ? "storage_kept" : "storage_refused")],
      [word("device_clock"), Math.abs(skew_s) > 1 ? word("clock_off", { seconds: skew_s }) : word("clock_right")],
      [word("screen_awake"), word(this.isAwake ? "yes" : "no")],
    ];
  }

  /** Seconds by which the clock of this device is behind the house's, for those who lead the table; 0 where it agrees. */
  get clockOff_s() {
    const isLed = this.sessions.some((session) => session.role !== "dealer");
    return isLed ? Math.round((this.state?.device?.clock_behind_ms ?? 0) / CLOCK_MS) : 0;
  }

  /** How many things want to be looked at. */
  get marks() {
    const { irregularities = [], waits = [], refused = [] } = this.state ?? /** @type {Partial<Own.State>} */ ({});
    return irregularities.length + waits.length + refused.length + (this.layout.requests?.length ?? 0) + (this.clockOff_s ? 1 : 0);
  }

  /** An inspector decides on an entry that waits, as an act of his own. @param {House.WaitingEntry} entry @param {"accept" | "reject"} decision @param {string} [reason] */
  async decideEntry(entry, decision, reason = "") {
    const leader = this.sessions.find((session) => session.role !== "dealer");
    if (!leader) return this.show("badge", { roles: ["inspector", "pit boss"] });
    if (decision === "reject" && !reason) return this.notice({ message: word("reason_needed") });
    const { device, seq, digest } = entry;
    try {
      const answer = await house.decideEntry({ session: leader.session, device, entry: seq, digest, decision, reason });
      if (answer.problem) this.notice({ ...answer.problem, message: answer.problem.message ?? answer.problem.detail ?? answer.problem.title });
    } catch (error) {
      this.notice({ message: error instanceof house.Offline ? word("needs_house") : house.reasonOf(error) });
    }
    await this.refresh().catch(() => {});
  }

  // --- people --------------------------------------------------------------------------------------------------

  /** @param {string} badge @param {string} role */
  async badge(badge, role) {
    try {
      const checkedRelief = this.relief?.role === role ? this.relief : null; // each role's relief has a badge of its own
      await house.begin(badge, role, checkedRelief?.session);
      if (checkedRelief) await this.storage.keepRelief(null);
      if (checkedRelief) this.relief = null;
      this.sheet = null;
      await this.refresh();
    } catch (error) {
      this.notice({ message: error instanceof house.Offline ? word("badge_needs_house") : house.reasonOf(error) });
    }
  }

  /** A relief without signal: unverified until the badge was checked, which is not kept meanwhile. @param {string} role */
  async reliefWithoutSignal(role) {
    const relief = { session: `relief-${crypto.randomUUID()}`, role };
    try {
      await this.storage.keepRelief(relief);
    } catch {
      return this.notice({ message: word("cannot_store") });
    }
    this.relieve(relief);
    this.sheet = null;
    this.redraw();
  }

  /** @param {Own.Relief | null} relief */
  relieve(relief) {
    this.relief = relief && { ...relief, person: word("unverified"), name: word("unverified") };
  }

  /** An action that needs a second person: the code for a phone. Without signal it cannot be asked for. @param {Own.Action} action @param {Record<string, any>} [about] */
  async askSecondPerson(action, { label, roles, ...stream } = {}) {
    const session = sessionFor(this.sessions, roles);
    if (!session) return this.show("badge", { roles });
    try {
      const answer = await house.askSecondPerson({ session: session.session, action, ...stream });
      this.show("second", { ...answer, what: label ?? action.type, stream });
      this.waitFor(answer.id);
    } catch (error) {
      this.notice({ message: error instanceof house.Offline ? word("needs_house") : house.reasonOf(error) });
    }
  }

  /** What a request that waits asks for, in words. @param {House.Waiting} request */
  labelOf(request) {
    return this.layout.steps?.find((step) => step.do === request.action)?.label ?? request.action;
  }

  /** Approve a request that waits at this table. @param {House.Waiting} request */
  approve(request) {
    const data = { request: request.request, content: request.content };
    return this.askSecondPerson({ type: "approval.give", data }, { label: this.labelOf(request) });
  }

  /** Authorise a hit's share as it is locked: a second person does it, at the progressive. @param {House.HitView} hit */
  authorise(hit) {
    const data = { hit: hit.hit, amount_minor: hit.share_minor };
    const stream = { kind: "progressives", name: this.layout.progressive_view?.name };
    return this.askSecondPerson({ type: "hit.authorise", data }, { label: word("authorise_share"), ...stream });
  }

  /** Ask how far a second person is, as long as the sheet is open. @param {string} id */
  async waitFor(id) {
    if (this.sheet?.id !== id) return;
    const answer = await house.secondState(id).catch(() => null);
    if (this.sheet?.id !== id) return; // closed meanwhile, or answered at this screen
    if (!answer || answer.state === "waiting") return setTimeout(() => this.waitFor(id), CLOCK_MS);
    this.onDecision(answer);
  }

  /** @param {Own.Sheet} sheet @param {{person: string, one_time_code: string}} credentials */
  async agree(sheet, credentials) {
    try {
      this.onDecision(await house.agree(sheet.id, credentials));
    } catch (error) {
      this.notice({ message: error instanceof house.Offline ? word("needs_house") : house.reasonOf(error) });
    }
  }

  /** @param {{reply?: Record<string, any> | null}} answer */
  onDecision(answer) {
    const reply = answer.reply ?? {};
    const { stream, what } = this.sheet ?? { name: "" };
    this.sheet = null;
    const request = openRequest(reply);
    if (request) this.askSecondPerson({ type: "approval.give", data: request }, { label: what, ...stream });
    if (reply.status >= 400) this.notice({ message: reply.message ?? reply.detail ?? reply.title, clause: reply.clause, source: reply.source });
    this.refresh().catch(() => {});
    this.redraw();
  }

  /** End a session, or all of this screen: it is locked then. @param {string[]} sessions */
  async leave(...sessions) {
    try {
      await house.end(...sessions);
      this.sheet = null;
      await this.refresh();
    } catch (error) {
      this.notice({ message: house.reasonOf(error) });
    }
  }

  /** Lock after a while without a tap, never in the middle of a round. @param {number} since_ms @param {number} limit_ms */
  idle(since_ms, limit_ms) {
    if (since_ms < limit_ms || this.isInRound || this.queue.pending || !this.sessions.length || this.queue.isOffline) return;
    this.leave();
  }
}
