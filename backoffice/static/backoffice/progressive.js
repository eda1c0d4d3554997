// The progressive's page: meters count up with the stream. Everything else, and the meters where there is no stream,
// follows by the page's own polling.
"use strict";

import { Counter, follow, formatAmount } from "./live.js";

const stream = document.getElementById("stream");
const counters = new Map();
let isAlive = false;
let lastState = null;

const card = (level) => document.querySelector(`[data-level="${CSS.escape(level)}"]`);

function write(level, minor) {
  const figure = card(level)?.querySelector(".shown data");
  if (!figure) return;
  const amount = [...figure.childNodes].find((part) => part.nodeType === Node.TEXT_NODE && /\d/.test(part.data));
  const [before, after] = amount.data.split(/[\d].*\d|\d/);
  figure.value = minor;
  amount.data = `${before}${formatAmount(minor, stream.dataset)}${after}`;
}

function show(level) {
  const element = card(level.level);
  if (!element) return;
  element.dataset.status = level.status;
  if (!counters.has(level.level)) {
    const figure = element.querySelector(".shown data");
    counters.set(level.level, new Counter(Number(figure.value), (minor) => write(level.level, minor)));
  }
  counters.get(level.level).countTo(level.shown_minor);
}

// What the hits' rows tell is written by the server: they are asked for as soon as the stream says that they changed.
function onState(live) {
  const before = lastState;
  lastState = live;
  live.levels.forEach(show);
  if (before && JSON.stringify(before.hits) !== JSON.stringify(live.hits)) htmx.trigger("#live", "hits");
}

function onAlive(isLive) {
  isAlive = isLive;
  stream.dataset.state = isLive ? "live" : "polled";
  stream.textContent = isLive ? stream.dataset.live : stream.dataset.polled;
}

// The polled page comes with its own figures: those of the stream are newer.
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.target.id !== "live") return;
  if (!isAlive || !lastState) return counters.clear();
  for (const level of lastState.levels) {
    const element = card(level.level);
    if (element) element.dataset.status = level.status;
    write(level.level, counters.get(level.level).shown);
  }
});

follow(stream.dataset.url, { state: onState, beat: () => {}, alive: onAlive });
