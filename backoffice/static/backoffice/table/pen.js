// One tab of a device writes, the others read: a lock of the browser (Web Locks) is the pen.

export class Pen {
  /** `held(true|false)` says whether this tab has the pen. @param {string} table @param {(isHeld: boolean) => void} held */
  constructor(table, held) {
    this.name = `pitledger-pen-${table}`;
    this.held = held;
    this.isWaiting = false;
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
        this.held(true);
        return new Promise(() => {}); // until the tab is closed, or another takes it
      })
      .catch(() => {
        this.held(false);
        this.wait();
      });
  }
}
