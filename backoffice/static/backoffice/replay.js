// A round step by step: by the arrow keys, and played at a speed. Everything else is plain links.
"use strict";

const LEAST_MS = 150;
const MOST_MS = 5000; // however long nothing happened
const FAILED_MS = 3000; // after a step that could not be loaded
const KEYS = { ArrowLeft: "prev", ArrowRight: "next", Home: "first", End: "last" };
let playing = 0;

const way = (name) => document.getElementById(`step-${name}`);

function onStepKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !KEYS[event.key]) return;
  if (event.target.closest("input, select, textarea, .scroll, .steps, dialog")) return;
  const link = way(KEYS[event.key]);
  if (!link) return;
  event.preventDefault();
  link.click();
}

// How long this step is shown: as long as it lasted, by the speed, or a second.
function lasting() {
  const speed = document.getElementById("speed").value;
  const gap = Number(document.getElementById("step").dataset.gap);
  return speed === "each" ? 1000 : Math.min(Math.max(gap / Number(speed), LEAST_MS), MOST_MS);
}

function play(yes) {
  const button = document.getElementById("play");
  clearTimeout(playing);
  playing = 0;
  if (yes && !way("next")) way("first")?.click(); // from the end it begins again
  if (yes) playing = setTimeout(goOn, lasting());
  if ((button.getAttribute("aria-pressed") === "true") === yes) return;
  [button.textContent, button.dataset.stop] = [button.dataset.stop, button.textContent];
  button.setAttribute("aria-pressed", String(yes));
}

function goOn() {
  const next = way("next");
  if (next) next.click();
  else play(false);
}

function playAgain(after_ms) {
  clearTimeout(playing);
  playing = setTimeout(goOn, after_ms);
}

document.addEventListener("keydown", onStepKey);
document.addEventListener("DOMContentLoaded", () => {
  document.getElementById("player").hidden = false;
  document.getElementById("play").addEventListener("click", () => play(!playing));
  document.getElementById("speed").addEventListener("change", () => playing && play(true));
});
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.target.id !== "live") return;
  document.querySelector(".steps .here")?.scrollIntoView({ block: "nearest" });
  if (playing) playAgain(lasting());
});
document.addEventListener("htmx:afterRequest", (event) => {
  if (playing && event.detail.target.id === "live" && !event.detail.successful) playAgain(FAILED_MS);
});
