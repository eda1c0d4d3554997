// Preact and htm bound together, and the words of the page.
import { h, render, Component } from "../vendor/preact-11.2.0.module.js";
import htm from "../vendor/htm-3.1.1.module.js";

export const html = htm.bind(h);
export { render, Component };

const data = (/** @type {string} */ id) => JSON.parse(document.getElementById(id)?.textContent ?? "{}");

/** What the house wrote into the page: the table's name, its addresses, the language. */
export const PAGE = data("page");
const WORDS = /** @type {Record<string, string>} */ (data("words"));

/** A word of the page in the reader's language, with `{name}` filled in. @param {string} name @param {Record<string, any>} [values] */
export function word(name, values = {}) {
  return (WORDS[name] ?? name).replace(/\{(\w+)\}/g, (_, key) => values[key] ?? "");
}

let digits = 2;
const formats = /** @type {Map<string, Intl.NumberFormat>} */ (new Map()); // a number format costs a hundred times what it formats

/** @param {number} least digits after the point */
function format(least) {
  const key = `${least} ${digits}`;
  const formatter = formats.get(key) ?? new Intl.NumberFormat(PAGE.language, { minimumFractionDigits: least, maximumFractionDigits: digits });
  formats.set(key, formatter);
  return formatter;
}

/** The currency's digits after the point, as the house names them. @param {House.Money} [habit] */
export function useMoney(habit) {
  digits = habit?.digits ?? digits;
}

/** Minor units in one of the currency. */
export const unit = () => 10 ** digits;

/** An amount in minor units as people read it: 12,500 as "125", 12,550 as "125.50". @param {number} minor */
export function money(minor, { signed = false } = {}) {
  const sign = minor < 0 ? "−" : signed && minor > 0 ? "+" : "";
  const least = Math.abs(minor) % unit() === 0 ? 0 : digits;
  return sign + format(least).format(Math.abs(minor) / unit());
}

/** Hours and minutes of a time. @param {string | null | undefined} time */
export function clock(time) {
  return new Date(time ?? "").toLocaleTimeString(PAGE.language, { hour: "2-digit", minute: "2-digit" });
}

const COLOURS = ["white", "yellow", "orange", "red", "purple", "blue", "green", "brown", "pink", "grey"];

/** The class of a player's colour: the house numbers them from 1. @param {{colour?: number | string} | null} [seat] */
export const colourOf = (seat) => `col-${typeof seat?.colour === "number" ? COLOURS[(seat.colour - 1) % COLOURS.length] : seat?.colour ?? "white"}`;

/** A card ("7D") with its sign, and whether it is red. @param {string} code */
export function card(code) {
  /** @type {Record<string, string>} */
  const signs = { S: "♠", H: "♥", D: "♦", C: "♣" };
  const rank = code[0] === "T" ? "10" : code[0];
  return { text: rank + signs[code[1]], rank, sign: signs[code[1]], red: "HD".includes(code[1]) };
}
