// Charts: the value under the pointer or the finger, and by the arrow keys; a click or Enter leads to the round.
// The same values stand in the list below the chart, which is there without this script as well.
"use strict";

const lastViewed = new Map(); // by chart: which value somebody looked at, for when the page follows

const chartOf = (list) => document.getElementById(list.dataset.of);
const listOf = (chart) => document.querySelector(`.spots[data-of="${CSS.escape(chart.id)}"]`);
const spotsOf = (list) => [...list.querySelectorAll("[data-x]")];

function show(list, spot) {
  const label = list.querySelector(".spot-value");
  const cursor = chartOf(list).querySelector(".cursor");
  label.href = spot.href;
  label.textContent = spot.textContent;
  cursor.setAttribute("d", `M${spot.dataset.x} 0V${cursor.dataset.height}`);
  lastViewed.set(list.dataset.of, spot.getAttribute("href"));
}

// Which value holds at the pointer's place.
function spotUnder(list, plot, event) {
  const box = plot.getBoundingClientRect();
  const x = ((event.clientX - box.left) / box.width) * plot.viewBox.baseVal.width;
  const spots = spotsOf(list);
  return spots.findLast((spot) => Number(spot.dataset.x) <= x) || spots[0];
}

function onPointer(event) {
  const plot = event.target.closest?.(".chart .plot");
  const list = plot && listOf(plot.parentElement);
  if (list) show(list, spotUnder(list, plot, event));
}

// A finger chooses and then follows the words; a mouse that clicks has seen them.
function onPlotClick(event) {
  const plot = event.target.closest(".chart .plot");
  const list = plot && !event.target.closest("a") && listOf(plot.parentElement);
  if (list && event.pointerType === "mouse") location.assign(spotUnder(list, plot, event).href);
}

function onArrow(event) {
  const list = event.target.closest?.(".spot-value")?.parentElement;
  const spots = list ? spotsOf(list) : [];
  const last = spots.length - 1;
  const now = spots.findIndex((spot) => spot.href === event.target.href);
  const next = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: last }[event.key];
  if (next === undefined || last < 0) return;
  event.preventDefault();
  show(list, spots[Math.min(Math.max(next, 0), last)]);
}

// The page that follows comes with its newest value: who was looking at another one goes on with that.
function showSelectedSpot() {
  for (const list of document.querySelectorAll(".spots")) {
    const spot = spotsOf(list).find((spot) => spot.getAttribute("href") === lastViewed.get(list.dataset.of));
    if (spot) show(list, spot);
  }
}

document.addEventListener("pointermove", onPointer);
document.addEventListener("pointerdown", onPointer);
document.addEventListener("click", onPlotClick);
document.addEventListener("keydown", onArrow);
document.addEventListener("htmx:afterSwap", showSelectedSpot);
