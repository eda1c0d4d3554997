// One tab of a device writes, the others read: a lock of the browser (Web Locks) is the pen.

export class Pen {
  /**
   * `held(true|false)` says whether this tab has the pen; `left()` that a tab without the pen has left taps on the disk.
   * @param {string} table @param {(isHeld: boolean) => void} held @param {() => void} left
   */
  constructor(table, held, left) {
    this.name = `pitledger-pen-${table}`;
    this.held = held;
    this.isHeld = false;
    this.isWaiting = false;
    this.channel = new BroadcastChannel(this.name);
    this.channel.onmessage = () => this.isHeld && left();
  }

  /** Ask the tab with the pen to take up the taps of this one. */
  handOver() {
    this.channel.postMessage("left");
  }

  /** @param {boolean} isHeld */
  tell(isHeld) {
    this.isHeld = isHeld;
    this.held(isHeld);
  }

  /** Take the pen when it is free, also later. */
  wait() {
    if (!navigator.locks || this.isWaiting) return;
    this.isWaiting = true;
    this.request({}, () => (this.isWaiting = false));
  }

  /** Take it now from the tab that has it. */
  take() {
    this.request({ steal: true });
  }

  /** @param {LockOptions} options @param {() => void} [begun] */
  request(options, begun = () => {}) {
    navigator.locks
      .request(this.name, options, () => {
        begun();
        this.tell(true);
        return new Promise(() => {}); // until the tab is closed, or another takes it
      })
      .catch(() => {
        this.tell(false);
        this.wait();
      });
  }
}
