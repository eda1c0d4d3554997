// The wall display of alerts: it follows the stream of open alerts, sounds for new ones, and acknowledges by key.
// It keeps what it shows, and looks old, while nobody speaks to it.
"use strict";

import { follow } from "./live.js";

const AGAIN_MS = 10_000; // the sound repeats after this time while a high alert is new
const LATER_MS = 1_500; // the log may be read a moment after the alerts
const ANSWER_MS = 10_000;
const RETRY_MS = 3_000; // after a failed request for the alerts
const NOTES = { high: [880, 660, 880, 660], medium: [660, 880], low: [660] };
const { url, part, zone } = document.body.dataset;
const wall = document.getElementById("wall");
const button = document.getElementById("sound");
let shownIds = new Set(newAlerts().map((alert) => alert.dataset.id));
let audio = null; // made by the first gesture: browsers allow no sound before
let isOn = false;
let isAlive = false;
let isStale = false; // the last request for the alerts failed
let retry = 0;
let heardAt = new Date();
let requestCount = 0;

function newAlerts() {
  return [...wall.querySelectorAll("[data-new]")];
}

// --- sound

function play(severity) {
  if (!isOn || audio?.state !== "running") return;
  const notes = NOTES[severity] ?? NOTES.low;
  notes.forEach((pitch, number) => {
    const tone = audio.createOscillator();
    const loudness = audio.createGain();
    const at = audio.currentTime + number * 0.22;
    tone.frequency.value = pitch;
    loudness.gain.setValueAtTime(0.0001, at);
    loudness.gain.exponentialRampToValueAtTime(0.4, at + 0.02);
    loudness.gain.exponentialRampToValueAtTime(0.0001, at + 0.2);
    tone.connect(loudness).connect(audio.destination);
    tone.start(at);
    tone.stop(at + 0.21);
  });
  document.body.dataset.sounds = String(Number(document.body.dataset.sounds ?? 0) + 1);
}

function showSound() {
  const isSounding = isOn && audio?.state === "running";
  document.querySelector(".sound .on").hidden = !isSounding;
  document.querySelector(".sound .off").hidden = isSounding;
  button.setAttribute("aria-pressed", String(isSounding));
  button.textContent = isSounding ? button.dataset.on : button.dataset.off;
}

async function toggleSound() {
  isOn = !isOn;
  if (isOn) {
    audio ??= new AudioContext();
    audio.onstatechange = showSound; // the system may take the sound away
    await audio.resume();
    play("low");
  }
  showSound();
}

setInterval(() => {
  if (newAlerts().some((alert) => alert.dataset.severity === "high")) play("high");
}, AGAIN_MS);

// --- alerts

function show(html) {
  isStale = false;
  const focusedId = document.activeElement.closest?.("[data-id]")?.dataset.id;
  const isButton = document.activeElement.matches("button");
  wall.innerHTML = html;
  const row = focusedId && wall.querySelector(`[data-id="${CSS.escape(focusedId)}"]`);
  if (row) ((isButton && row.querySelector("button")) || row.querySelector("a")).focus();
  const fresh = newAlerts();
  const arrivals = fresh.filter((alert) => !shownIds.has(alert.dataset.id));
  shownIds = new Set(fresh.map((alert) => alert.dataset.id));
  document.title = document.title.replace(/^\(\d+\) /, "").replace(/^/, fresh.length ? `(${fresh.length}) ` : "");
  if (!arrivals.length) return;
  const worst = ["high", "medium", "low"].find((severity) => arrivals.some((alert) => alert.dataset.severity === severity));
  play(worst);
  const news = document.getElementById("news");
  news.textContent = `${news.dataset.words}: ${arrivals.map((alert) => alert.querySelector("h3").textContent).join(", ")}`;
}

async function refresh() {
  const number = ++requestCount;
  const address = `${part}${part.endsWith("?") ? "" : "&"}seen=${number}`;
  try {
    const options = { headers: { "HX-Request": "true" }, signal: AbortSignal.timeout(ANSWER_MS) };
    const answer = await fetch(address, options);
    if (answer.status === 401 || answer.status === 403) return location.reload(); // signed out, or another role now
    if (!answer.ok) throw new Error(answer.statusText);
    const html = await answer.text();
    if (number === requestCount) show(html);
    if (isAlive && !isStale) heardAt = new Date();
  } catch {
    if (number !== requestCount) return; // a later request decides
    isStale = true;
    signal("lost");
    clearTimeout(retry);
    retry = setTimeout(() => isStale && refresh(), RETRY_MS);
  }
}

// The form of an alert is sent without leaving the page: another page would have no sound.
async function acknowledge(form) {
  const data = new FormData(form);
  data.set("form-back", part);
  form.querySelector("button").disabled = true;
  try {
    const body = new URLSearchParams(data);
    const answer = await fetch(form.action, { method: "POST", body, signal: AbortSignal.timeout(ANSWER_MS) });
    const isPart = new URL(answer.url).pathname === new URL(part, location.href).pathname;
    if (!isPart) return location.assign(form.action); // its form says why not
    requestCount++;
    show(await answer.text());
  } catch {
    signal("lost");
    refresh();
  }
}

wall.addEventListener("submit", (event) => {
  event.preventDefault();
  acknowledge(event.target);
});
button.addEventListener("click", toggleSound);
document.querySelector("header form").addEventListener("change", (event) => event.currentTarget.submit());

// --- keyboard

function moveBy(by) {
  const links = [...wall.querySelectorAll("a[data-alert]")];
  if (!links.length) return;
  const at = links.indexOf(document.activeElement.closest?.("[data-id]")?.querySelector("a"));
  links[Math.min(Math.max(at + by, 0), links.length - 1)].focus();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select")) return;
  const row = document.activeElement.closest?.("[data-id]") ?? newAlerts()[0];
  const act = {
    j: () => moveBy(1),
    k: () => moveBy(-1),
    s: toggleSound,
    a: () => row?.querySelector("[data-acknowledge]")?.requestSubmit(),
  }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

// --- stream

function signal(state) {
  document.body.dataset.signal = state;
  document.getElementById("since").textContent = heardAt.toLocaleTimeString("en-GB", { timeZone: zone });
}

follow(url, {
  name: "alerts",
  state: () => {
    refresh();
    setTimeout(refresh, LATER_MS);
  },
  beat: ({ state }) => {
    if (isStale) return signal("lost");
    if (state === "current" || state === "empty") heardAt = new Date();
    signal(state === "current" || state === "empty" ? "live" : "old");
  },
  alive: (isLive) => {
    isAlive = isLive;
    if (isLive && !isStale) heardAt = new Date();
    signal(isLive && !isStale ? "live" : "lost");
    if (!isLive) refresh(); // one that was signed out shows the sign-in page, and no old alerts
  },
});
