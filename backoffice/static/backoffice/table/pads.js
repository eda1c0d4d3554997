// Pads: one kind for each kind of detail. They know kinds, no games; `done(value)` is called with each value, or with a
// function that makes it of the one before.
import { Component, card, html, money, unit, word } from "./view.js";
import { placeOf } from "./model.js";

/**
 * @typedef {{value: any, label: string, look?: House.Option["look"], place?: string, player?: string, seat?: number | null}} Offer
 * @typedef {{pad: Omit<Own.Pad, "options"> & {options?: Offer[]}, done: (value: any, how?: {isTyping?: boolean}) => void, act?: string, value?: any, layout?: Own.Layout,
 *   chips?: number[], names?: Record<string, string>, isTitled?: boolean}} PadProps
 */

const RANKS = [..."A23456789TJQK"];
const SUITS = [..."SHDC"];

/** @param {PadProps} props */
function numbers({ pad, done, act }) {
  const options = pad.options ?? [];
  return html`<div class="pad pad-number" role="group" aria-label=${pad.label}>
    ${options.map(({ value, label, look }) => html`<button type="button" class="key l-${look ?? "plain"}" data-do=${act} data-number=${value} onClick=${() => done(value)}>${label ?? value}</button>`)}</div>`;
}

/** @param {any} option */
const optionValue = (option) => (option !== null && typeof option === "object" ? option.value : option);

/** @param {PadProps} props */
function cards({ pad, done, act }) {
  const allowed = pad.options?.length ? new Set(pad.options.map(optionValue)) : null;
  return html`<div class="pad pad-card" role="group" aria-label=${pad.label}>
    ${SUITS.flatMap((suit) => RANKS.map((rank) => rank + suit)).map((code) => {
      const shown = card(code);
      return html`<button type="button" class="key ${shown.red ? "red" : ""}" data-do=${act} data-card=${code} aria-label=${shown.text}
        disabled=${allowed && !allowed.has(code)} onClick=${() => done(code)}><b>${shown.rank}</b><span>${shown.sign}</span></button>`;
    })}</div>`;
}

const PIPS = ["", "⚀", "⚁", "⚂", "⚃", "⚄", "⚅"];

/** @param {PadProps} props */
function dice({ pad, done, act }) {
  const faces = [1, 2, 3, 4, 5, 6];
  const every = faces.flatMap((a) => faces.map((b) => [a, b])).filter(([a, b]) => pad.ordered !== false || a <= b);
  const rolls = pad.options?.length ? pad.options.map(optionValue) : every;
  return html`<div class="pad pad-dice ${pad.ordered === false ? "unordered" : ""}" role="group" aria-label=${pad.label}>
    ${rolls.map(([a, b]) => html`<button type="button" class="key" data-do=${act} data-dice="${a}-${b}" aria-label="${a}, ${b}" onClick=${() => done([a, b])}>
      <span class="faces">${PIPS[a]}${PIPS[b]}</span><b>${a + b}</b></button>`)}</div>`;
}

/** @param {PadProps} props */
function choices({ pad, done, act, value }) {
  return html`<div class="pad pad-choice" role="group" aria-label=${pad.label}>
    ${(pad.options ?? []).map((option) => {
      const own = optionValue(option);
      const isOn = JSON.stringify(own) === JSON.stringify(value);
      return html`<button type="button" class="key wide" data-do=${act} data-choice=${typeof own === "object" ? JSON.stringify(own) : own}
        data-bet=${pad.kind === "bet" ? own : undefined} data-place=${option.place} data-player=${pad.kind === "player" ? own : option.player}
        data-seat=${pad.kind === "seat" ? own : option.seat}
        aria-pressed=${value === undefined ? undefined : String(isOn)} onClick=${() => done(own)}>${option.label ?? own}</button>`;
    })}</div>`;
}

/** A keypad for an amount: digits are minor units, so that 1 2 5 0 is 12.50. @extends {Component<PadProps, {minor: number}>} */
class Amount extends Component {
  /** @param {PadProps} props */
  constructor(props) {
    super(props);
    this.minor = props.value ?? 0;
    this.state = { minor: this.minor };
  }

  /** @param {number} minor */
  set(minor) {
    if (Math.abs(minor) > 9_999_999_999) return;
    this.minor = minor; // the next tap may come before the page is drawn again
    this.setState({ minor });
    this.props.done(minor, { isTyping: true });
  }

  /** @param {number | string} digits */
  type(digits) {
    this.set(this.minor * 10 ** String(digits).length + Math.sign(this.minor || 1) * Number(digits));
  }

  render({ pad, chips = [] } = this.props, { minor } = this.state) {
    const digit = (/** @type {number | string} */ n) => html`<button type="button" class="key" data-key=${n} onClick=${() => this.type(n)}>${n}</button>`;
    return html`<div class="pad pad-amount" role="group" aria-label=${pad.label}>
      <output class="amount num">${money(minor)}</output>
      <div class="digits">${[7, 8, 9, 4, 5, 6, 1, 2, 3, 0, "00"].map(digit)}
        <button type="button" class="key" data-key="back" aria-label=${word("delete_digit")} onClick=${() => this.set(Math.trunc(this.minor / 10))}>⌫</button></div>
      <div class="adders">${chips.map((chip) => html`<button type="button" class="key" data-chip=${chip} onClick=${() => this.set(this.minor + chip)}>+${money(chip)}</button>`)}
        ${(pad.least ?? 0) < 0 && html`<button type="button" class="key" data-key="sign" onClick=${() => this.set(-this.minor)}>±</button>`}</div></div>`;
  }
}

/** Pieces by denomination, as on the opener: blind, no expected figure. @extends {Component<PadProps, {counts: Record<string, number>}>} */
class Tray extends Component {
  /** @param {PadProps} props */
  constructor(props) {
    super(props);
    this.counts = /** @type {Record<string, number>} */ ({ ...(props.value ?? {}) });
    this.state = { counts: this.counts };
  }

  /** @param {number} chip @param {number} count */
  put(chip, count) {
    const counts = { ...this.counts };
    if (count > 0) counts[chip] = count;
    else delete counts[chip];
    this.counts = counts; // the next tap may come before the page is drawn again
    this.setState({ counts });
    this.props.done(counts, { isTyping: true });
  }

  render({ pad, chips = [] } = this.props, { counts } = this.state) {
    const values = pad.denominations?.length ? pad.denominations : pad.options?.length ? pad.options.map(optionValue) : chips;
    const total = values.reduce((sum, chip) => sum + chip * (counts[chip] ?? 0), 0);
    return html`<fieldset class="pad pad-tray"><legend>${pad.label}</legend>
      ${values.map((chip) => html`<label class="count"><span class="num">${money(chip)}</span>
        <button type="button" class="key" data-key="less-${chip}" aria-label="${money(chip)} −1" onClick=${() => this.put(chip, (this.counts[chip] ?? 0) - 1)}>−</button>
        <input type="text" inputmode="numeric" pattern="[0-9]*" data-chip=${chip} value=${counts[chip] ?? ""} onInput=${(/** @type {Own.Typing} */ event) => this.put(chip, Number(event.target.value.replace(/\D/g, "")))} />
        <button type="button" class="key" data-key="more-${chip}" aria-label="${money(chip)} +1" onClick=${() => this.put(chip, (this.counts[chip] ?? 0) + 1)}>+</button></label>`)}
      <p class="total">${word("total")} <output class="num">${money(total)}</output></p></fieldset>`;
  }
}

/** @param {PadProps} props */
function text({ pad, done, value }) {
  const isWhole = pad.kind === "number";
  const onInput = (/** @type {Own.Typing} */ event) => done(isWhole ? Number(event.target.value) : event.target.value, { isTyping: true });
  return html`<label class="pad pad-text"><span>${pad.label}</span>
    <input type="text" autocomplete="off" inputmode=${isWhole ? "numeric" : "text"} data-field=${pad.field} value=${value ?? ""} onInput=${onInput} /></label>`;
}

/** @param {PadProps} props */
function bets({ pad, done, act, value, layout }) {
  const options = pad.options?.length ? pad.options : (layout?.bets ?? []).map((bet) => {
    const at = layout && placeOf(layout, bet);
    return { value: bet.bet, place: at?.place, player: bet.player, seat: bet.seat ?? bet.box, label: `${bet.player}: ${at?.label ?? bet.wager}, ${money(bet.amount_minor)}` };
  });
  return choices({ pad: { ...pad, options }, done, act, value });
}

/** Gaming day: the browser's own calendar. @param {PadProps} props */
function day({ pad, done, value }) {
  return html`<label class="pad pad-text"><span>${pad.label}</span>
    <input type="date" data-field=${pad.field} value=${value ?? ""} onInput=${(/** @type {Own.Typing} */ event) => done(event.target.value, { isTyping: true })} /></label>`;
}

/** Amounts by wager; a line left empty is not named. @param {PadProps} props */
function limits({ pad, done, value = {} }) {
  const put = (/** @type {string} */ name, /** @type {string} */ text) => {
    const minor = Math.round(Number(text.replace(",", ".")) * unit());
    const without = (/** @type {Record<string, number>} */ { [name]: _old, ...rest } = {}) => rest;
    done((/** @type {Record<string, number> | undefined} */ current) => (minor > 0 ? { ...without(current), [name]: minor } : without(current)), { isTyping: true });
  };
  return html`<fieldset class="pad pad-tray"><legend>${pad.label}</legend>
    ${(pad.options ?? []).map((option) => html`<label class="count"><span>${option.label ?? option.value}</span>
      <input type="text" inputmode="decimal" data-limit=${option.value} defaultValue=${value[option.value] ? value[option.value] / unit() : ""} onInput=${(/** @type {Own.Typing} */ event) => put(option.value, event.target.value)} /></label>`)}</fieldset>`;
}

/** Serial number and colour of each die, one die a line. @param {PadProps} props */
function diceSet({ pad, done, value = [] }) {
  const onInput = (/** @type {Own.Typing} */ event) => done(event.target.value.split("\n").map((/** @type {string} */ line) => line.trim().split(/[\s,;]+/)).filter((/** @type {string[]} */ [serial]) => serial)
    .map((/** @type {string[]} */ [serial, colour = ""]) => ({ serial, colour })), { isTyping: true });
  return html`<label class="pad pad-text"><span>${pad.label}</span><textarea rows="5" data-field=${pad.field} onInput=${onInput}>${value.map((/** @type {House.DieOnTable} */ { serial, colour }) => `${serial} ${colour}`).join("\n")}</textarea></label>`;
}

/** A seat, a player, a person or a bet: those that the house knows at this table. @param {PadProps} props */
function fromTable({ layout, ...props }) {
  const seats = layout?.seats ?? [];
  /** @type {Record<string, {value: any, label: string}[]>} */
  const optionsByKind = {
    seat: seats.map((seat) => ({ value: seat.seat, label: seat.label ?? String(seat.seat) })),
    player: [...new Map(seats.filter((seat) => seat.is_taken).map((seat) => [seat.player, seat])).keys()].map((player) => ({ value: player, label: player })),
    person: [...new Set(Object.values(layout?.posts ?? {}))].filter(Boolean).map((person) => ({ value: person, label: props.names?.[person] ?? person })),
  };
  const options = props.pad.options?.length ? props.pad.options : optionsByKind[props.pad.kind];
  const typed = props.pad.kind === "person" || props.pad.kind === "player";
  return html`${options.length > 0 && choices({ ...props, pad: { ...props.pad, options } })}${typed && text(props)}`;
}

/** The data of one of the table's places. @param {PadProps} props */
const place = (props) => choices({ ...props, pad: { ...props.pad, options: (props.layout?.places ?? []).map((choice) => ({ value: choice.data, place: choice.place, label: choice.label })) } });

/** As many texts as the pad says, one a line. @param {PadProps} props */
function texts({ pad, done, value = [] }) {
  const onInput = (/** @type {Own.Typing} */ event) => done(event.target.value.split("\n").map((/** @type {string} */ line) => line.trim()).filter(Boolean), { isTyping: true });
  return html`<label class="pad pad-text"><span>${pad.label}</span><textarea rows=${pad.most ?? 3} data-field=${pad.field} onInput=${onInput}>${value.join("\n")}</textarea></label>`;
}

/** Numbers of cards: a tap adds one, the line below says how many of each. @param {PadProps} props */
function cardCounts({ pad, done, act, value = {} }) {
  const add = (/** @type {string} */ code) => done((/** @type {Record<string, number>} */ current = {}) => ({ ...current, [code]: (current[code] ?? 0) + 1 }), { isTyping: true });
  return html`<h3>${pad.label}</h3>${cards({ pad: { ...pad, options: [] }, done: add, act })}
    <p class="total"><span>${Object.entries(value).map(([code, count]) => `${count} × ${card(code).text}`).join(", ")}</span>
    <button type="button" class="key" data-key="back" aria-label=${word("delete_digit")} onClick=${() => done({}, { isTyping: true })}>⌫</button></p>`;
}

/** @type {Record<string, (props: PadProps) => any>} */
const KINDS = { place, texts, cards: cardCounts, number: numbers, card: cards, dice, choice: choices, seat: fromTable, player: fromTable, person: fromTable, bet: bets, text, day, limits,
  "dice set": diceSet };

/** Whether one tap answers it. @param {Own.Pad} pad */
export const isOneTap = (pad) => ["card", "dice", "choice", "seat", "bet"].includes(pad.kind) || (pad.kind === "number" && (pad.options ?? []).length > 0);

/** A pad by its kind; an unknown kind is a line of text. @param {PadProps} props */
export function Pad(props) {
  const { pad } = props;
  const field = pad.field || pad.name;
  if (pad.kind === "amount") return html`<div class="field-of" data-pad=${field}><h3>${pad.label}</h3><${Amount} ...${props} /></div>`;
  if (pad.kind === "tray") return html`<div class="field-of" data-pad=${field}><${Tray} ...${props} /></div>`;
  const isTyped = pad.kind === "text" || (pad.kind === "number" && !pad.options?.length);
  const draw = isTyped ? text : KINDS[pad.kind] ?? text;
  const proposes = pad.kind === "text" && pad.options?.length;
  const isTitled = props.isTitled && !isTyped && !["day", "limits", "dice set", "texts", "cards"].includes(pad.kind);
  return html`<div class="field-of" data-pad=${field}>${isTitled && html`<h3>${pad.label}${pad.optional ? ` (${word("optional")})` : ""}</h3>`}
    ${proposes && choices(props)}${draw(props)}</div>`;
}
