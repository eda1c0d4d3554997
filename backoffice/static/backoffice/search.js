// Completion in the field of the log: a combobox. What may stand there comes from the server; what is chosen is its text.
"use strict";

const field = document.querySelector("#search[role=combobox]");
const list = () => document.getElementById("completions");
const options = () => [...list().querySelectorAll("[role=option]")];
const selectedOption = () => list().querySelector("[aria-selected=true]");
const isOpen = () => field.getAttribute("aria-expanded") === "true";

function show(open) {
  list().hidden = !open;
  field.setAttribute("aria-expanded", String(open));
  if (!open) field.removeAttribute("aria-activedescendant");
}

function choose(option) {
  selectedOption()?.setAttribute("aria-selected", "false");
  if (!option) return field.removeAttribute("aria-activedescendant");
  option.setAttribute("aria-selected", "true");
  option.scrollIntoView({ block: "nearest" });
  field.setAttribute("aria-activedescendant", option.id);
}

// A field is followed by its values at once.
function complete(option) {
  const { text, caret } = option.dataset;
  field.value = text;
  show(false);
  field.focus();
  const at = [...text].slice(0, Number(caret)).join("").length; // the server counts whole characters
  field.setSelectionRange(at, at);
  if (text[at - 1] === ":") field.dispatchEvent(new Event("input", { bubbles: true }));
}

function onKey(event) {
  if (!isOpen()) {
    if (event.key === "ArrowDown") field.dispatchEvent(new Event("input", { bubbles: true }));
    return;
  }
  const all = options();
  const now = all.indexOf(selectedOption());
  if (event.key === "ArrowDown") choose(all[(now + 1) % all.length]);
  else if (event.key === "ArrowUp") choose(all[(now + all.length) % (all.length + 1)]);
  else if ((event.key === "Enter" || event.key === "Tab") && selectedOption()) complete(selectedOption());
  else if (event.key === "Escape") show(false);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

if (field) {
  field.addEventListener("keydown", onKey);
  field.addEventListener("blur", () => setTimeout(() => show(false), 150));
  field.form.addEventListener("submit", () => show(false));
  document.addEventListener("pointerdown", (event) => {
    const option = event.target.closest("#completions [role=option]");
    if (!option) return;
    event.preventDefault();
    complete(option);
  });
  document.addEventListener("htmx:configRequest", (event) => {
    if (event.target === field) event.detail.parameters.at = [...field.value.slice(0, field.selectionStart)].length;
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.requestConfig.elt === field) show(options().length > 0 && document.activeElement === field);
  });
}
