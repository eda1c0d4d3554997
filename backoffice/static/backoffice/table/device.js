// What the browser can do for a screen at a table: stay awake, keep its store, take updates between rounds.

/**
 * Keep the screen on while the page is seen. `onChange(true|false)` says whether it is. After a refusal or a release, the
 * next tap requests the lock again.
 * @param {(isAwake: boolean) => void} onChange
 */
export function stayAwake(onChange) {
  let isAwake = false;
  let isRequesting = false;
  const setAwake = (/** @type {boolean} */ now) => {
    if (now !== isAwake) onChange((isAwake = now));
  };
  const requestLock = async () => {
    if (!navigator.wakeLock || isAwake || isRequesting || document.visibilityState !== "visible") return;
    isRequesting = true;
    try {
      const lock = await navigator.wakeLock.request("screen");
      lock.addEventListener("release", () => setAwake(false));
      setAwake(!lock.released);
    } catch {
      setAwake(false); // the battery is low, or the browser wants a tap first
    } finally {
      isRequesting = false;
    }
  };
  document.addEventListener("visibilitychange", requestLock);
  addEventListener("pointerdown", requestLock, { passive: true });
  requestLock();
}

/** Ask for storage that the browser does not clear by itself; false when it refuses. */
export async function keepStorage() {
  if (!navigator.storage?.persist) return false;
  return (await navigator.storage.persisted()) || navigator.storage.persist();
}

/** The service worker: `ready(install)` is told of a new version; `install()` takes it and loads the page again. @param {(install: () => void) => void} ready */
export async function watchUpdates(ready) {
  if (!navigator.serviceWorker) return;
  let isTaken = false;
  const registration = await navigator.serviceWorker.register("/table/sw.js", { scope: "/table/" });
  const announceUpdate = () => ready(() => {
    isTaken = true;
    registration.waiting?.postMessage("take-over"); // the newest, where another came meanwhile
  });
  if (registration.waiting && navigator.serviceWorker.controller) announceUpdate();
  registration.addEventListener("updatefound", () => {
    const worker = registration.installing;
    if (!worker) return;
    worker.addEventListener("statechange", () => {
      if (worker.state === "installed" && navigator.serviceWorker.controller) announceUpdate();
    });
  });
  navigator.serviceWorker.addEventListener("controllerchange", () => isTaken && location.reload());
  await navigator.serviceWorker.ready;
  registration.active?.postMessage({ keep: location.pathname });
}
