// The table screen: /table/NAME.
import { App } from "./app.js";
import { Badge } from "./badge.js";
import { keepStorage, stayAwake, watchUpdates } from "./device.js";
import { canSign } from "./keys.js";
import { Pairing } from "./pairing.js";
import { Table } from "./table.js";
import { PAGE, html, render, word } from "./view.js";

const IDLE_MS = PAGE.lock_s ? PAGE.lock_s * 1000 : 600_000;
const LOOK_MS = 15_000;
const root = /** @type {HTMLElement} */ (document.getElementById("screen"));

/** @param {string} title @param {string} text @param {any} [content] */
const message = (title, text, content = "") => html`<section class="entrance" role="status"><h1>${title}</h1><p>${text}</p>${content}</section>`;

/** @type {Record<string, (app: App) => any>} */
const VIEWS = {
  starting: () => message(PAGE.table, word("starting")),
  unreachable: () => message(word("unreachable"), word("unreachable_help")),
  "turned-away": (app) => message(word("turned_away"), app.error?.message ?? "", html`<button type="button" class="act large" data-do="pair-again" onClick=${() => app.go("pairing")}>${word("pair_again")}</button>`),
  pairing: (app) => html`<${Pairing} app=${app} />`,
  badge: (app) => html`<section class="entrance"><h1>${word("who_is_at", { table: PAGE.table })}</h1><${Badge} app=${app} />
    ${app.fresh && html`<p role="alert" class="alert">${app.fresh.message}</p>`}</section>`,
  table: (app) => html`<${Table} app=${app} />`,
};

/** @param {App} app */
function draw(app) {
  render(VIEWS[app.view](app), root);
}

function preferences() {
  for (const name of ["theme", "hand"]) {
    const value = localStorage.getItem(`pitledger-table-${name}`);
    if (value) document.documentElement.dataset[name] = value;
  }
}

/** @param {App} app */
function watchIdle(app) {
  let last = Date.now();
  for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, () => (last = Date.now()), { passive: true });
  setInterval(() => (app.idle(Date.now() - last, IDLE_MS), app.updateWaits()), LOOK_MS);
}

async function start() {
  preferences();
  root.textContent = "";
  const app = new App(draw);
  draw(app);
  if (!canSign()) return render(message(word("needs_https"), word("needs_https_help")), root);
  try {
    await app.start();
  } catch {
    return render(message(word("cannot_store_title"), word("cannot_store")), root);
  }
  addEventListener("online", () => app.queue.flush());
  addEventListener("offline", () => app.queue.goOffline());
  watchIdle(app);
  stayAwake((isAwake) => ((app.isAwake = isAwake), app.redraw()));
  app.isPersistent = await keepStorage();
  if (!app.isPersistent && app.view !== "pairing") app.notice({ message: word("storage_refused_help") });
  await watchUpdates((install) => ((app.update = install), app.updateWaits())).catch(() => {});
}

start();
