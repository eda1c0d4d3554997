// A round step by step: by the arrow keys, and played at a speed. Everything else is plain links.
"use strict";

const LEAST_MS = 150;
const MOST_MS = 5000; // however long nothing happened
const FAILED_MS = 3000; // after a step that could not be loaded
const KEYS = { ArrowLeft: "prev", ArrowRight: "next", Home: "first", End: "last" };
let timer = 0;

const stepLink = (name) => document.getElementById(`step-${name}`);

function onStepKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !KEYS[event.key]) return;
  if (event.target.closest("input, select, textarea, .scroll, .steps, dialog")) return;
  const link = stepLink(KEYS[event.key]);
  if (!link) return;
  event.preventDefault();
  link.click();
}

// How long this step is shown: as long as it lasted, by the speed, or a second.
function nextStepDelay_ms() {
  const speed = document.getElementById("speed").value;
  const gap = Number(document.getElementById("step").dataset.gap);
  return speed === "each" ? 1000 : Math.min(Math.max(gap / Number(speed), LEAST_MS), MOST_MS);
}

function play(isPlaying) {
  const button = document.getElementById("play");
  clearTimeout(timer);
  timer = 0;
  if (isPlaying && !stepLink("next")) stepLink("first")?.click(); // from the end it begins again
  if (isPlaying) timer = setTimeout(playNext, nextStepDelay_ms());
  if ((button.getAttribute("aria-pressed") === "true") === isPlaying) return;
  [button.textContent, button.dataset.stop] = [button.dataset.stop, button.textContent];
  button.setAttribute("aria-pressed", String(isPlaying));
}

function playNext() {
  const next = stepLink("next");
  if (next) next.click();
  else play(false);
}

function playAgain(after_ms) {
  clearTimeout(timer);
  timer = setTimeout(playNext, after_ms);
}

document.addEventListener("keydown", onStepKey);
document.addEventListener("DOMContentLoaded", () => {
  document.getElementById("player").hidden = false;
  document.getElementById("play").addEventListener("click", () => play(!timer));
  document.getElementById("speed").addEventListener("change", () => timer && play(true));
});
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.target.id !== "live") return;
  document.querySelector(".steps .here")?.scrollIntoView({ block: "nearest" });
  if (timer) playAgain(nextStepDelay_ms());
});
document.addEventListener("htmx:afterRequest", (event) => {
  if (timer && event.detail.target.id === "live" && !event.detail.successful) playAgain(FAILED_MS);
});
