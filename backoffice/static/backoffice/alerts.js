// Alerts by keyboard: j and k move through the list, a and c open the forms of a row; n and p go on from an alert.
"use strict";

const isTypingHere = (element) => element.matches("input, textarea, select, [contenteditable]");

function moveBy(by) {
  const links = [...document.querySelectorAll("a[data-alert]")];
  if (!links.length) return;
  links[Math.min(Math.max(links.indexOf(document.activeElement) + by, 0), links.length - 1)].focus();
}

function openForm(number) {
  const row = document.activeElement.closest("tr");
  const form = row?.querySelectorAll(".quick details")[number];
  if (!form) return;
  form.open = true;
  form.querySelector("select").focus();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTypingHere(event.target)) return;
  if (document.querySelector("dialog[open]")) return;
  const act = {
    j: () => moveBy(1),
    k: () => moveBy(-1),
    a: () => openForm(0),
    c: () => openForm(1),
    n: () => document.getElementById("next-alert")?.click(),
    p: () => document.getElementById("previous-alert")?.click(),
  }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

// The list stands still while a form of it is open.
document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.target.id === "live" && document.querySelector(".quick details[open]")) event.preventDefault();
});
