// The device's own store (IndexedDB): its key, its running number and the entries that wait for an answer.
//
// The private key cannot be exported. A badge is never written here.

const NAME = "pitledger-table";

function opened() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("device", { keyPath: "name" });
      request.result.createObjectStore("entries", { keyPath: "seq" });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("blocked"));
  });
}

/** Run `work` on both stores in one transaction; resolve when it is on disk. */
function written(database, work) {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(["device", "entries"], "readwrite", { durability: "strict" });
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error("aborted"));
    try {
      work(transaction.objectStore("device"), transaction.objectStore("entries"));
    } catch (error) {
      transaction.abort();
      reject(error);
    }
  });
}

function all(database, store) {
  return new Promise((resolve, reject) => {
    const request = database.transaction(store).objectStore(store).getAll();
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Store of one device. Every method rejects where the browser cannot write (full disk, private window). */
export class Storage {
  async open() {
    this.database = await opened();
  }

  /** The device's record, or undefined: {name, id, table, keys, seq, digest}. */
  async device() {
    return (await all(this.database, "device")).find((record) => record.name === "device");
  }

  /** The table as the house last showed it, for a page that is opened without signal. */
  async lastState() {
    return (await all(this.database, "device")).find((record) => record.name === "state")?.house;
  }

  keepState(house) {
    return written(this.database, (devices) => devices.put({ name: "state", house }));
  }

  /** Entries without an answer, by number. */
  entries() {
    return all(this.database, "entries");
  }

  saveDevice(device) {
    return written(this.database, (devices) => devices.put(device));
  }

  /** An entry and the device's number and digest, in one transaction. */
  append(device, entry) {
    return written(this.database, (devices, entries) => {
      devices.put(device);
      entries.add(entry);
    });
  }

  strike(numbers) {
    return written(this.database, (_devices, entries) => numbers.forEach((seq) => entries.delete(seq)));
  }

  /** Forget the device; its entries must have been answered. */
  forget() {
    return written(this.database, (devices, entries) => {
      devices.clear();
      entries.clear();
    });
  }
}
