// The cloth, drawn as the replay draws it: the house sends the shapes, the places and what lies on them.
import { Component, card, colourOf, html, money, word } from "./view.js";
import { placeOf } from "./model.js";

const TARGET_PX = 48;
const LONG_MS = 500;
const OFF_AXIS_COST = 1e6; // a place ahead is nearer to an arrow key than any place beside it
/** @type {Record<string, number[] | undefined>} */
const DIRECTIONS = { Left: [-1, 0], Right: [1, 0], Up: [0, -1], Down: [0, 1] };
/** @type {Record<number, number[][]>} */
const PIPS = {
  1: [[22, 22]], 2: [[12, 12], [32, 32]], 3: [[12, 12], [22, 22], [32, 32]],
  4: [[12, 12], [32, 32], [12, 32], [32, 12]], 5: [[12, 12], [32, 32], [12, 32], [32, 12], [22, 22]],
  6: [[12, 12], [32, 32], [12, 32], [32, 12], [12, 22], [32, 22]],
};

const field = (/** @type {House.Field} */ f) => html`
  <rect class="field l-${f.look ?? "plain"}" x=${f.x} y=${f.y} width=${f.width} height=${f.height} />
  ${(f.text || f.code) && html`<text class="on-${f.look ?? "plain"}" x=${f.x + f.width / 2} y=${f.y + f.height / 2 + (f.down ?? 0)} dy=".35em">${f.text || f.code}</text>`}`;
const stroke = (/** @type {House.Stroke} */ s) => html`<path class="l-${s.look ?? "line"}" d=${s.d} />`;
const note = (/** @type {House.Note} */ n) => html`<text class="t-${n.look ?? "note"}" dy=".35em" transform="translate(${n.x} ${n.y}) rotate(${n.turned ?? 0})">${n.text || n.code}</text>`;
const disc = (/** @type {House.Disc} */ d) => html`<circle class="l-${d.look}" cx=${d.x} cy=${d.y} r=${d.radius} />
  ${(d.text || d.code) && html`<text class="on-${d.look}" x=${d.x} y=${d.y} dy=".35em">${d.text || d.code}</text>`}`;
const die = (/** @type {House.Die} */ d) => html`<g class="die" transform="translate(${d.x} ${d.y})"><rect width="44" height="44" rx="7" />
  ${PIPS[d.face].map(([x, y]) => html`<circle cx=${x} cy=${y} r="4" />`)}</g>`;

/** @param {House.Card} c */
function face(c) {
  const shown = card(c.card);
  return html`<g class="card-face ${shown.red ? "hearts" : ""}" transform="translate(${c.x} ${c.y})">
    <rect width="44" height="62" rx="5" /><text x="5" y="17">${shown.text}</text><text class="suit" x="22" y="46">${shown.sign}</text></g>`;
}

/** A chip: the player's colour, his number, and the amount; a pending one is dashed and says so. @param {Omit<House.Chip, "wager"> & {isPending?: boolean, colour?: number | string}} c */
function chip(c) {
  const state = `${c.is_due ? " due" : ""}${c.is_held ? " held" : ""}${c.isPending ? " pending" : ""}`;
  return html`<g class="chip ${colourOf(c)}${state}" data-bet=${c.bet} transform="translate(${c.x} ${c.y})" key=${c.bet + state}>
    <title>${c.player}: ${money(c.amount_minor)}${c.isPending ? ", " + word("pending") : ""}</title>
    <circle r="16" /><text dy=".35em">${c.is_due ? "+" : ""}${money(c.amount_minor)}</text></g>`;
}

/** How a bet is drawn that was tapped since: with its amount, and where the house says that it has moved to. */
const shownAt = (/** @type {Own.Bet | undefined} */ bet) => (bet?.isPending !== undefined || bet?.spot ? { amount_minor: bet.amount_minor, isPending: bet.isPending, ...(bet.spot && { x: bet.spot[0], y: bet.spot[1] }) } : {});

/** What is printed stays as it is: it is drawn once. @extends {Component<{pane: House.Pane, mark: string}>} */
class Ground extends Component {
  /** @param {{mark: string}} next */
  shouldComponentUpdate(next) {
    return next.mark !== this.props.mark;
  }

  /** @param {{pane: House.Pane, mark: string}} props */
  render({ pane }) {
    return html`<g class="ground">${(pane.fields ?? []).map(field)}${(pane.strokes ?? []).map(stroke)}${(pane.notes ?? []).map(note)}</g>`;
  }
}

/** @typedef {{places: Own.Place[], mark: string, scale: number, refused: string}} PlacesProps */

/** The places of a pane: each can be tapped, pressed long, and reached by keys. @extends {Component<PlacesProps>} */
class Places extends Component {
  /** @param {PlacesProps} next */
  shouldComponentUpdate(next) {
    return next.mark !== this.props.mark || next.scale !== this.props.scale || next.refused !== this.props.refused;
  }

  /** @param {PlacesProps} props */
  render({ places, scale, refused }) {
    const least = target(places, scale);
    return html`<g class="places">${places.map((place, number) => spot(place, least, !refused.includes(`|${place.key}|`), number === 0))}</g>`;
  }
}

/** @param {Own.Place} place @param {number} least @param {boolean} isOpen @param {boolean} isFirst */
function spot(place, least, isOpen, isFirst) {
  const width = Math.max(place.width, least);
  const height = Math.max(place.height, least);
  return html`<rect class="place" role="button" tabindex=${isFirst ? 0 : -1} key=${place.key} data-do=${place.do} data-place=${place.place}
    data-seat=${place.seat?.seat} aria-label=${place.label} aria-disabled=${isOpen ? undefined : "true"}
    x=${place.x + (place.width - width) / 2} y=${place.y + (place.height - height) / 2} width=${width} height=${height} rx="6" />`;
}

/** The places of a pane with their seats where they have one each: `spots` by seat. @param {Own.Layout} layout @param {string} code @returns {Own.Place[]} */
export function placesOf(layout, code) {
  const seats = layout.seats ?? [];
  return (layout.places ?? []).filter((place) => place.pane === code).flatMap((place) => {
    const { spots } = place;
    if (!spots) return place.seated ? [] : [{ ...place, key: place.place }];
    return seats.filter((seat) => spots[seat.seat]).map((seat) => ({ ...place, ...spots[seat.seat], seat, key: `${place.place} ${seat.seat}`, label: `${seat.label}, ${place.label}` }));
  });
}

/** The refusal of a place, as the house names it: at this seat, or at every one. @param {Own.Layout} layout @param {Own.Place} place */
export function placeRefusal(layout, place) {
  const isOfPlace = (/** @type {House.PlaceRefusal} */ refusal) => refusal.place === place.place && (refusal.seat === null || refusal.seat === undefined || refusal.seat === place.seat?.seat);
  return (layout.refused_places ?? []).find(isOfPlace)?.refusal ?? null;
}

/** @param {Own.Layout} layout @param {Own.Place[]} places */
const refusedKeys = (layout, places) => `|${places.filter((place) => placeRefusal(layout, place)).map((place) => place.key).join("|")}|`;

/** How far apart the middles of the two nearest places are, in units of the cloth. @param {Own.Place[]} places */
function distance(places) {
  const middles = places.map((place) => [place.x + place.width / 2, place.y + place.height / 2]);
  let least = Infinity;
  for (let a = 0; a < middles.length; a += 1)
    for (let b = a + 1; b < middles.length; b += 1)
      least = Math.min(least, Math.max(Math.abs(middles[a][0] - middles[b][0]), Math.abs(middles[a][1] - middles[b][1])));
  return least;
}

/** The least size of a target in units of the cloth: 48 pixels, where it does not cover the middle of another place. @param {Own.Place[]} places @param {number} scale */
const target = (places, scale) => (scale ? Math.min(TARGET_PX / scale, 1.8 * distance(places)) : 0);

/** The width of an enlarged cloth in pixels: every place is a target of its own, 48 pixels from the next one. @param {House.Pane} pane @param {Own.Place[]} places */
const enlargedWidth = (pane, places) => (places.length > 1 ? Math.ceil((pane.width * (TARGET_PX + 1)) / distance(places)) : 0);

/** The nearest place whose target holds the point: targets of small places overlap. @param {Own.Place[]} places @param {number} x @param {number} y @param {number} least */
function nearest(places, x, y, least) {
  const distanceFrom = (/** @type {Own.Place} */ place) => {
    const dx = Math.abs(x - place.x - place.width / 2), dy = Math.abs(y - place.y - place.height / 2);
    const holds = dx <= Math.max(place.width, least) / 2 && dy <= Math.max(place.height, least) / 2;
    return holds ? Math.hypot(dx / place.width, dy / place.height) : Infinity;
  };
  const best = places.reduce((a, b) => (distanceFrom(b) < distanceFrom(a) ? b : a), places[0]);
  return best && distanceFrom(best) < Infinity ? best : null;
}

/**
 * @typedef {{pane: House.Pane, layout: Own.Layout, bets: Own.Bet[], isOffline: boolean, isEnlarged: boolean,
 *   onTap: (place: Own.Place) => void, onTakeBack: (place: Own.Place) => void}} PaneProps
 */

/** @extends {Component<PaneProps, {scale: number}>} */
export class Pane extends Component {
  constructor() {
    super();
    this.places = /** @type {Own.Place[]} */ ([]);
    this.svg = /** @type {SVGSVGElement} */ (/** @type {unknown} */ (null)); // drawn before anything is tapped
    this.pressed = /** @type {Own.Place | null} */ (null);
    this.state = { scale: 1 };
  }

  componentDidMount() {
    this.observer = new ResizeObserver(() => this.measure());
    this.observer.observe(this.svg);
    this.measure();
  }

  componentWillUnmount() {
    this.observer?.disconnect();
  }

  /** @param {PaneProps} before */
  componentDidUpdate(before) {
    if (!before.isEnlarged && this.props.isEnlarged) this.show(this.last);
  }

  /** Scroll an enlarged cloth to the place that was tapped last, or to its middle. @param {Own.Place} [place] */
  show(place) {
    const felt = /** @type {Element} */ (this.svg.closest(".felt"));
    const [x, y] = place ? [place.x + place.width / 2, place.y + place.height / 2] : [this.props.pane.width / 2, this.props.pane.height / 2];
    const at = new DOMPoint(x, y).matrixTransform(this.svg.getScreenCTM() ?? undefined);
    const view = felt.getBoundingClientRect();
    felt.scrollBy(at.x - view.x - view.width / 2, at.y - view.y - view.height / 2);
  }

  measure() {
    const scale = Math.round((this.svg.clientWidth / this.props.pane.width) * 100) / 100;
    if (scale !== this.state.scale) this.setState({ scale });
  }

  /** @param {PointerEvent} event */
  placeAt(event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM()?.inverse());
    return nearest(this.places, point.x, point.y, target(this.places, this.state.scale));
  }

  /** A tap lays, a long press takes back; the nearest place counts, a key counts where it is. @param {PointerEvent} event */
  down(event) {
    this.pressed = this.placeAt(event);
    this.isLong = false;
    clearTimeout(this.timer);
    if (!this.pressed) return;
    this.last = this.pressed;
    const place = this.pressed;
    this.timer = setTimeout(() => {
      this.isLong = true;
      this.props.onTakeBack(place);
    }, LONG_MS);
  }

  up() {
    clearTimeout(this.timer);
  }

  /** @param {PointerEvent} event */
  click(event) {
    const isKey = event.detail === 0 && event.clientX === 0;
    const place = isKey || !this.pressed ? this.placeOfElement(event.target) : this.pressed;
    this.pressed = null;
    if (place && !this.isLong) this.props.onTap(place);
    this.isLong = false;
  }

  /** @param {any} element */
  placeOfElement(element) {
    return this.places.find((place) => place.place === element.dataset?.place && String(place.seat?.seat ?? "") === (element.dataset.seat ?? ""));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const here = this.placeOfElement(event.target);
    if (!here) return;
    if (event.key === "Enter" || event.key === " ") this.props.onTap(here);
    else if (!event.repeat && ["Delete", "Backspace"].includes(event.key)) this.props.onTakeBack(here);
    else if (!event.key.startsWith("Arrow") || !this.step(here, event.key.slice(5))) return;
    event.preventDefault();
  }

  /** @param {Own.Place} here @param {string} arrow */
  step(here, arrow) {
    const direction = DIRECTIONS[arrow];
    if (!direction) return false;
    const middle = (/** @type {Own.Place} */ place) => [place.x + place.width / 2, place.y + place.height / 2];
    const cost = (/** @type {Own.Place} */ place) => {
      const [dx, dy] = middle(place).map((value, axis) => value - middle(here)[axis]);
      const along = dx * direction[0] + dy * direction[1];
      const across = Math.abs(dx * direction[1] + dy * direction[0]);
      if (along <= 1) return Infinity;
      return across <= along ? Math.hypot(along, across) : OFF_AXIS_COST + along + 3 * across; // so that every place can be reached
    };
    const next = this.places.reduce((a, b) => (cost(b) < cost(a) ? b : a), here);
    if (next === here || cost(next) === Infinity) return false;
    const target = this.svg.querySelector(`[data-place="${CSS.escape(next.place)}"]${next.seat ? `[data-seat="${next.seat.seat}"]` : ""}`);
    /** @type {SVGElement | null} */ (target)?.focus();
    return true;
  }

  /** @param {PaneProps} props */
  render({ pane, layout, bets, isOffline, isEnlarged }) {
    this.places = placesOf(layout, pane.code);
    const mark = `${layout.ruleset}|${pane.code}|${(pane.fields ?? []).length}|${(layout.seats ?? []).map((seat) => seat.seat)}`;
    const colours = Object.fromEntries((layout.seats ?? []).map((seat) => [seat.seat, seat.colour]));
    const betsById = new Map(bets.map((bet) => [bet.bet, bet]));
    const chips = (pane.chips ?? []).filter((chip) => chip.is_due || betsById.has(chip.bet)).map((chip) => ({ ...chip, ...(chip.is_due ? {} : shownAt(betsById.get(chip.bet))), colour: colours[chip.place ?? 0] }));
    const width_px = isEnlarged && enlargedWidth(pane, this.places);
    return html`<div class="pane pane-${pane.code} ${width_px ? "enlarged" : ""}" style=${{ "--pane-width": pane.width, "--pane-height": pane.height, "--enlarged": width_px ? `${width_px}px` : undefined }}>
      <svg class="cloth" viewBox="0 0 ${pane.width} ${pane.height}" role="group" aria-label=${word("layout")} ref=${(/** @type {SVGSVGElement | null} */ svg) => (this.svg = svg ?? this.svg)}
        onPointerDown=${(/** @type {PointerEvent} */ event) => this.down(event)} onPointerUp=${() => this.up()} onPointerCancel=${() => this.up()} onPointerLeave=${() => this.up()}
        onClick=${(/** @type {PointerEvent} */ event) => this.click(event)} onKeyDown=${(/** @type {KeyboardEvent} */ event) => this.key(event)} onContextMenu=${(/** @type {Event} */ event) => event.preventDefault()}>
        <${Ground} pane=${pane} mark=${mark} />
        ${(pane.marks ?? []).map(stroke)}${(pane.discs ?? []).map(disc)}${(pane.cards ?? []).map(face)}${(pane.dice ?? []).map(die)}
        <${Places} places=${this.places} mark=${mark} scale=${this.state.scale} refused=${isOffline ? "" : refusedKeys(layout, this.places)} />
        <g class="chips">${chips.map(chip)}${this.onTheirWay(layout, bets, chips).map(chip)}</g>
      </svg></div>`;
  }

  /** Stakes that the house has not shown yet, in a fan over what lies at the place. @param {Own.Layout} layout @param {Own.Bet[]} bets @param {{bet: string}[]} shown */
  onTheirWay(layout, bets, shown) {
    const shownBets = new Set(shown.map((chip) => chip.bet));
    const piles = new Map();
    return bets.filter((bet) => bet.isNew && !shownBets.has(bet.bet)).flatMap((bet) => {
      const place = this.places.find((candidate) => candidate.place === placeOf(layout, bet)?.place && (!candidate.seat || bet[candidate.seat.field ?? "seat"] === candidate.seat.seat));
      if (!place) return [];
      const height = piles.get(place.key) ?? 0;
      piles.set(place.key, height + 1);
      const seat = (layout.seats ?? []).find((candidate) => bet[candidate.field ?? "seat"] === candidate.seat);
      return [{ x: place.x + place.width / 2 + 4 * height, y: place.y + place.height / 2 - 4 * height, amount_minor: bet.amount_minor,
        bet: bet.bet, player: bet.player, colour: seat?.colour, ...shownAt(bet) }];
    });
  }
}
