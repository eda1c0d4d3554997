// What a page does by itself: keyboard, following, opening an event in its row. Everything else is plain links.
"use strict";

const SEQUENCE_MS = 1200;
const RETRY_MS = 3000; // after a failed request for a part of the page
let sequenceStartedAt = 0;

// The menu's entry with this key.
const page = (key) => document.querySelector(`.menu a[data-go="${CSS.escape(key)}"]`);

const isTyping = (element) => element.matches("input, textarea, select, [contenteditable]");

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const search = document.getElementById("search");
  if (isTyping(event.target)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (document.querySelector("dialog[open]")) return;
  if (event.key === "?") {
    event.preventDefault();
    document.getElementById("help")?.showModal();
  } else if (event.key === "/" && search) {
    event.preventDefault();
    search.focus();
    search.select();
  } else if (event.key === "g") {
    sequenceStartedAt = Date.now();
  } else if (Date.now() - sequenceStartedAt < SEQUENCE_MS && page(event.key)) {
    location.assign(page(event.key).href);
  } else if (event.key === "j" || event.key === "k") {
    step(event.key === "j" ? 1 : -1);
  } else if (event.key === "b" && !event.repeat) {
    document.querySelector("[data-bookmark]")?.click();
  } else if (event.key === "Escape") {
    document.querySelectorAll("tr.detail:not([hidden])").forEach((row) => toggle(row, false));
  }
}

// The log's rows by j and k; Enter opens, since the focus is on the link.
function step(by) {
  const rows = [...document.querySelectorAll("a[data-event]")];
  if (!rows.length) return;
  const now = rows.indexOf(document.activeElement);
  rows[Math.min(Math.max(now + by, 0), rows.length - 1)].focus();
}

function toggle(row, open) {
  row.hidden = !open;
  const link = document.querySelector(`a[data-event="${row.dataset.of}"]`);
  if (link) link.setAttribute("aria-expanded", String(open));
}

// Light, dark, or as the system has it. The server writes it into the next page, so nothing flashes.
function nextTheme(button) {
  const all = button.dataset.themes.split(" ");
  const next = all[(all.indexOf(theme()) + 1) % all.length];
  document.cookie = `pitledger_theme=${next}; path=/; max-age=31536000; samesite=strict`;
  if (next === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
}

const theme = () => document.documentElement.dataset.theme || "system";

function onClick(event) {
  const themes = event.target.closest("[data-themes]");
  if (themes) return nextTheme(themes);
  const close = event.target.closest("[data-close]");
  if (close) return close.closest("dialog").close();
  if (event.target.closest("[data-help]")) return document.getElementById("help").showModal();
  const link = event.target.closest("a[data-event]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  const row = document.getElementById(`detail-${link.dataset.event}`);
  toggle(row, row.hidden);
  if (!row.firstElementChild.childElementCount) {
    const cell = row.firstElementChild;
    htmx.ajax("GET", link.getAttribute("href"), { target: cell, swap: "innerHTML" }).catch(() => {}); // a banner says so
  }
}

// How old: the server says how old it was when it came, by the house's clock; from there the seconds run on here.
function updateAges() {
  document.querySelectorAll("[data-age]").forEach((element) => {
    element.dataset.since ??= Date.now() - Number(element.dataset.age) * 1000;
    const seconds = Math.max(0, Math.floor((Date.now() - Number(element.dataset.since)) / 1000));
    const [value, unit] =
      seconds < 60 ? [seconds, "s"] : seconds < 3600 ? [seconds / 60, "min"] : seconds < 172800 ? [seconds / 3600, "h"] : [seconds / 86400, "d"];
    element.textContent = `${Math.floor(value)} ${unit}`;
  });
}

// On a narrow screen the menu goes on beside it: the page that is open is seen in it.
function showCurrentEntry() {
  const current = document.querySelector(".menu a[aria-current]");
  const frame = current?.closest(".frame");
  if (!current) return;
  for (const box of [current.closest("nav"), frame])
    box.scrollLeft += Math.max(0, current.getBoundingClientRect().right + 160 - box.getBoundingClientRect().right);
}

const showCutOff = (isCutOff) => {
  document.body.classList.toggle("cut-off", isCutOff);
  const banner = document.getElementById("cut-off");
  if (banner) banner.hidden = !isCutOff;
};

document.addEventListener("keydown", onKey);
document.addEventListener("click", onClick);
document.addEventListener("change", (event) => {
  if (event.target.matches("select[data-go]")) event.target.form.requestSubmit();
});
// Whoever types or points is there, though the page asks by itself: a long count is no absence.
let isHere = false;
for (const name of ["keydown", "pointerdown"]) document.addEventListener(name, () => (isHere = true));
document.addEventListener("htmx:configRequest", (event) => {
  if (isHere) event.detail.headers["Pitledger-Here"] = "yes";
  isHere = false;
});
// Who was signed out meanwhile finds a form as it was, once signed in again.
document.addEventListener("htmx:beforeOnLoad", (event) => {
  const form = document.querySelector("main input[name=form-of]")?.form;
  if (event.detail.xhr.status !== 401 || !form) return;
  event.preventDefault();
  form.submit();
});
// A page that nobody looks at does not ask.
document.addEventListener("htmx:beforeRequest", (event) => {
  const isRead = event.target.querySelector("[data-event][aria-expanded=true]"); // an event that was opened stays
  if (event.target.matches("[data-follow]") && (document.hidden || isRead)) event.preventDefault();
});
// A part that is loaded once, or that polls by its successor: nothing else repeats its request after a failure.
document.addEventListener("htmx:afterRequest", ({ target, detail }) => {
  const trigger = target.getAttribute("hx-trigger") ?? "";
  const { status } = detail.xhr; // 0: no answer
  if (!/load|once/.test(trigger) || trigger.includes("every") || (status > 0 && status < 500)) return;
  const request = () => htmx.ajax("GET", target.getAttribute("hx-get"), { source: target });
  setTimeout(() => target.isConnected && request().catch(() => {}), RETRY_MS);
});
for (const name of ["htmx:sendError", "htmx:responseError", "htmx:timeout"]) document.addEventListener(name, () => showCutOff(true));
document.addEventListener("htmx:afterRequest", (event) => event.detail.successful && showCutOff(false));
document.addEventListener("htmx:afterSwap", updateAges);
document.addEventListener("DOMContentLoaded", updateAges);
document.addEventListener("DOMContentLoaded", showCurrentEntry);
setInterval(updateAges, 1000);
