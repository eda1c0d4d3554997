// Sheets over the table: menus, forms, undo, refusals, people. Each is closed without doing anything.
import { Component, clock, html, money, word } from "./view.js";
import { Badge } from "./badge.js";
import { Pad } from "./pads.js";
import { byChips, fieldOf, stepsNow } from "./model.js";
import { offlineSteps } from "./offline.js";
import { ProgressiveSheet } from "./progressive.js";

const GROUPS = ["business", "progressive"];

/** @param {Own.App} app @param {string[]} names */
function groupOf(app, names) {
  const { layout, queue } = app;
  const steps = queue.isOffline ? offlineSteps(layout, queue.waiting) : stepsNow(layout, queue.waiting);
  return steps.filter((step) => names.includes(step.group ?? ""));
}

/** A step as a line of a menu: grey with its reason where a rule forbids it. @param {Own.App} app @param {Own.Step} step */
function line(app, step) {
  return html`<li><button type="button" class="act ${step.refusal ? "refused" : ""}" data-do=${step.do} data-of=${JSON.stringify(step.data ?? {})} data-asks=${app.asks(step)} aria-disabled=${step.refusal ? "true" : undefined} onClick=${() => app.tapStep(step)}>
    ${step.label}${step.needs_house && app.queue.isOffline ? html`<small>${word("needs_house")}</small>` : ""}</button></li>`;
}

/** @param {{app: Own.App}} props */
const Menu = ({ app }) => html`<ul class="lines">${groupOf(app, GROUPS).map((step) => line(app, step))}</ul>
  <h3>${word("this_screen")}</h3><div class="row">
    ${app.layout.progressive_view && html`<button type="button" class="act" data-do="progressive" onClick=${() => app.show("progressive")}>${word("sheet_progressive")}</button>`}
    <button type="button" class="act" data-do="calculator" onClick=${() => app.show("calculator")}>${word("calculator")}</button>
    <button type="button" class="act" data-do="theme" onClick=${() => app.toggle("theme", "light", "dark")}>${word("light_dark")}</button>
    <button type="button" class="act" data-do="hand" onClick=${() => app.toggle("hand", "left", "right")}>${word("left_right")}</button>
    <button type="button" class="act" data-do="full-screen" onClick=${() => document.documentElement.requestFullscreen?.()}>${word("full_screen")}</button>
    <button type="button" class="act" data-do="notices" onClick=${() => app.show("notices")}>${word("notices")}</button></div>
  <dl class="facts">${app.facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

/** @param {{app: Own.App}} props */
const Mistakes = ({ app }) => html`<ul class="lines">${groupOf(app, ["mistakes"]).map((step) => line(app, step))}</ul>`;

/** @param {{app: Own.App}} props */
function Undo({ app }) {
  const corrections = app.layout.undo ?? [];
  const readings = app.state?.readings ?? [];
  return html`${!corrections.length && html`<p class="empty">${word("nothing_to_undo")}</p>`}
    ${readings.length > 0 && html`<h3>${word("device")}</h3><ul class="lines">${readings.map((reading) => html`<li><time class="num">${clock(reading.time)}</time> ${reading.use}: ${reading.content.join(" ")} <small>${reading.device}</small></li>`)}</ul>`}
    <ul class="lines">${corrections.map((correction) => html`<li><button type="button" class="act" data-do=${correction.do} data-event=${correction.event} data-asks=${app.asks(correction)} onClick=${() => app.begin({ ...correction, size: "menu" })}>
    ${word(`undo_${correction.do.replace(".", "_")}`)}: ${correction.label}${correction.with?.length ? html`<small>${word("needs_second")}</small>` : ""}</button></li>`)}</ul>`;
}

/** A form made of the pads of a step. @param {{app: Own.App}} props */
function Form({ app }) {
  const { open } = app;
  if (!open) return null;
  const value = (/** @type {Own.Pad} */ pad) => fieldOf(open.data, pad.field ?? pad.name ?? "");
  const isFull = open.pads.every((pad) => pad.optional || open.touched.has(pad.name ?? "") || (pad.field && value(pad) !== undefined));
  return html`<form class="form" onSubmit=${(/** @type {Event} */ event) => { event.preventDefault(); if (isFull) app.finish(open); }}>
    ${open.pads.map((pad) => html`<${Pad} key=${pad.name} pad=${pad} isTitled=${true} layout=${app.layout} chips=${app.layout.chips} names=${app.state?.names} act="choose" value=${value(pad)}
      done=${(/** @type {any} */ value, /** @type {object} */ how) => app.answer(open, pad, value, { ...how, isTyping: true })} />`)}
    <button class="act large" data-do=${open.step.do} data-send="" disabled=${!isFull}>${open.step.label}</button></form>`;
}

/** @param {{app: Own.App, sheet: Own.Sheet}} props */
const Refusal = ({ app, sheet }) => html`<p class="why">${sheet.refusal.message}</p>
  <p class="clause">${[sheet.refusal.clause, sheet.refusal.source, sheet.refusal.reading].filter(Boolean).join(", ")}</p>
  ${sheet.stakes && html`<div class="row">${sheet.stakes.map((/** @type {number} */ stake) => html`<button type="button" class="act large" data-do=${sheet.place.do} data-place=${sheet.place.place} data-chip=${stake}
    onClick=${() => (app.show(null), app.tapPlace(sheet.place, { amount: stake }))}>${money(stake)}</button>`)}</div>`}
  <button type="button" class="act" data-do="record-fact" onClick=${() => app.record({ step: sheet.step, actions: sheet.actions })}>${word("record_fact")}</button>`;

/** @param {{app: Own.App, sheet: Own.Sheet}} props */
const BadgeSheet = ({ app, sheet }) => html`<${Badge} app=${app} roles=${sheet.roles} />`;

/** @param {{app: Own.App, sheet: Own.Sheet}} props */
const PersonSheet = ({ app, sheet }) => html`<p>${sheet.session.name || sheet.session.person}</p><div class="row">
  <button type="button" class="act large" data-do="relief" onClick=${() => app.show("badge", { roles: [sheet.session.role] })}>${word("relieve")}</button>
  <button type="button" class="act" data-do="session.end" onClick=${() => app.leave(sheet.session.session)}>${word("leave_table")}</button></div>`;

/** An entry that waits: an inspector accepts it as an act of his own, or rejects it with a reason. @extends {Component<{app: Own.App, entry: House.WaitingEntry}>} */
class Waiting extends Component {
  /** @param {{app: Own.App, entry: House.WaitingEntry}} props */
  render({ app, entry }) {
    return html`<li><p><time class="num">${clock(entry.time)}</time> ${entry.device} ${entry.seq}: ${word(`entry_${entry.state}`)}</p>
      ${entry.content.map((action) => html`<p>${action}</p>`)}
      <label><span>${word("reason")}</span><input type="text" autocomplete="off" data-field="reason" data-entry=${entry.seq} ref=${(/** @type {HTMLInputElement | null} */ input) => (this.reason = input ?? this.reason)} /></label>
      <div class="row"><button type="button" class="act" data-do="device.accept_entry" data-entry=${entry.seq} onClick=${() => app.decideEntry(entry, "accept")}>${word("accept_entry")}</button>
      <button type="button" class="act" data-do="device.reject_entry" data-entry=${entry.seq} onClick=${() => app.decideEntry(entry, "reject", this.reason.value.trim())}>${word("reject_entry")}</button></div></li>`;
  }
}

/** What the house marked, and what it refused, newest first. @param {{app: Own.App}} props */
function Notices({ app }) {
  const { irregularities: marks = [], waits = [], refused = [] } = app.state ?? /** @type {Partial<Own.State>} */ ({});
  const requests = app.layout.requests ?? [];
  if (!app.marks && !app.notices.length) return html`<p class="empty">${word("no_notices")}</p>`;
  return html`${requests.length > 0 && html`<h3>${word("waits")}</h3><ul class="lines">${requests.map((request) => html`<li><p>${app.labelOf(request)}</p>
      <button type="button" class="act" data-do="second" data-request=${request.request} onClick=${() => app.approve(request)}>${word("second_person")}</button></li>`)}</ul>`}
    ${app.clockOff_s && html`<p class="why" role="status">${word("clock_corrected", { seconds: app.clockOff_s })}</p>`}
    ${waits.length > 0 && html`<h3>${word("entries_waiting")}</h3><ul class="lines">${waits.map((entry) => html`<${Waiting} app=${app} entry=${entry} key=${`${entry.device}-${entry.seq}`} />`)}</ul>`}
    ${refused.length > 0 && html`<h3>${word("entries_refused")}</h3><ul class="lines marks">${refused.map((entry) => html`<li>${entry.device} ${entry.seq}: ${entry.label} <time class="num">${clock(entry.at)}</time></li>`)}</ul>`}
    ${marks.length > 0 && html`<h3>${word("irregularities")}</h3><ul class="lines marks">${marks.map((mark) => html`<li data-irregularity=${mark.position}><b>${mark.label}</b> ${mark.message} <time class="num">${clock(mark.at)}</time> <small>${word("cleared_by", { by: mark.clears })}</small></li>`)}</ul>`}
    ${app.notices.length > 0 && html`<h3>${word("answers")}</h3><ul class="lines">${app.notices.map((notice) => html`<li><time class="num">${clock(notice.time)}</time> ${notice.message} <small class="clause">${notice.clause ?? ""}</small></li>`)}</ul>`}`;
}

/** @extends {Component<{app: Own.App}>} */
class AmountSheet extends Component {
  /** @param {{app: Own.App}} props */
  render({ app }) {
    return html`<${Pad} pad=${{ kind: "amount", label: word("stake") }} chips=${app.layout.chips} done=${(/** @type {number} */ minor) => (this.minor = minor)} />
      <button type="button" class="act large" data-do="use-amount" onClick=${() => app.chooseChip(this.minor || null)}>${word("use_amount")}</button>`;
  }
}

/** @typedef {{app: Own.App, sheet: Own.Sheet}} SheetProps */

/** @extends {Component<SheetProps>} */
class Paid extends Component {
  /** @param {SheetProps} props */
  render({ app, sheet }) {
    const { due } = sheet;
    this.minor ??= due.amount_minor;
    return html`<p>${word("calculated", { amount: money(due.amount_minor) })}</p>
      <${Pad} pad=${{ kind: "amount", label: word("paid") }} value=${due.amount_minor} chips=${app.layout.chips} done=${(/** @type {number} */ minor) => (this.minor = minor)} />
      <button type="button" class="act large" data-do="payment.make" onClick=${() => { app.show(null); app.pay(due, this.minor); }}>${word("record_payment")}</button>`;
  }
}

/** @typedef {{stake: number, to: number, for: number}} Odds */

/** A stake at odds, and by chips. @extends {Component<{app: Own.App}, Odds>} */
class Calculator extends Component {
  constructor() {
    super();
    this.state = { stake: 0, to: 1, for: 1 };
  }

  /** @param {{app: Own.App}} props @param {Odds} state */
  render({ app }, { stake, to, for: per }) {
    const profit = Math.floor((stake * to) / (per || 1));
    const { piles, rest } = byChips(profit, app.layout.chips ?? []);
    const whole = (/** @type {"to" | "for"} */ name) => (/** @type {Own.Typing} */ event) => this.setState({ [name]: Number(event.target.value.replace(/\D/g, "")) || 1 });
    return html`<${Pad} pad=${{ kind: "amount", label: word("stake") }} chips=${app.layout.chips} done=${(/** @type {number} */ minor) => this.setState({ stake: minor })} />
      <div class="row odds"><label><span>${word("odds")}</span><input type="text" inputmode="numeric" name="to" data-field="to" value=${to} onInput=${whole("to")} /></label>
        <label><span>${word("to")}</span><input type="text" inputmode="numeric" name="for" data-field="for" value=${per} onInput=${whole("for")} /></label></div>
      <p class="result num" role="status">${money(profit)}<small>${piles.map(([chip, count]) => `${count} × ${money(chip)}`).join(", ")}${rest ? ` + ${money(rest)}` : ""}</small></p>`;
  }
}

/** A second person agrees: on his own phone, or with a one-time code here. @extends {Component<SheetProps>} */
class Second extends Component {
  /** @param {Event} event */
  async send(event) {
    event.preventDefault();
    await this.props.app.agree(this.props.sheet, { person: this.person.value, one_time_code: this.code.value });
    this.code.value = "";
  }

  /** @param {SheetProps} props */
  render({ sheet }) {
    return html`<p class="why">${sheet.what}</p><p>${word("second_help")}</p><p class="code-shown num" data-code=${sheet.code}>${sheet.code}</p><p class="clause">${sheet.url}</p>
      <form class="form" onSubmit=${(/** @type {Event} */ event) => this.send(event)}><label><span>${word("person")}</span><input type="text" autocomplete="off" data-field="person" ref=${(/** @type {HTMLInputElement | null} */ input) => (this.person = input ?? this.person)} /></label>
      <label><span>${word("one_time_code")}</span><input type="text" inputmode="numeric" autocomplete="one-time-code" data-field="one_time_code" ref=${(/** @type {HTMLInputElement | null} */ input) => (this.code = input ?? this.code)} /></label>
      <button class="act large" data-do="agree">${word("agree")}</button></form>`;
  }
}

/** @type {Record<string, any>} */
const SHEETS = { menu: Menu, mistakes: Mistakes, undo: Undo, form: Form, refusal: Refusal, badge: BadgeSheet, person: PersonSheet, notices: Notices, amount: AmountSheet,
  paid: Paid, calculator: Calculator, second: Second, progressive: ProgressiveSheet };

/** @extends {Component<SheetProps>} */
export class Sheet extends Component {
  componentDidMount() {
    this.before = /** @type {HTMLElement | null} */ (document.activeElement);
    if (!this.box.contains(document.activeElement)) this.box.focus();
  }

  componentWillUnmount() {
    this.before?.focus?.();
  }

  /** @param {SheetProps} props */
  render({ app, sheet }) {
    const title = sheet.name === "form" ? app.open?.step.label : sheet.title ?? word(`sheet_${sheet.name}`);
    return html`<div class="shade" onClick=${(/** @type {Event} */ event) => event.target === event.currentTarget && app.show(null)}>
      <section class="sheet sheet-${sheet.name}" role="dialog" aria-modal="true" aria-label=${title} tabindex="-1" ref=${(/** @type {HTMLElement | null} */ box) => (this.box = box ?? this.box)} onKeyDown=${(/** @type {KeyboardEvent} */ event) => event.key === "Escape" && app.show(null)}>
        <div class="sheet-head"><h2>${title}</h2><button type="button" class="tool" data-do="close" onClick=${() => app.show(null)}>${word("close")}</button></div>
        <div class="sheet-body"><${SHEETS[sheet.name]} app=${app} sheet=${sheet} /></div></section></div>`;
  }
}
