// The palette: a combobox over what this page offers, the places that are open to whoever is signed in, and the log.
// The places come from the server when it is first opened; what is chosen is a link, or the form that searches.
"use strict";

const PLACES_MAX = 50;
const ANSWER_MS = 10_000;
const AGAIN_MS = [1000, 2000, 4000, 8000];
const palette = document.getElementById("palette");
const form = palette?.querySelector("form");
const field = form?.elements.q;
const list = palette?.querySelector("[role=listbox]");
const selectedOption = () => list.querySelector("[aria-selected=true]");
let places = null;
let openings = 0;
let isFailing = false;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function request() {
  const options = { headers: { "HX-Request": "true" }, signal: AbortSignal.timeout(ANSWER_MS) };
  const answer = await fetch(palette.dataset.places, options);
  if (answer.status === 401) await new Promise(() => location.reload()); // signed out meanwhile: the page ends here
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return (await answer.json()).places;
}

// Loads the places once. While the palette is open, it repeats a request that fails or gets no answer.
async function load() {
  const opening = ++openings;
  for (let tries = 0; !places && palette.open && opening === openings; tries++) {
    const answer = await request().catch(() => null);
    if (places) return;
    places = answer;
    isFailing = !answer;
    if (answer) return show();
    showStatus();
    await pause(AGAIN_MS[Math.min(tries, AGAIN_MS.length - 1)]);
  }
}

function open() {
  if (document.querySelector("dialog[open]")) return;
  palette.showModal();
  field.setAttribute("aria-expanded", "true");
  field.value = "";
  show();
  load();
}

function showStatus() {
  const { failed, loading, nothing } = palette.dataset;
  const words = places ? (list.children.length ? "" : nothing) : isFailing ? failed : loading;
  palette.querySelector("[role=status]").textContent = words;
}

const fold = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

// Links that the page itself has: what whoever looks may do there, their own account.
function pageLinks(selector) {
  const part = (link) => link.closest("nav")?.getAttribute("aria-label");
  const place = (link) => ({ words: link.title || link.textContent.trim(), url: link.href, part: part(link) });
  return [...document.querySelectorAll(selector)].map(place);
}

const allPlaces = () => [...pageLinks("main .acts a[href]"), ...(places ?? []), ...pageLinks(".who a[href]")];

const hasWordStart = (text, query) => text.startsWith(query) || text.includes(` ${query}`) || text.includes(`-${query}`);

// How well it is called so: its name begins so, words of its name do, words around it do; null: it is not.
function rank(place, query) {
  const words = fold(query).split(/\s+/).filter(Boolean);
  const name = fold(place.words);
  const all = `${name} ${fold(place.part ?? "")} ${fold(place.also ?? "")}`;
  if (!words.every((word) => hasWordStart(all, word))) return null;
  if (name.startsWith(words.join(" "))) return 0;
  return words.every((word) => hasWordStart(name, word)) ? 1 : 2;
}

// A place that is named as it is typed, with that in its name and address; the others as they are.
function fillPlace(place, query) {
  if (!place.typed) return { ...place, rank: rank(place, query) };
  const match = query.match(new RegExp(place.typed, "i"));
  if (!match) return { rank: null };
  const fill = (text, values) => text.replaceAll("{}", () => values.shift());
  const url = fill(place.url, match.slice(1).map(encodeURIComponent));
  const filledPlace = { ...place, url, words: fill(place.words, match.slice(1)) };
  return { ...filledPlace, rank: rank(filledPlace, query.replace(match[0], "")) };
}

function matchingPlaces(query) {
  const all = allPlaces().map((place) => fillPlace(place, query)).filter((place) => place.rank !== null);
  const sorted = all.sort((place, other) => place.rank - other.rank);
  const unique = sorted.filter((place, at) => sorted.findIndex((other) => other.url === place.url) === at);
  const shown = unique.slice(0, PLACES_MAX);
  const search = palette.dataset.search;
  return query && search ? [...shown, { words: search.replace("{}", () => query) }] : shown;
}

function text(tag, words, attributes = {}) {
  return Object.assign(document.createElement(tag), { textContent: words, ...attributes });
}

function option(place, at) {
  const link = text("a", "", { id: `place-${at}`, tabIndex: -1 });
  link.setAttribute("role", "option");
  if (place.url) link.href = place.url;
  link.append(text("span", place.words), text("span", place.part ?? "", { className: "note" }));
  if (place.key) link.append(text("kbd", `g ${place.key}`, { ariaHidden: "true" }));
  return link;
}

function show() {
  const query = field.value.trim();
  const shown = matchingPlaces(query);
  list.replaceChildren(...shown.map(option));
  choose(list.firstElementChild);
  showStatus();
}

function choose(item) {
  for (const other of list.children) other.setAttribute("aria-selected", String(other === item));
  if (!item) return field.removeAttribute("aria-activedescendant");
  field.setAttribute("aria-activedescendant", item.id);
  item.scrollIntoView({ block: "nearest" });
}

function onKey(event) {
  const all = [...list.children];
  const now = all.indexOf(selectedOption());
  if (event.key === "ArrowDown") choose(all[(now + 1) % all.length]);
  else if (event.key === "ArrowUp") choose(all[(now - 1 + all.length) % all.length]);
  else return;
  event.preventDefault();
}

// Enter: a place is gone to; only the search is sent.
function onSubmit(event) {
  const item = selectedOption();
  if (item && !item.href) return;
  event.preventDefault();
  item?.click();
}

// A page that the browser keeps is found with the palette closed when one comes back.
function onClick(event) {
  const item = event.target.closest("[role=option]");
  if (item && !item.href) {
    choose(item);
    form.requestSubmit();
  } else if ((item && !event.ctrlKey && !event.metaKey) || event.target === palette) palette.close();
}

if (palette) {
  field.addEventListener("input", show);
  field.addEventListener("keydown", onKey);
  form.addEventListener("submit", onSubmit);
  palette.addEventListener("click", onClick);
  palette.addEventListener("close", () => field.setAttribute("aria-expanded", "false"));
  document.addEventListener("click", (event) => event.target.closest("[data-palette]") && open());
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== "k") return;
    event.preventDefault();
    if (event.repeat) return; // a key that is held down
    if (palette.open) palette.close();
    else open();
  });
}
