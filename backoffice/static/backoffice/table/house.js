// Requests to the house. `Offline` means that no answer came; a `Problem` is an answer that says what is wrong.
import { PAGE } from "./view.js";

const PATIENCE_MS = 6000;
const PAIRING_MS = 30_000;
const POLL_MS = 2000; // without a stream
const SILENT_MS = 5000; // a stream has a beat every two seconds
const COME_BACK_MS = 3000;
const LOOK_MS = 30_000;
const LINES = "application/x-ndjson"; // the answers to entries, then the state of the screen

export class Offline extends Error {}

export class Problem extends Error {
  /** @param {number} status @param {Partial<House.Problem>} body */
  constructor(status, body) {
    super(body.message ?? body.detail ?? body.title ?? String(status));
    this.status = status;
    this.code = body.code;
    this.clause = body.clause;
    this.source = body.source;
  }
}

/** Why a request failed, for people. @param {unknown} error */
export const reasonOf = (error) => (error instanceof Error ? error.message : String(error));

let token = PAGE.csrf ?? "";

/** @param {[string, string, any?, number?]} request @returns {Promise<any>} */
const sendRequest = async (...request) => bodyOf(await fetchResponse(...request));

/** @param {string} method @param {string} path @param {any} [body] */
async function fetchResponse(method, path, body, patience_ms = PATIENCE_MS) {
  let response;
  try {
    response = await fetch(path, {
      method,
      credentials: "same-origin",
      cache: "no-store",
      headers: { Accept: "application/json", "Content-Type": "application/json", "X-CSRFToken": token },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(patience_ms),
    });
  } catch (error) {
    throw new Offline(String(error));
  }
  if ([502, 503, 504].includes(response.status)) throw new Offline(String(response.status));
  return response;
}

/** @param {Response} response @returns {Promise<any>} */
async function bodyOf(response) {
  let body = {};
  try {
    body = response.status === 204 ? {} : await response.json();
  } catch {
    if (response.ok) throw new Offline("the answer ended early");
  }
  if (!response.ok) throw new Problem(response.status, body);
  return body;
}

const url = (/** @type {string} */ rest) => `${PAGE.base}/${rest}`;

/**
 * Send entries. The answers, and a promise of the `state` that comes after them: null where it does not come.
 * @param {{body?: string, signature?: string}[]} entries
 * @returns {Promise<Omit<House.QueueAnswers, "state"> & {state: Promise<Own.State | null>}>}
 */
export async function queue(entries, { takesPen = false, withState = true } = {}) {
  const options = { sent: new Date().toISOString(), take_pen: takesPen, with_state: withState, group_refusals: true, state_after: true };
  const response = await fetchResponse("POST", url("queue"), { entries, ...options });
  if (response.headers.get("Content-Type") !== LINES) return Object.assign(await bodyOf(response), { state: Promise.resolve(null) });
  const nextLine = lineReader(response.body);
  const first = await nextLine().catch((error) => Promise.reject(new Offline(String(error))));
  if (!first) throw new Offline("the answer ended early");
  const state = nextLine().then((text) => (text ? JSON.parse(text) : null)).catch(() => null);
  state.then(nextLine).catch(() => {}); // the next tap uses the connection again once the whole body is read
  return { ...JSON.parse(first), state };
}

/** A function that reads the next whole line of a body; null at its end. @param {ReadableStream<Uint8Array<ArrayBuffer>> | null} body @returns {() => Promise<string | null>} */
function lineReader(body) {
  if (!body) return async () => null;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  return async () => {
    while (!rest.includes("\n")) {
      const { value, done } = await reader.read();
      if (done) return null;
      rest += value;
    }
    const line = rest.slice(0, rest.indexOf("\n"));
    rest = rest.slice(line.length + 1);
    return line;
  };
}

/** @param {object} request @returns {Promise<House.PairingState>} */
export const pair = (request) => sendRequest("POST", "/table/pair", request, PAIRING_MS);
/** @param {string} id @param {string} nonce @returns {Promise<House.PairingState>} */
export const revealNonce = (id, nonce) => sendRequest("POST", `/table/pairings/${encodeURIComponent(id)}`, { nonce }, PAIRING_MS);
/** @param {string} id @returns {Promise<House.PairingState>} */
export const pairing = (id) => sendRequest("GET", `/table/pairings/${encodeURIComponent(id)}`);
/** @param {string} badge @param {string} role @returns {Promise<House.SessionBegun>} */
export const begin = (badge, role, relief = "") => sendRequest("POST", url("session"), { badge, role, relief });
/** @param {string[]} sessions */
export const end = (...sessions) => sendRequest("DELETE", url("session"), { sessions });
/** @param {object} decision */
export const decideEntry = (decision) => sendRequest("POST", url("entries"), decision);
/** @param {object} question @returns {Promise<House.SecondShown>} */
export const askSecondPerson = (question) => sendRequest("POST", url("second"), question);
/** @param {string} id @returns {Promise<House.SecondShown>} */
export const secondState = (id) => sendRequest("GET", url(`second/${encodeURIComponent(id)}`));
/** @param {string} id @param {object} answer @returns {Promise<House.SecondShown>} */
export const agree = (id, answer) => sendRequest("POST", url(`second/${encodeURIComponent(id)}`), answer);

/** How the table stands, for the people at this screen. @returns {Promise<Own.State>} */
export async function state() {
  const answer = await sendRequest("GET", url("state"));
  token = answer.csrf ?? token;
  return answer;
}

/**
 * Call `onPosition` with each position that the house says, for as long as the page lives. A stream that is silent is broken;
 * while there is none, the page asks by itself.
 * @param {(update: {position?: number}) => void} onPosition @param {() => void} onLost
 */
export function follow(onPosition, onLost) {
  /** @type {EventSource} */ let source;
  /** @type {number | undefined} */ let silenceTimer;
  /** @type {number | undefined} */ let pollTimer;
  const onBeat = () => {
    clearTimeout(silenceTimer);
    clearInterval(pollTimer);
    silenceTimer = setTimeout(reconnect, SILENT_MS);
  };
  const reconnect = () => {
    source.close();
    clearTimeout(silenceTimer);
    clearInterval(pollTimer);
    onLost();
    pollTimer = setInterval(() => onPosition({}), POLL_MS);
    setTimeout(open, COME_BACK_MS);
  };
  const open = () => {
    clearTimeout(silenceTimer);
    silenceTimer = setTimeout(reconnect, SILENT_MS);
    source = new EventSource(`/live/tables/${encodeURIComponent(PAGE.table)}`);
    source.addEventListener("position", (message) => (onBeat(), onPosition(JSON.parse(message.data))));
    source.addEventListener("beat", onBeat);
    source.onerror = reconnect;
  };
  open();
  setInterval(() => onPosition({}), LOOK_MS); // for what is no event: entries that wait, people at the screen
}
