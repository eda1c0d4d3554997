// The queue: every action is written to the device as it is tapped, then signed and numbered, then sent; it is struck off
// when the house has answered it. Without signal what is tapped is a fact, and waits in order.
import { digest, signature } from "./keys.js";
import { Offline, Problem, queue as send } from "./house.js";
import { PenLost, TapTaken, UNCLAIMED } from "./storage.js";

const BATCH = 40;
const RETRY_MS = [500, 1000, 2000, 3000];
const DISK_MS = 2000; // before a refused write or deletion is tried again
const FINAL = new Set([400, 401, 403, 404, 409, 410, 413]);
const NOT_NOW = 503; // the house has the entry, and cannot carry it out yet

export class Queue {
  /**
   * `onChange()` is called whenever something to be shown has changed; `onAnswer(entry, answer)` for each answer.
   * @param {import("./storage.js").Storage} storage
   * `onPenLost()` when another tab had the pen as this one wrote; it returns whether this one has it still, and counts it again.
   * @param {{onChange: () => void, onAnswer: (entry: Own.Entry, answer: House.QueueAnswer) => void, onState: (state?: Own.State) => any, onPenLost: () => boolean}} listeners
   */
  constructor(storage, { onChange, onAnswer, onState, onPenLost }) {
    this.storage = storage;
    this.onChange = onChange;
    this.onAnswer = onAnswer;
    this.onState = onState;
    this.onPenLost = onPenLost;
    this.device = /** @type {Own.Device | null} */ (null);
    this.waiting = /** @type {Own.Entry[]} */ ([]);
    this.offlineSince = /** @type {string | null} */ (null);
    this.stuck = /** @type {Problem | null} */ (null);
    this.refusal = /** @type {"tap_not_stored" | "cannot_store" | null} */ (null); // a write that the disk refused last: a word of the page
    this.keepsAnswered = false; // the disk deletes no answered entries
    this.answeredOnDisk = /** @type {Map<number, number | undefined>} */ (new Map()); // answered entries that are still on the disk, each with its tap
    this.cleaning = /** @type {number | undefined} */ (undefined);
    this.signing = /** @type {number | undefined} */ (undefined);
    this.timer = /** @type {number | undefined} */ (undefined);
    this.isSending = false;
    this.takesPen = false;
    this.hasPen = false;
    this.chain = Promise.resolve();
    this.requeued = this.chain; // until it resolves, unsent entries may be signed again
    this.tries = 0;
    this.showingCount = 0; // answers whose state is on its way
  }

  /** Whether the house's answer will bring a state of its own. */
  get isExpecting() {
    return this.isSending || this.showingCount > 0;
  }

  /** Take up what another page of this device left. An entry that waits here already stays the same. @param {Own.Contents} contents */
  load({ device, entries }) {
    this.device = device ?? null;
    for (const { seq, tap, isAnswered } of entries) if (isAnswered) this.answeredOnDisk.set(seq, tap);
    const waitingByDigest = new Map(this.waiting.map((entry) => [entry.digest, entry]));
    const unanswered = entries.filter(({ seq }) => !this.answeredOnDisk.has(seq)).map((entry) => Object.assign(waitingByDigest.get(entry.digest) ?? entry, { actions: JSON.parse(entry.body).actions, isSent: true })); // the other page may have sent it
    this.waiting = [...this.waiting.filter((entry) => entry.isAnswered), ...unanswered, ...this.waiting.filter((entry) => entry.seq === null)];
    if (this.answeredOnDisk.size) this.clean();
    if (this.waiting.length && !this.offlineSince) this.offlineSince = this.waiting.find((e) => e.queued)?.time ?? null;
    this.onChange();
  }

  get isOffline() {
    return this.offlineSince !== null;
  }

  get queued() {
    return this.waiting.filter((entry) => entry.queued && !entry.isAnswered).length;
  }

  /** Entries without an answer of the house. */
  get unanswered() {
    return this.waiting.filter((entry) => !entry.isAnswered).length;
  }

  /** Entries without an answer, or whose answer the screen does not show yet. */
  get pending() {
    return this.waiting.filter((entry) => !entry.isShown).length;
  }

  get canWrite() {
    return this.hasPen && !this.stuck && Boolean(this.device?.id);
  }

  /** Run `work` after all that changes the device's number before it. @param {() => Promise<void>} work */
  inTurn(work) {
    const turn = this.chain.then(work);
    this.chain = turn.catch(() => {});
    return turn;
  }

  /** Count this tab as the holder of the pen, and take up what the one before left. */
  takePen() {
    return this.inTurn(() => this.claim().catch(async () => this.load(await this.storage.contents()))); // a full disk: the next entry claims it
  }

  async claim() {
    this.load(await this.storage.claimPen());
  }

  /**
   * Write actions down, then send them. Rejects when the device cannot write: then nothing happened.
   * @param {Own.Action[]} actions @param {{session: string, mode?: string, intent?: string}} about
   */
  write(actions, { session, mode = "each", intent = "ask" }) {
    const tapped = { actions, session, mode, intent, queued: this.isOffline, time: new Date().toISOString() };
    return this.take(tapped, this.storage.keepTap(tapped));
  }

  /** Sign and number what another page wrote down and could not sign any more. Only the tab with the pen may. */
  async resume() {
    const taps = await this.storage.taps();
    const waitingTaps = new Set(this.waiting.map((entry) => entry.tap));
    for (const tapped of taps) if (!waitingTaps.has(tapped.tap)) this.take(tapped, Promise.resolve(tapped.tap));
    if (this.unsigned) this.inTurn(() => this.sign());
  }

  /** Take entries and taps off the screen, which stay on the disk for the tab with the pen. */
  async leave() {
    this.waiting = this.waiting.filter((entry) => entry.isAnswered || entry.seq === null);
    const left = this.waiting.filter((entry) => entry.seq === null);
    await Promise.allSettled(left.map((entry) => entry.tapNumber));
    if (this.hasPen) return; // it came back meanwhile
    for (const entry of left) if (this.waiting.includes(entry)) this.drop(entry);
  }

  /** Show what was tapped, and make its entry after those before it. Rejects when the tap is not written. @param {Own.Tap} tapped @param {Promise<number>} tapNumber */
  take(tapped, tapNumber) {
    const { actions, queued, time, tap } = tapped;
    const shown = /** @type {Own.Entry} */ ({ seq: null, actions, queued, time, tap, tapped, tapNumber });
    this.waiting.push(shown);
    this.onChange();
    const result = tapNumber.then((number) => void (shown.tap = number), (error) => this.dropRefused(shown, error));
    this.inTurn(() => this.sign());
    return result;
  }

  /** Make entries of taps in their order. What is written and not signed is tried again until the disk takes it. */
  async sign() {
    clearTimeout(this.signing);
    for (let shown = this.unsigned; shown; shown = this.unsigned) {
      try {
        await this.append(shown);
      } catch (error) {
        if (!this.waiting.includes(shown)) continue; // its tap was refused
        if (error instanceof PenLost && this.onPenLost()) return; // the pen is counted again, then this tap is signed
        if (error instanceof TapTaken || error instanceof PenLost) {
          this.drop(shown);
          continue;
        }
        this.signing = setTimeout(() => this.inTurn(() => this.sign()), DISK_MS);
        this.refuse("cannot_store");
        return;
      }
    }
  }

  get unsigned() {
    return this.waiting.find((entry) => entry.seq === null);
  }

  /** Sign a tap as the next entry while it is written, then put the entry in its place. @param {Own.Entry} shown */
  async append(shown) {
    if (this.device?.pen === UNCLAIMED) await this.claim();
    const before = /** @type {Own.Device} */ (this.device);
    const { session, mode, intent } = /** @type {Own.Tap} */ (shown.tapped);
    const { id, keys } = before;
    const seq = before.seq + 1;
    const queued = shown.queued || this.isOffline;
    const body = JSON.stringify({
      device: id, session, seq, time: shown.time, queued, intent: queued ? "fact" : intent,
      prev: before.digest, mode, actions: shown.actions,
    });
    const [tap, signed, hash] = await Promise.all([shown.tapNumber, signature(keys, body), digest(body)]);
    const entry = { seq, body, signature: signed, digest: hash, queued, time: shown.time };
    const device = { ...before, seq, digest: entry.digest };
    await this.storage.append(device, entry, /** @type {number} */ (tap));
    this.device = device;
    this.refusal = null;
    Object.assign(shown, entry);
    this.onChange();
    this.flush();
  }

  /** Take a tap off the screen that the device did not write. @param {Own.Entry} shown @param {unknown} error */
  dropRefused(shown, error) {
    this.drop(shown);
    this.refuse("tap_not_stored");
    throw error;
  }

  /** Say that the disk refused a write. The next tap tries again. @param {"tap_not_stored" | "cannot_store"} refusal */
  refuse(refusal) {
    this.refusal = refusal;
    this.storage.reopen().catch(() => {});
    this.onChange();
  }

  /** @param {Own.Entry} shown */
  drop(shown) {
    this.waiting.splice(this.waiting.indexOf(shown), 1);
    this.onChange();
  }

  /** Let unsent entries wait as facts, like the taps from now on: the signal is lost. */
  requeue() {
    this.inTurn(() => this.signAgain()).catch((error) => error instanceof PenLost && this.onPenLost()); // they stay on the disk as they are signed
    this.requeued = this.chain;
  }

  /** Sign unsent entries again as facts, with their numbers. Sent entries stay: the house may have them. */
  async signAgain() {
    const first = this.waiting.findIndex((entry) => entry.seq !== null && !entry.isSent && !entry.queued);
    if (first < 0 || !this.hasPen) return;
    const before = /** @type {Own.Device} */ (this.device);
    const shown = this.waiting.slice(first).filter((entry) => entry.seq !== null);
    let { prev } = JSON.parse(shown[0].body ?? "");
    /** @type {object[]} */
    const entries = [];
    for (const { seq, body: old = "", time } of shown) {
      const body = JSON.stringify({ ...JSON.parse(old), queued: true, intent: "fact", prev });
      const [signed, hash] = await Promise.all([signature(before.keys, body), digest(body)]);
      entries.push({ seq, body, signature: signed, digest: hash, queued: true, time });
      prev = hash;
    }
    const device = { ...before, digest: prev };
    if (!this.hasPen) return;
    await this.storage.replace(device, entries);
    this.device = device;
    shown.forEach((entry, place) => Object.assign(entry, entries[place]));
    this.onChange();
  }

  /** Send what waits, in order, until nothing waits or no answer comes. */
  async flush() {
    if (this.isSending || this.stuck || !this.device?.id) return;
    this.isSending = true;
    clearTimeout(this.timer);
    try {
      for (let batch = await this.nextBatch(); batch.length; batch = await this.nextBatch()) await this.deliver(batch);
      if (this.isOffline) await this.onState();
      this.goOnline();
    } catch (error) {
      this.onFailure(error);
    } finally {
      this.isSending = false;
    }
    if (this.batch().length && !this.isOffline && !this.stuck) this.flush();
  }

  /** The first entries to be sent; none without the pen. */
  batch() {
    if (!this.hasPen) return [];
    return this.waiting.filter((entry) => entry.seq !== null && !entry.isAnswered).slice(0, BATCH);
  }

  /** The entries to be sent now; from here on they stay as they are signed. */
  async nextBatch() {
    await this.requeued;
    const batch = this.batch();
    for (const entry of batch) entry.isSent = true;
    return batch;
  }

  /** @param {Own.Entry[]} batch */
  async deliver(batch) {
    const entries = batch.map(({ body, signature: signed }) => ({ body, signature: signed }));
    const isLast = batch.length === this.batch().length; // where more waits, its answer brings the state
    const answer = await send(entries, { takesPen: this.takesPen, withState: isLast });
    this.takesPen = false;
    this.tries = 0;
    const replies = answer.answers.filter((reply) => reply.status !== NOT_NOW);
    const answeredEntries = batch.filter((entry) => replies.some((reply) => reply.seq === entry.seq));
    this.clean(answeredEntries.map(({ seq, tap }) => [/** @type {number} */ (seq), tap]));
    for (const reply of replies) {
      const entry = answeredEntries.find((candidate) => candidate.seq === reply.seq);
      if (!entry) continue;
      Object.assign(entry, { isAnswered: true, isAccepted: reply.state === "done" && reply.status < 400, position: reply.position ?? 0 });
      this.onAnswer(entry, reply);
    }
    if (!answeredEntries.length) throw new Offline("nothing was answered");
    this.onChange();
    this.show(answeredEntries, answer.state).catch((error) => this.onFailure(error)); // what was tapped meanwhile is sent at once
  }

  /** Delete answered entries from the disk. Where it refuses, they are marked, and it is tried again. @param {Array<[number, number | undefined]>} answeredEntries */
  async clean(answeredEntries = []) {
    clearTimeout(this.cleaning);
    for (const [seq, tap] of answeredEntries) this.answeredOnDisk.set(seq, tap);
    const all = [...this.answeredOnDisk];
    const keeps = await this.storage.strike(all).then(() => false, () => true);
    if (keeps) {
      this.cleaning = setTimeout(() => this.clean(), DISK_MS);
      this.storage.markAnswered(answeredEntries).catch(() => {}); // unmarked, they are sent again and get their first answer
    } else for (const [seq] of all) this.answeredOnDisk.delete(seq);
    if (keeps === this.keepsAnswered) return;
    this.keepsAnswered = keeps;
    this.onChange();
  }

  /** Show the state that comes after the answers to these entries; ask for it where it does not come. @param {Own.Entry[]} answeredEntries @param {Promise<Own.State | null>} nextState */
  async show(answeredEntries, nextState) {
    this.showingCount += 1;
    try {
      const state = await nextState;
      if (state) this.onState(state);
      else if (!this.batch().length) await this.onState();
    } finally {
      this.showingCount -= 1;
      for (const entry of answeredEntries) entry.isShown = true;
      this.onChange();
    }
  }

  /** @param {unknown} error */
  onFailure(error) {
    if (error instanceof Problem && FINAL.has(error.status)) {
      this.stuck = error;
    } else {
      if (!this.isOffline) this.requeue();
      this.offlineSince ??= new Date().toISOString();
      this.timer = setTimeout(() => this.flush(), RETRY_MS[Math.min(this.tries++, RETRY_MS.length - 1)]);
    }
    this.onChange();
  }

  /** No signal: what is tapped from now on is a fact. */
  goOffline() {
    if (this.isOffline) return;
    this.onFailure(new Offline("the stream broke off"));
  }

  goOnline() {
    this.tries = 0;
    if (!this.isOffline) return;
    this.offlineSince = null;
    this.onChange();
  }

  /** What is answered and shown by the house itself needs no picture of its own any more. @param {number} position */
  settle(position) {
    this.waiting = this.waiting.filter((entry) => !(entry.isAnswered && (entry.position ?? 0) <= position));
  }

  /** Try again after somebody has put right what stopped the queue. */
  retry({ takesPen = false } = {}) {
    this.stuck = null;
    this.takesPen = takesPen;
    this.onChange();
    return this.flush();
  }
}
