// The sign on the casino floor. It shows the meters as they count up, "PENDING" while a hit waits for its lock, and
// the winning value for a while after it. It keeps what it knows, and looks old, while nobody speaks to it.
"use strict";

import { Counter, follow, formatAmount } from "./live.js";

const TURN_MS = 6000; // two things to tell of one level take turns
const { url, holdS, won, each, table, pending } = document.body.dataset;
const holdMs = Number(holdS) * 1000;
const rows = new Map();
const pen = document.createElement("canvas").getContext("2d");
const { fontWeight: weight, fontFamily: family } = getComputedStyle(document.querySelector("data"));
const widths = new Map();
let liveState = null;
let wins = []; // {level, text, where, until}: `until` by this machine's own clock
let heardAt = new Date();

for (const element of document.querySelectorAll("[data-level]")) {
  const figure = element.querySelector("data");
  const counter = new Counter(Number(figure.value), () => draw());
  rows.set(element.dataset.level, { element, counter, figure, where: element.querySelector(".where") });
}

// Winners of one lock show once, with the value of each.
function winsOf(live, nowMs) {
  const groups = new Map();
  for (const hit of live.hits) {
    if (hit.share_minor === null || hit.locked_ms === null) continue;
    const left = holdMs - (nowMs - hit.locked_ms);
    if (left <= 0) continue;
    const where = `${table} ${hit.table}`;
    const sharers = hit.sharers > 1 ? `\n${hit.sharers} ${each}` : "";
    groups.set(`${hit.level} ${hit.table} ${hit.round} ${hit.locked_ms}`, {
      level: hit.level,
      minor: hit.share_minor,
      where: `${won} · ${where}${sharers}`,
      until: performance.now() + left,
    });
  }
  return [...groups.values()];
}

function pendingAt(level) {
  const tables = liveState.hits.filter((hit) => hit.level === level && hit.status === "pending").map((hit) => hit.table);
  return [...new Set(tables)].map((name) => `${table} ${name}`).join(" · ");
}

// What a level has to tell now: the wins that are still to be shown, a wait, or its meter.
function displayOf(level) {
  const levelWins = wins.filter((win) => win.level === level);
  const displays = levelWins.map((win) => ({ state: "won", minor: win.minor, where: win.where }));
  if (liveState.levels.find((entry) => entry.level === level).status === "pending") {
    displays.push({ state: "pending", where: pendingAt(level) });
  }
  return displays.length ? displays[Math.floor(performance.now() / TURN_MS) % displays.length] : { state: "open", where: "" };
}

// How wide words are, in the size of their font: so that all figures are as large as the widest one lets them be.
function textWidth(words) {
  const zeros = words.replace(/\d/g, "0"); // all digits are of one width, and no figure jumps while it counts
  if (!widths.has(zeros)) {
    pen.font = `${weight} 100px ${family}`;
    widths.set(zeros, pen.measureText(zeros).width / 100);
  }
  return widths.get(zeros);
}

function draw() {
  if (!liveState) return;
  const now = performance.now();
  wins = wins.filter((win) => win.until > now);
  let widest = 4;
  for (const [level, { element, counter, figure, where }] of rows) {
    const { state, minor = counter.shown, where: text } = displayOf(level);
    const words = state === "pending" ? pending : formatAmount(minor, document.body.dataset);
    if (element.dataset.state !== state) element.dataset.state = state;
    if (figure.textContent !== words) figure.textContent = words;
    if (where.textContent !== text) where.textContent = text;
    figure.value = minor;
    widest = Math.max(widest, textWidth(words));
  }
  document.body.style.setProperty("--em", widest.toFixed(2));
}

function onState(live, nowMs) {
  liveState = live;
  wins = winsOf(live, nowMs);
  for (const level of live.levels) rows.get(level.level)?.counter.countTo(level.shown_minor);
  draw();
}

// The property's clock; with its distance from UTC where clocks show the same twice, as they are set back.
function clockTime(at) {
  const zone = { timeZone: document.body.dataset.zone };
  const shown = at.toLocaleString("en-GB", zone);
  const isRepeated = [-60, -30, 30, 60].some((minutes) => {
    return new Date(at.getTime() + minutes * 60_000).toLocaleString("en-GB", zone) === shown;
  });
  return at.toLocaleTimeString("en-GB", isRepeated ? { ...zone, timeZoneName: "longOffset" } : zone);
}

function signal(state) {
  document.body.dataset.signal = state;
  if (state === "live") heardAt = new Date();
  document.getElementById("since").textContent = clockTime(heardAt);
}

follow(url, {
  state: onState,
  beat: (beat) => signal(beat.state === "current" || beat.state === "empty" ? "live" : "old"),
  alive: (isLive) => signal(isLive ? "live" : "lost"),
});
setInterval(draw, 500);
