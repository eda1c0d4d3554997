// The table: bar, cloth, next steps, what is due, chips and pads. Where each stands is the style sheet's business.
import { Component, clock, colourOf, html, money, word } from "./view.js";
import { Pane } from "./cloth.js";
import { Pad, isOneTap } from "./pads.js";
import { hasDrawnPlaces, isAside, isWide, liesAt, playerAt, stepsNow } from "./model.js";
import { isProgressiveClosed, offlineSteps, withoutStale } from "./offline.js";
import { OpenHits } from "./progressive.js";
import { Sheet } from "./sheets.js";

const CHOICES_MAX = 4; // options of a next step that stand there as buttons of their own

/** @param {{app: Own.App}} props */
export function Table({ app }) {
  const { layout, queue } = app;
  const steps = queue.isOffline ? offlineSteps(layout, queue.waiting) : stepsNow(layout, queue.waiting);
  const { bets } = app;
  const panes = queue.isOffline ? withoutStale(layout, queue.waiting) : layout.panes ?? [];
  const draw = (/** @type {House.Pane} */ pane) => html`<${Pane} key=${pane.code} pane=${pane} layout=${layout} bets=${bets} isOffline=${queue.isOffline} isEnlarged=${app.isEnlarged}
    onTap=${(/** @type {Own.Place} */ place) => app.tapPlace(place)} onTakeBack=${(/** @type {Own.Place} */ place) => app.takeBack(place)} />`;
  return html`<div class="screen ${queue.isOffline ? "is-offline" : ""} ${isWide(layout) ? "wide" : ""}" data-table=${layout.table} data-phase=${layout.phase} data-round=${layout.round}>
    <${Bar} app=${app} />
    ${blocked(app) ?? (queue.isOffline ? html`<${OfflineBar} app=${app} />` : queue.keepsAnswered && html`<p class="offline" role="status">${word("cannot_delete")}</p>`)}
    <main class="felt" aria-label=${word("layout")}>
      <h1 class="away">${layout.table}</h1>
      <div class="panes">${panes.filter((pane) => !isAside(layout, pane)).map(draw)}</div>
      <${Boxes} app=${app} bets=${bets} />
    </main>
    <aside class="side" aria-label=${word("next_steps")}>
      ${panes.filter((pane) => isAside(layout, pane)).map(draw)}
      <${Due} app=${app} />
      <${OpenHits} app=${app} />
      <${Steps} app=${app} steps=${steps} />
    </aside>
    <${StandingPad} app=${app} steps=${steps} />
    <footer class="dock"><${Chips} app=${app} /></footer>
    ${app.fresh && html`<${Toast} app=${app} notice=${app.fresh} />`}
    ${app.sheet && html`<${Sheet} app=${app} sheet=${app.sheet} />`}
  </div>`;
}

/** @param {{app: Own.App}} props */
function Bar({ app }) {
  const { layout, queue, sessions } = app;
  const state = queue.isOffline ? "offline" : queue.unanswered ? "pending" : "live";
  return html`<header class="bar" data-pending=${queue.pending} data-unanswered=${queue.unanswered} data-queued=${queue.queued} data-stored=${queue.device?.seq} data-state=${state}>
    <strong class="name">${layout.table}</strong>
    <span class="where">${layout.round ? word("round", { number: layout.round }) : word("no_round")}</span>
    <span class="limits num">${layout.minimum_minor ? word("minimum", { amount: money(layout.minimum_minor) }) : ""}</span>
    <span class="people">${sessions.map((session) => html`<button type="button" class="person" key=${session.session} data-do="leave" data-role=${session.role} onClick=${() => app.show("person", { session: session })}>
      <span class="role">${word(`role_${session.role}`)}</span> ${session.name || session.person}</button>`)}
      <button type="button" class="person" data-do="badge" onClick=${() => app.show("badge")}>+ ${word("badge")}</button></span>
    <span class="signal" role="status"><i aria-hidden="true"></i>${word(`signal_${state}`, { count: queue.unanswered })}</span>
    ${app.marks > 0 && html`<button type="button" class="tool" data-do="notices" onClick=${() => app.show("notices")}>⚑ ${app.marks}</button>`}
    <button type="button" class="tool" data-do="undo" onClick=${() => app.show("undo")} aria-label=${word("undo")}>↶ <span class="label">${word("undo")}</span></button>
    <button type="button" class="tool" data-do="menu" onClick=${() => app.show("menu")} aria-label=${word("menu")}>☰ <span class="label">${word("menu")}</span></button>
  </header>`;
}

/** @param {{app: Own.App}} props */
function OfflineBar({ app }) {
  const { queue } = app;
  return html`<p class="offline" role="status">${word("offline", { since: clock(queue.offlineSince), count: queue.queued })}
    ${isProgressiveClosed(app.layout, queue.waiting) && html`<b data-closed="progressive">${word("progressive_closed")}</b>`}</p>`;
}

/** Why no tap is taken now, or why the last one was not, where that is so. @param {Own.App} app */
function blocked(app) {
  const { queue } = app;
  if (queue.stuck?.code === "pen-elsewhere") return html`<p class="offline" role="alert">${queue.stuck.message} <button type="button" class="tool" data-do="take-pen" onClick=${() => queue.retry({ takesPen: true })}>${word("take_pen")}</button></p>`;
  if (queue.stuck) return html`<p class="offline" role="alert">${queue.stuck.message} <button type="button" class="tool" data-do="again" onClick=${() => queue.retry()}>${word("try_again")}</button></p>`;
  if (!queue.hasPen) return html`<p class="offline" role="status">${word("another_tab")} <button type="button" class="tool" data-do="take-pen" onClick=${() => app.pen.take()}>${word("take_pen")}</button></p>`;
  if (queue.refusal) return html`<p class="offline" role="alert">${word(queue.refusal)}</p>`;
  return null;
}

/** The places of boxes or seats: one row for each wager, one column for each seat. @param {{app: Own.App, bets: Own.Bet[]}} props */
function Boxes({ app, bets }) {
  const { layout } = app;
  const places = (layout.places ?? []).filter((place) => place.seated && !place.spots);
  const seats = layout.seats ?? [];
  if (!places.length || !seats.length) return null;
  return html`<div class="boxes" role="group" aria-label=${word("boxes")} style=${{ "--seats": seats.length }}>
    <div class="box-row head">${seats.map((seat) => html`<span class="box-name">${seat.label ?? seat.seat}<small>${seat.is_taken ? seat.player : ""}</small></span>`)}</div>
    ${places.map((place) => html`<div class="box-row" key=${place.place}>${seats.map((seat) => html`<${Spot} app=${app} place=${place} seat=${seat} bets=${bets} />`)}</div>`)}</div>`;
}

/** @typedef {{app: Own.App, place: Own.Place, seat: House.SeatView, bets: Own.Bet[]}} SpotProps */

/** @extends {Component<SpotProps>} */
class Spot extends Component {
  down() {
    this.isLong = false;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.isLong = true;
      this.takeBack();
    }, 500);
  }

  takeBack() {
    this.props.app.takeBack({ ...this.props.place, seat: this.props.seat });
  }

  /** The click after a long press does nothing. */
  click() {
    if (!this.isLong) this.props.app.tapPlace({ ...this.props.place, seat: this.props.seat });
    this.isLong = false;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (!event.repeat && ["Delete", "Backspace"].includes(event.key)) this.takeBack();
  }

  up() {
    clearTimeout(this.timer);
  }

  /** @param {SpotProps} props */
  render({ place, seat, bets }) {
    const betsHere = bets.filter((bet) => liesAt(bet, place, seat));
    const isPending = betsHere.some((bet) => bet.isPending);
    const sum = betsHere.reduce((total, bet) => total + bet.amount_minor, 0);
    return html`<button type="button" class="spot ${colourOf(seat)} ${isPending ? "pending" : ""} ${sum ? "has" : ""}" data-do=${place.do} data-place=${place.place} data-seat=${seat.seat}
      aria-label="${seat.label ?? seat.seat}, ${place.label}${sum ? `, ${money(sum)}` : ""}" onPointerDown=${() => this.down()} onPointerUp=${() => this.up()} onPointerLeave=${() => this.up()}
      onContextMenu=${(/** @type {Event} */ event) => event.preventDefault()} onClick=${() => this.click()} onKeyDown=${(/** @type {KeyboardEvent} */ event) => this.key(event)}>
      <span>${place.label}</span><b class="num">${sum ? money(sum) : ""}</b></button>`;
  }
}

/** @param {Own.Step} step */
const hasDetails = (step) => Object.keys(step.data ?? {}).length > 0;

/** Small steps of the hand in turn: those with the data of a large one. @param {Own.Step[]} steps */
const stepsOfTurn = (steps) => steps.filter((step) => step.size === "small" && hasDetails(step)
  && steps.some((large) => large.size === "large" && JSON.stringify(large.data) === JSON.stringify(step.data)));

/** Small steps stand in the order of the house, those of a box or a hand last. The place of a large one stays free. A standing screen shows those of the hand in turn also beside the large ones. @param {{app: Own.App, steps: Own.Step[]}} props */
function Steps({ app, steps }) {
  const shown = steps.filter((step) => ["play", "progressive"].includes(step.group ?? "") && step.size !== "menu");
  const places = [...shown].sort((a, b) => Number(hasDetails(a)) - Number(hasDetails(b)));
  const turn = stepsOfTurn(shown);
  return html`<section class="steps" aria-label=${word("next_steps")}>
    <div class="large-steps">${shown.filter((step) => step.size === "large").map((step) => html`<${Step} app=${app} step=${step} key=${step.number} />`)}</div>
    <div class="small-steps">
      ${steps.some((step) => step.group === "mistakes") && html`<button type="button" class="act small mistakes" data-do="mistakes" onClick=${() => app.show("mistakes")}>${word("mistakes")}</button>`}
      <${SameAgain} app=${app} />
      ${places.map((step) => (step.size === "large" ? html`<span class="act small kept" key=${step.number} aria-hidden="true">${step.label}</span>` : html`<${Step} app=${app} step=${step} key=${step.number} />`))}</div>
    ${turn.length > 0 && html`<div class="turn-steps">${turn.map((step) => html`<${Step} app=${app} step=${step} key=${step.number} />`)}</div>`}
  </section>`;
}

/** The stakes of the last round, of all and of the chosen player; grey where there are none. @param {{app: Own.App}} props */
function SameAgain({ app }) {
  const { sameStakes: stakes, seat } = app;
  if (!app.layout.places?.length) return null;
  const draw = (/** @type {string} */ player, /** @type {string} */ label) => html`<button type="button" class="act small ${stakes[player]?.length ? "" : "refused"}" data-do="same-again" data-player=${player || undefined}
    aria-disabled=${stakes[player]?.length ? undefined : "true"} onClick=${() => app.sameAgain(player)}>${label}</button>`;
  return html`${draw("", word("same_again_all", { count: stakes[""]?.length ?? 0 }))}${seat && draw(playerAt(seat), word("same_again_seat", { seat: seat.seat }))}`;
}

/** A step; a large one with one short choice stands there as its options. @param {{app: Own.App, step: Own.Step}} props */
export function Step({ app, step }) {
  const pads = app.pads(step);
  const [pad] = pads;
  if (step.size === "large" && !step.refusal && pads.length === 1 && pad.kind === "choice" && (pad.options ?? []).length <= CHOICES_MAX) {
    return html`<div class="choice-step" role="group" aria-label=${step.label}><p>${step.label}</p><div>${(pad.options ?? []).map((option) => html`<button type="button" class="act large" data-do=${step.do}
      data-choice=${typeof option.value === "object" ? JSON.stringify(option.value) : String(option.value)} onClick=${() => app.answerStandingPad(step, pad, option.value)}>${option.label}</button>`)}</div></div>`;
  }
  if (step.size === "large" && pads.length === 1 && isOneTap(pad)) return html`<p class="standing">${step.label}</p>`;
  const isGrey = Boolean(step.refusal) || (step.needs_house && app.queue.isOffline);
  const classes = `act ${step.size} ${isGrey ? "refused" : ""} ${step.isPending ? "pending" : ""}`;
  return html`<button type="button" class=${classes} data-do=${step.do} data-of=${JSON.stringify(step.data ?? {})} data-asks=${app.asks(step)} aria-disabled=${isGrey ? "true" : undefined}
    onClick=${() => app.tapStep(step)}>${step.label}</button>`;
}

/** @param {{app: Own.App}} props */
function Due({ app }) {
  const due = app.layout.due ?? [];
  if (!due.length) return null;
  const seats = app.layout.seats ?? [];
  const labels = new Map((app.layout.places ?? []).map((place) => [place.place, place.label]));
  return html`<section class="due" aria-label=${word("due")}>
    <button type="button" class="act large" data-do="all-paid" onClick=${() => app.allPaid()}>${word("all_paid")} <b class="num">${money(due.reduce((sum, payment) => sum + payment.amount_minor, 0))}</b></button>
    <ol>${due.map((payment) => html`<li key=${payment.bet}><span class="dot ${colourOf(seats.find((seat) => seat.seat === payment.seat))}">${payment.seat ?? ""}</span>
      <span class="what">${labels.get(payment.place) ?? payment.place}<small>${payment.chips.map(([chip, count]) => `${count} × ${money(chip)}`).join(", ")}${payment.rest_minor ? ` + ${money(payment.rest_minor)}` : ""}</small></span>
      <button type="button" class="key" data-do="payment.make" data-bet=${payment.bet} data-place=${payment.place} data-seat=${payment.seat} data-player=${payment.player} onClick=${() => app.pay(payment)}>${money(payment.amount_minor)}</button>
      <button type="button" class="key other" data-do="paid-otherwise" data-bet=${payment.bet} aria-label="${word("paid_otherwise")}: ${payment.place}" onClick=${() => app.show("paid", { due: payment })}>≠</button></li>`)}</ol></section>`;
}

/** The pad of the step that is open, or of a large one. @param {{app: Own.App, steps: Own.Step[]}} props */
function StandingPad({ app, steps }) {
  const open = app.open && !app.sheet ? app.open : null;
  if (open) return html`<section class="dock-pad" aria-label=${open.step.label} data-of=${JSON.stringify(open.step.data ?? {})}><div class="dock-head"><h2>${open.step.label}</h2><button type="button" class="tool" data-do="close" onClick=${() => { app.open = null; app.redraw(); }}>${word("close")}</button></div>
    <${Pad} pad=${open.pads[0]} layout=${app.layout} chips=${app.layout.chips} names=${app.state?.names} act=${open.step.do} done=${(/** @type {any} */ value, /** @type {object} */ how) => app.answer(open, open.pads[0], value, how)} /></section>`;
  const standingStep = steps.find((step) => {
    const pads = app.pads(step);
    return step.size === "large" && !step.refusal && pads.length === 1 && isOneTap(pads[0]) && !(pads[0].kind === "choice" && (pads[0].options ?? []).length <= CHOICES_MAX);
  });
  if (standingStep) {
    const [pad] = app.pads(standingStep);
    return html`<section class="dock-pad" aria-label=${standingStep.label} data-of=${JSON.stringify(standingStep.data ?? {})}><div class="dock-head"><h2>${standingStep.label}</h2></div>
      <${Pad} pad=${pad} layout=${app.layout} chips=${app.layout.chips} names=${app.state?.names} act=${standingStep.do} done=${(/** @type {any} */ value) => app.answerStandingPad(standingStep, pad, value)} /></section>`;
  }
  return null;
}

/** @param {{app: Own.App}} props */
function Chips({ app }) {
  const { layout } = app;
  const isChip = (layout.chips ?? []).some((chip) => chip === app.chip);
  const seats = layout.seats ?? [];
  const isSeated = (layout.places ?? []).some((place) => place.seated);
  return html`<div class="rack">
    ${!isSeated && seats.length > 0 && html`<div class="seats" role="group" aria-label=${word("players")}>${seats.map((seat) => html`<button type="button" class="seat ${colourOf(seat)}" data-do="player" data-player=${playerAt(seat)}
      data-seat=${seat.seat} aria-pressed=${String(app.seat?.seat === seat.seat)} onClick=${() => app.chooseSeat(seat)}><b>${seat.seat}</b><small>${seat.is_taken ? seat.player : word("free_seat")}${seat.chip_minor ? ` · ${money(seat.chip_minor)}` : ""}</small></button>`)}</div>`}
    <div class="chips-row" role="group" aria-label=${word("chips")}>${app.seat?.chip_minor && html`<button type="button" class="chip-key colour ${colourOf(app.seat)}" data-do="chip" data-chip=${app.seat.chip_minor} data-seat=${app.seat.seat}
      aria-pressed=${String(app.chip === app.seat.chip_minor)} onClick=${() => app.chooseChip(app.seat?.chip_minor ?? null)}><b class="num">${money(app.seat.chip_minor)}</b></button>`}${(layout.chips ?? []).map((chip) => html`<button type="button" class="chip-key v-${String(chip).replace(/0+$/, "")[0]}" data-do="chip" data-chip=${chip}
      aria-pressed=${String(app.chip === chip)} onClick=${() => app.chooseChip(chip)}><b class="num">${money(chip)}</b></button>`)}
      <button type="button" class="key" data-do="amount" aria-pressed=${String(!isChip)} onClick=${() => app.show("amount")}>${isChip ? word("other_amount") : money(app.chip ?? 0)}</button>
      ${hasDrawnPlaces(layout) && html`<button type="button" class="key" data-do="enlarge" aria-label=${word("enlarge")} aria-pressed=${String(Boolean(app.isEnlarged))} onClick=${() => app.enlarge()}>⤢</button>`}</div></div>`;
}

/** @param {{app: Own.App, notice: Own.Notice}} props */
function Toast({ app, notice }) {
  return html`<div class="toast" role="alert"><p>${notice.message}${notice.clause && html` <span class="clause">${notice.clause}${notice.source ? `, ${notice.source}` : ""}</span>`}</p>
    <div>${notice.isRefusal && notice.actions && !notice.queued && html`<button type="button" class="tool" data-do="record-fact" onClick=${() => app.record(notice)}>${word("record_fact")}</button>`}
    <button type="button" class="tool" data-do="dismiss" onClick=${() => app.dismiss()}>${word("close")}</button></div></div>`;
}
