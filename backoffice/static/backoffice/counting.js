// Forms in which something is counted: sums run along, and a thumb adds one or takes one away. They work without this.
"use strict";

// An amount in minor units as the property writes it.
function formatAmount(minor, habit) {
  const digits = Number(habit.exponent);
  const text = String(minor).padStart(digits + 1, "0");
  const before = new RegExp(`\\B(?=(\\d{${habit.others}})*\\d{${habit.last}}$)`, "g");
  const whole = text.slice(0, text.length - digits).replace(before, habit.group);
  return digits ? whole + habit.point + text.slice(-digits) : whole;
}

// What one piece of a row is worth, in minor units; NaN while that is no amount.
function pieceValue(row, habit) {
  if (row.dataset.worth) return Number(row.dataset.worth);
  const text = row.querySelector("[data-own]")?.value.trim() ?? "";
  const plain = habit.group ? text.replaceAll(habit.group, "") : text;
  return text ? Math.round(Number(plain.replace(habit.point, ".")) * 10 ** Number(habit.exponent)) : NaN;
}

const numberOf = (row) => row.querySelector("input[name$='-number']");

function showSums(tray) {
  const habit = tray.dataset;
  let total = 0;
  for (const row of tray.tBodies[0].rows) {
    const input = numberOf(row);
    const sum = /^\d+$/.test(input.value.trim()) ? pieceValue(row, habit) * Number(input.value) : NaN;
    row.querySelector("[data-sum]").textContent = sum ? formatAmount(sum, habit) : "";
    total += sum || 0;
  }
  tray.querySelector("[data-all]").textContent = formatAmount(total, habit);
}

function step(button) {
  const input = numberOf(button.closest("tr"));
  const next = Math.max(0, (Number(input.value) || 0) + Number(button.dataset.step));
  input.value = next ? String(next) : "";
  showSums(button.closest("[data-tray]"));
}

document.addEventListener("input", (event) => {
  const tray = event.target.closest("[data-tray]");
  if (tray) showSums(tray);
});
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-step]");
  if (button) step(button);
});
// Enter goes to the next number, as on a till, and sends nothing by mistake.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !event.target.closest("[data-tray]")) return;
  event.preventDefault();
  const inputs = [...event.target.form.querySelectorAll("input:not([type=hidden]), select, textarea, button.main")];
  inputs[inputs.indexOf(event.target) + 1]?.focus();
});
document.querySelectorAll("[data-step]").forEach((button) => { button.hidden = false; });
