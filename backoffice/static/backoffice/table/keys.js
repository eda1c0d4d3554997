// The device's key and its signatures (WebCrypto, ECDSA P-256).

const KIND = { name: "ECDSA", namedCurve: "P-256" };
const SIGNING = { name: "ECDSA", hash: "SHA-256" };
const bytes = (/** @type {string} */ text) => new TextEncoder().encode(text);

/** Whether this browser signs at all: only over https, or on the machine itself. */
export const canSign = () => Boolean(globalThis.crypto?.subtle);

/** A new key pair. The private half stays in the browser: it cannot be exported. */
export async function newKeys() {
  return crypto.subtle.generateKey(KIND, false, ["sign", "verify"]);
}

/** The public half as the house wants it (JWK). @param {CryptoKeyPair} keys */
export function publicKey(keys) {
  return crypto.subtle.exportKey("jwk", keys.publicKey).then(({ kty, crv, x, y }) => ({ kty, crv, x, y }));
}

/** @param {CryptoKeyPair} keys @param {string} text */
export async function signature(keys, text) {
  const raw = new Uint8Array(await crypto.subtle.sign(SIGNING, keys.privateKey, bytes(text)));
  return btoa(String.fromCharCode(...raw)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** SHA-256 of a text, in hex. @param {string} text */
export async function digest(text) {
  const raw = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes(text)));
  return [...raw].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

const hex = (/** @type {ArrayBuffer | Uint8Array<ArrayBuffer>} */ raw) => [...new Uint8Array(raw)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * The proof that this device knows the secret of a code, for its own key. The secret itself is never sent, and the nonce
 * only after the house has sent its own: nobody in between can choose a key that makes the same digits.
 * @param {string} secret @param {JsonWebKey} key
 */
export async function pairingProof(secret, { x, y }) {
  const key = await digest(secret);
  const nonce = hex(crypto.getRandomValues(new Uint8Array(32)));
  const commitment = await digest(`${nonce}.${x}.${y}`);
  const mac = await crypto.subtle.importKey("raw", bytes(key), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const proof = hex(await crypto.subtle.sign("HMAC", mac, bytes(`${x}.${y}.${commitment}`)));
  return { key, nonce, sent: { code: await digest(`code.${key}`), commitment, proof } };
}

/** The four digits of a pairing, from this device's own key: the house computes the same from the key that it was sent. @param {{key: string, nonce: string}} proof @param {JsonWebKey} own @param {string} houseNonce */
export async function fourDigits({ key, nonce }, { x, y }, houseNonce) {
  const first = parseInt((await digest(`${key}.${x}.${y}.${nonce}.${houseNonce}`)).slice(0, 8), 16);
  return String(first % 10000).padStart(4, "0");
}
