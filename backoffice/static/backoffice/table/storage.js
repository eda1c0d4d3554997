// The device's own store (IndexedDB): its key, its running number, taps that are not signed yet, and the entries that
// wait for an answer.
//
// The private key cannot be exported. A badge is never written here.

const NAME = "pitledger-table";
export const UNCLAIMED = -1; // the pen's number in a tab that has not counted itself

/** @returns {Promise<IDBDatabase>} */
function openDatabase() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 2);
    request.onupgradeneeded = ({ oldVersion }) => {
      if (oldVersion < 1) {
        request.result.createObjectStore("device", { keyPath: "name" });
        request.result.createObjectStore("entries", { keyPath: "seq" });
      }
      request.result.createObjectStore("taps", { keyPath: "tap", autoIncrement: true });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("blocked"));
  });
}

/**
 * Run `work` on all stores in one transaction; resolve when it is on disk, or with "relaxed" when the system has it.
 * @param {IDBDatabase} database @param {(devices: IDBObjectStore, entries: IDBObjectStore, taps: IDBObjectStore) => void} work @param {IDBTransactionDurability} durability @returns {Promise<void>}
 */
function runTransaction(database, work, durability = "strict") {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(["device", "entries", "taps"], "readwrite", { durability });
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error("aborted"));
    try {
      work(transaction.objectStore("device"), transaction.objectStore("entries"), transaction.objectStore("taps"));
    } catch (error) {
      transaction.abort();
      reject(error);
    }
  });
}

/** @param {IDBDatabase} database @param {string} store @returns {Promise<any[]>} */
function readAll(database, store) {
  return new Promise((resolve, reject) => {
    const request = database.transaction(store).objectStore(store).getAll();
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Another tab of the device has signed what was tapped. */
export class TapTaken extends Error {}

/** Another tab of the device has taken the pen. */
export class PenLost extends Error {}

/** Store of one device. Every method rejects where the browser cannot write (full disk, private window). */
export class Storage {
  database = /** @type {IDBDatabase} */ (/** @type {unknown} */ (null)); // opened before anything else

  async open() {
    this.database = await openDatabase();
  }

  /** Open the store again after a refused write: some browsers close it then. */
  async reopen() {
    const before = this.database;
    const database = await openDatabase();
    if (this.database !== before) return database.close(); // opened meanwhile
    this.database = database;
    before.close();
  }

  /** The device's record, or undefined. @returns {Promise<Own.Device | undefined>} */
  async device() {
    return (await readAll(this.database, "device")).find((record) => record.name === "device");
  }

  /** The table as the house last showed it, for a page that is opened without signal. @returns {Promise<Own.State | undefined>} */
  async lastState() {
    return (await readAll(this.database, "device")).find((record) => record.name === "state")?.house;
  }

  /** It is a copy of the house's: no tap waits until it is on disk. @param {Own.State} house @returns {Promise<void>} */
  keepState(house) {
    return new Promise((resolve, reject) => {
      const transaction = this.database.transaction("device", "readwrite", { durability: "relaxed" });
      transaction.objectStore("device").put({ name: "state", house });
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? new Error("aborted"));
    });
  }

  /** The relief that came without signal and whose badge was not checked yet: {session, role}. No badge is in it. @returns {Promise<Own.Relief | null>} */
  async relief() {
    return (await readAll(this.database, "device")).find((record) => record.name === "relief")?.relief ?? null;
  }

  /** @param {Own.Relief | null} relief */
  keepRelief(relief) {
    return runTransaction(this.database, (devices) => (relief ? devices.put({ name: "relief", relief }) : devices.delete("relief")));
  }

  /** @param {Own.Device} device */
  saveDevice(device) {
    return runTransaction(this.database, (devices) => devices.put(device));
  }

  /**
   * Count a new holder of the pen: from here on no tab that had it before writes an entry. Resolves with the record and
   * the entries of the same transaction, before another tab counts itself.
   * @returns {Promise<Own.Contents>}
   */
  async claimPen() {
    const contents = /** @type {Own.Contents} */ ({ device: undefined, entries: [] });
    await runTransaction(this.database, (devices, entries) => {
      const request = devices.get("device");
      request.onsuccess = () => {
        if (!request.result) return;
        contents.device = { ...request.result, pen: (request.result.pen ?? 0) + 1 };
        devices.put(contents.device);
      };
      const entriesRequest = entries.getAll();
      entriesRequest.onsuccess = () => (contents.entries = entriesRequest.result);
    });
    return contents;
  }

  /** The record without a number of the pen, and the entries: those without an answer, and answered ones that the disk did not delete. @returns {Promise<Own.Contents>} */
  async contents() {
    const device = await this.device();
    return { device: device && { ...device, pen: UNCLAIMED }, entries: await readAll(this.database, "entries") };
  }

  /**
   * Run `work` in one transaction if nobody has taken the pen from this tab; `stop(error)` undoes it. Rejects with a
   * `PenLost` otherwise.
   * @param {Own.Device} device @param {(stores: {devices: IDBObjectStore, entries: IDBObjectStore, taps: IDBObjectStore}, stop: (error: unknown) => void) => void} work
   */
  async withPen({ id, pen }, work) {
    let fault = /** @type {unknown} */ (null);
    const turn = runTransaction(this.database, (devices, entries, taps) => {
      const stop = (/** @type {unknown} */ error) => {
        fault = error;
        devices.transaction.abort();
      };
      const request = devices.get("device");
      request.onsuccess = () => {
        if (request.result?.id !== id || request.result.pen !== pen) stop(new PenLost());
        else work({ devices, entries, taps }, stop);
      };
    });
    await turn.catch((error) => {
      throw fault ?? error;
    });
  }

  /**
   * What was tapped, before it is signed. The write begins in the task of the tap itself, so that a page that is closed
   * at once has written it too. Resolves with its number.
   * @param {Own.Tap} tapped @returns {Promise<number>}
   */
  keepTap(tapped) {
    return new Promise((resolve, reject) => {
      const transaction = this.database.transaction("taps", "readwrite", { durability: "strict" });
      const request = transaction.objectStore("taps").add(tapped);
      transaction.oncomplete = () => resolve(Number(request.result));
      transaction.onabort = () => reject(transaction.error ?? new Error("aborted"));
      transaction.commit?.();
    });
  }

  /** Taps that no page has signed yet, in their order. @returns {Promise<Array<Own.Tap & {tap: number}>>} */
  taps() {
    return readAll(this.database, "taps").then((rows) => rows.filter((row) => !row.isSigned));
  }

  /**
   * An entry and the device's number and digest in place of its tap, in one transaction. A disk that does not delete the
   * tap marks it as signed. Rejects with a `TapTaken` where another tab has made the tap's entry.
   * @param {Own.Device} device @param {object} entry @param {number} tap
   */
  async append(device, entry, tap) {
    try {
      await this.appendWith(device, entry, tap, (taps) => taps.delete(tap));
    } catch (error) {
      if (error instanceof TapTaken || error instanceof PenLost) throw error;
      await this.appendWith(device, { ...entry, tap }, tap, (taps) => taps.put({ tap, isSigned: true }));
    }
  }

  /** @param {Own.Device} device @param {object} entry @param {number} tap @param {(taps: IDBObjectStore) => void} end */
  appendWith(device, entry, tap, end) {
    return this.withPen(device, ({ devices, entries, taps }, stop) => {
      const request = taps.get(tap);
      request.onsuccess = () => {
        if (!request.result || request.result.isSigned) return stop(new TapTaken());
        end(taps);
        devices.put(device);
        entries.add(entry);
      };
    });
  }

  /** Entries that are signed again, and the device's new digest, in one transaction. @param {Own.Device} device @param {object[]} entries */
  replace(device, entries) {
    return this.withPen(device, ({ devices, entries: entryStore }) => {
      devices.put(device);
      for (const entry of entries) entryStore.put(entry);
    });
  }

  /** Delete answered entries. One that stays is sent again and gets its first answer, so no tap waits for the disk. @param {Array<[number, number | undefined]>} answeredEntries numbers of entries, each with its tap, which may still be there */
  strike(answeredEntries) {
    const strike = (/** @type {IDBObjectStore} */ entries, /** @type {IDBObjectStore} */ taps) => {
      for (const [seq, tap] of answeredEntries) {
        entries.delete(seq);
        if (tap) taps.delete(tap);
      }
    };
    return runTransaction(this.database, (_devices, entries, taps) => strike(entries, taps), "relaxed");
  }

  /** Mark entries that the disk does not delete as answered. @param {Array<[number, number | undefined]>} answeredEntries */
  markAnswered(answeredEntries) {
    return runTransaction(this.database, (_devices, entries) => answeredEntries.forEach(([seq, tap]) => entries.put({ seq, tap, isAnswered: true })), "relaxed");
  }
}
