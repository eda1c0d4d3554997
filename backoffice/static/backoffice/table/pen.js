// One tab of a device writes, the others read: a lock of the browser (Web Locks) is the pen.

export class Pen {
  /** `held(true|false)` says whether this tab has the pen. */
  constructor(table, held) {
    Object.assign(this, { name: `pitledger-pen-${table}`, held, isWaiting: false });
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
