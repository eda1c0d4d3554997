// A live stream, and figures that count up. Used by the progressive's page, by the sign and by the wall display.
"use strict";

const SILENT_MS = 6000; // three beats missed: whatever the connection says, nobody speaks
const AGAIN_MS = [1000, 2000, 4000, 8000];
const COUNT_MS = 900;

// Follows a stream for as long as the page is seen: one in the background would keep a connection from the others.
// Calls state(live, nowMs) with every state, beat(beat), and alive(isLive) when that changes. `name` is the event of a state.
// The browser itself comes back after a cut connection; after a refusal, or a long silence, we do.
export function follow(url, { state, beat, alive, name = "progressive" }) {
  let source, retryTimer, heardAt = Date.now(), tries = 0, isAlive = null;
  const setAlive = (isLive) => {
    if (isLive !== isAlive) alive((isAlive = isLive));
  };
  const onMessage = () => {
    heardAt = Date.now();
    tries = 0;
    setAlive(true);
  };
  const open = () => {
    clearTimeout(retryTimer);
    retryTimer = 0;
    if (source) source.close();
    heardAt = Date.now();
    source = new EventSource(url);
    source.addEventListener(name, (event) => {
      onMessage();
      const message = JSON.parse(event.data);
      state(message.live, message.now_ms);
    });
    source.addEventListener("beat", (event) => {
      onMessage();
      beat(JSON.parse(event.data));
    });
    source.addEventListener("error", () => {
      setAlive(false);
      if (source.readyState === EventSource.CLOSED) retryLater();
    });
  };
  const retryLater = () => {
    if (!retryTimer) retryTimer = setTimeout(open, AGAIN_MS[Math.min(tries++, AGAIN_MS.length - 1)]);
  };
  setInterval(() => {
    if (document.hidden || Date.now() - heardAt < SILENT_MS) return;
    setAlive(false);
    retryLater();
  }, 1000);
  document.addEventListener("visibilitychange", () => (document.hidden ? source.close() : open()));
  addEventListener("pagehide", () => source.close());
  addEventListener("pageshow", (event) => event.persisted && open());
  open();
}

// Minor units as the property writes them, by the attributes of an element: "1,234.50".
export function formatAmount(minor, { exponent, group, point, last, others }) {
  const unit = 10 ** Number(exponent);
  const before = new RegExp(`\\B(?=(\\d{${others}})*\\d{${last}}$)`, "g");
  const whole = String(Math.floor(minor / unit)).replace(before, group);
  return unit > 1 ? `${whole}${point}${String(minor % unit).padStart(Number(exponent), "0")}` : whole;
}

// A figure that counts up to each new value and never shows more than it; down it falls at once. `write(minor)` is
// called with what is to be shown.
export class Counter {
  constructor(minor, write) {
    this.shown = this.target = minor;
    this.write = write;
    this.frame = 0;
    this.step = this.step.bind(this);
  }

  countTo(minor) {
    if (minor === this.target) return;
    const isUp = minor > this.shown;
    this.from = this.shown;
    this.target = minor;
    this.began = performance.now();
    if (isUp && !matchMedia("(prefers-reduced-motion: reduce)").matches && !document.hidden) {
      if (!this.frame) this.frame = requestAnimationFrame(this.step);
    } else {
      this.show(minor);
    }
  }

  step(now) {
    this.frame = 0;
    const share = Math.min(Math.max((now - this.began) / COUNT_MS, 0), 1);
    this.show(share === 1 ? this.target : this.from + Math.floor((this.target - this.from) * share));
    if (this.shown !== this.target) this.frame = requestAnimationFrame(this.step);
  }

  show(minor) {
    this.shown = minor;
    this.write(minor);
  }
}
