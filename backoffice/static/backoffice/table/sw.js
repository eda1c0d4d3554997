// The service worker: the page opens without signal, from one version of its files. A new version waits until the page
// says that no round is played. The house writes `VERSION` and `FILES` before this text.

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));
const SHELLS = "pitledger-table-pages";
const PATIENCE_MS = 3000;

worker.addEventListener("install", (event) => {
  event.waitUntil(caches.open(VERSION).then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: "reload" })))));
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(forgetOthers().then(() => worker.clients.claim()));
});

worker.addEventListener("message", (event) => {
  if (event.data === "take-over") worker.skipWaiting();
  else if (event.data?.keep) event.waitUntil(keep(event.data.keep));
});

worker.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== location.origin) return;
  if (FILES.includes(url.pathname)) event.respondWith(file(event.request, url.pathname));
  else if (event.request.mode === "navigate") event.respondWith(page(event.request, url.pathname));
});

async function forgetOthers() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith("pitledger-table-") && ![VERSION, SHELLS].includes(name)).map((name) => caches.delete(name)));
}

/** @param {Request} request @param {string} path */
async function file(request, path) {
  return (await (await caches.open(VERSION)).match(path)) ?? fetch(request);
}

/** @param {string} path */
async function keep(path) {
  const response = await fetch(path, { credentials: "same-origin" });
  if (response.ok && !response.redirected) await (await caches.open(SHELLS)).put(path, response);
}

/** The page from the house; where no answer comes, as it was last time. @param {Request} request @param {string} path */
async function page(request, path) {
  const shells = await caches.open(SHELLS);
  try {
    const response = await fetch(request, { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (response.ok && !response.redirected) await shells.put(path, response.clone());
    if (![502, 503, 504].includes(response.status)) return response;
    return (await shells.match(path)) ?? response;
  } catch (error) {
    const cached = await shells.match(path);
    if (cached) return cached;
    throw error;
  }
}
