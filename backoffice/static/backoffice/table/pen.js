// One tab of a device writes, the others read: a lock of the browser (Web Locks) is the pen.

export class Pen {
  /**
   * `onChange(true|false)` says whether this tab has the pen; `onTapsLeft()` that a tab without the pen has left taps on the disk.
   * @param {string} table @param {(isHeld: boolean) => void} onChange @param {() => void} onTapsLeft
   */
  constructor(table, onChange, onTapsLeft) {
    this.name = `pitledger-pen-${table}`;
    this.onChange = onChange;
    this.isHeld = false;
    this.isWaiting = false;
    this.channel = new BroadcastChannel(this.name);
    this.channel.onmessage = () => this.isHeld && onTapsLeft();
  }

  /** Ask the tab with the pen to take up the taps of this one. */
  handOver() {
    this.channel.postMessage("left");
  }

  /** @param {boolean} isHeld */
  setHeld(isHeld) {
    this.isHeld = isHeld;
    this.onChange(isHeld);
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

  /** @param {LockOptions} options @param {() => void} [onBegin] */
  request(options, onBegin = () => {}) {
    navigator.locks
      .request(this.name, options, () => {
        onBegin();
        this.setHeld(true);
        return new Promise(() => {}); // until the tab is closed, or another takes it
      })
      .catch(() => {
        this.setHeld(false);
        this.wait();
      });
  }
}
