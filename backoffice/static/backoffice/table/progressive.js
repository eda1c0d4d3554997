// The linked progressive: its meters, the hits of the day with share and envy, and for whom each waits.
import { html, money, word } from "./view.js";

const OVER = ["paid", "void"];

/** Hits that wait for somebody. @param {Own.Layout} layout */
export const openHits = (layout) => (layout.progressive_view?.hits ?? []).filter((hit) => !OVER.includes(hit.state));

/** @param {House.HitView} hit */
const keys = (hit) => hit.waits_for.map((roles) => roles.map((role) => word(`role_${role}`)).join(", ")).join(" + ");

/** What a hit waits for can be given at this screen: the share is authorised by a second person. @param {Own.App} app @param {House.HitView} hit */
function authorisation(app, hit) {
  if (hit.state !== "locked") return null;
  return html`<button type="button" class="act" data-do="hit.authorise" data-hit=${hit.hit} data-seat=${hit.box} data-player=${hit.player}
    onClick=${() => app.authorise(hit)}>${word("authorise_share")}: <b class="num">${money(hit.share_minor ?? 0)}</b></button>`;
}

/** @param {Own.App} app @param {House.HitView} hit */
function line(app, hit) {
  const share = hit.share_minor === null || hit.share_minor === undefined ? "…" : money(hit.share_minor);
  return html`<li class="hit" key=${hit.hit}><p><b>${word(`level_${hit.level}`)}</b> ${word("box")} ${hit.box}, ${hit.player} <small>${word(`hit_${hit.state}`)}</small></p>
    <dl class="facts"><div><dt>${word("share")}</dt><dd class="num">${share}</dd></div>
      ${hit.envy.map((share) => html`<div key=${share.player}><dt>${word("envy")}: ${share.player}</dt><dd class="num">${money(share.amount_minor)}</dd></div>`)}
      ${hit.waits_for.length > 0 && html`<div><dt>${word("waits_for")}</dt><dd>${keys(hit)}</dd></div>`}</dl>
    ${authorisation(app, hit)}</li>`;
}

/** @param {Own.App} app @param {House.HitView[]} hits */
const list = (app, hits) => html`<ul class="lines">${hits.map((hit) => line(app, hit))}</ul>`;

/** Beside the next steps, as long as a hit waits. @param {{app: Own.App}} props */
export function OpenHits({ app }) {
  const hits = openHits(app.layout);
  if (!hits.length) return null;
  return html`<section class="hits" aria-label=${word("hits")}><h2>${word("hits")}</h2>${list(app, hits)}</section>`;
}

/** The meters, and every hit of the day: a sheet. @param {{app: Own.App}} props */
export function ProgressiveSheet({ app }) {
  const view = app.layout.progressive_view;
  if (!view) return null;
  return html`<h3>${view.name}</h3><dl class="facts">${view.meters.map((meter) => html`<div key=${meter.level}><dt>${word(`level_${meter.level}`)}</dt><dd class="num">${money(meter.shown_minor)}</dd></div>`)}</dl>
    <h3>${word("hits")}</h3>${list(app, view.hits)}`;
}
