// The device's own store (IndexedDB): its key, its running number, taps that are not signed yet, and the entries that
// wait for an answer.
//
// The private key cannot be exported. A badge is never written here.

const NAME = "pitledger-table";

/** @returns {Promise<IDBDatabase>} */
function opened() {
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
function written(database, work, durability = "strict") {
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
function all(database, store) {
  return new Promise((resolve, reject) => {
    const request = database.transaction(store).objectStore(store).getAll();
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Another tab of the device has signed what was tapped. */
export class TapTaken extends Error {}

/** Store of one device. Every method rejects where the browser cannot write (full disk, private window). */
export class Storage {
  database = /** @type {IDBDatabase} */ (/** @type {unknown} */ (null)); // opened before anything else

  async open() {
    this.database = await opened();
  }

  /** The device's record, or undefined. @returns {Promise<Own.Device | undefined>} */
  async device() {
    return (await all(this.database, "device")).find((record) => record.name === "device");
  }

  /** The table as the house last showed it, for a page that is opened without signal. @returns {Promise<Own.State | undefined>} */
  async lastState() {
    return (await all(this.database, "device")).find((record) => record.name === "state")?.house;
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
    return (await all(this.database, "device")).find((record) => record.name === "relief")?.relief ?? null;
  }

  /** @param {Own.Relief | null} relief */
  keepRelief(relief) {
    return written(this.database, (devices) => (relief ? devices.put({ name: "relief", relief }) : devices.delete("relief")));
  }

  /** Entries without an answer, by number. @returns {Promise<Array<Own.Entry & {body: string}>>} */
  entries() {
    return all(this.database, "entries");
  }

  /** @param {Own.Device} device */
  saveDevice(device) {
    return written(this.database, (devices) => devices.put(device));
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
    return all(this.database, "taps");
  }

  /**
   * An entry and the device's number and digest in place of its tap, in one transaction. Rejects with a `TapTaken` where
   * another tab has made the tap's entry.
   * @param {Own.Device} device @param {object} entry @param {number} tap
   */
  async append(device, entry, tap) {
    let isTaken = false;
    const turn = written(this.database, (devices, entries, taps) => {
      const request = taps.get(tap);
      request.onsuccess = () => {
        if (request.result === undefined) {
          isTaken = true;
          request.transaction?.abort();
          return;
        }
        taps.delete(tap);
        devices.put(device);
        entries.add(entry);
      };
    });
    await turn.catch((error) => {
      throw isTaken ? new TapTaken() : error;
    });
  }

  /**
   * Entries that are signed again, and the device's new digest, in one transaction; false where another tab has signed
   * more since `digest`.
   * @param {Own.Device} device @param {object[]} entries @param {string} digest
   */
  async replace(device, entries, digest) {
    let isOurs = true;
    await written(this.database, (devices, stored) => {
      const request = devices.get("device");
      request.onsuccess = () => {
        isOurs = request.result.digest === digest;
        if (!isOurs) return;
        devices.put(device);
        for (const entry of entries) stored.put(entry);
      };
    });
    return isOurs;
  }

  /** Delete answered entries. One that stays is sent again and gets its first answer, so no tap waits for the disk. @param {number[]} numbers */
  strike(numbers) {
    return written(this.database, (_devices, entries) => numbers.forEach((seq) => entries.delete(seq)), "relaxed");
  }

  /** Forget the device; its entries must have been answered. */
  forget() {
    return written(this.database, (devices, entries, taps) => {
      devices.clear();
      entries.clear();
      taps.clear();
    });
  }
}
