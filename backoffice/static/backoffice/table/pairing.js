// Pairing a device with a table: the code from the pit's page, a key made here, four digits on both sides.
import { Component, PAGE, html, word } from "./view.js";
import { digest, fourDigits, newKeys, pairingProof, publicKey } from "./keys.js";
import * as house from "./house.js";

const ASK_MS = 1000;

/** The single-use secret of the QR code: it stands behind the # of the address, which no server and no log sees. */
function secretOfAddress() {
  const secret = decodeURIComponent(location.hash.slice(1));
  if (secret) history.replaceState(null, "", location.pathname);
  return secret;
}

/** @typedef {{secret: string, name: string, digits: string | null, message: string, isBusy?: boolean}} PairingView */

/** @extends {Component<{app: Own.App}, PairingView>} */
export class Pairing extends Component {
  constructor() {
    super();
    this.state = { secret: secretOfAddress(), name: word("tablet"), digits: null, message: "" };
  }

  componentDidMount() {
    if (this.state.secret) this.begin();
  }

  componentWillUnmount() {
    clearTimeout(this.timer);
  }

  /** @param {Event} [event] */
  async begin(event) {
    event?.preventDefault();
    this.setState({ isBusy: true, message: "" });
    try {
      this.keys = await newKeys();
      const { secret, name } = this.state;
      const key = await publicKey(this.keys);
      const proof = await pairingProof(secret.trim(), key);
      const answer = await this.answerTo(() => house.pair({ ...proof.sent, public_key: key, device_name: name }));
      const digits = await fourDigits(proof, key, answer.nonce);
      await this.answerTo(() => house.revealNonce(answer.pairing, proof.nonce));
      this.setState({ digits, secret: "", message: "" });
      this.poll(answer.pairing);
    } catch (error) {
      this.setState({ isBusy: false, message: house.reasonOf(error) });
    }
  }

  /** Ask until an answer comes: the house takes the same request again from the same key, as long as the code is valid. @template T @param {() => Promise<T>} ask @returns {Promise<T>} */
  async answerTo(ask) {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof house.Offline)) throw error;
        this.setState({ message: word("unreachable_help") });
        await new Promise((resolve) => setTimeout(resolve, ASK_MS));
      }
    }
  }

  /** @param {string} id */
  async poll(id) {
    try {
      const answer = await house.pairing(id);
      if (answer.state === "confirmed") return await this.saveConfirmed(answer);
      if (answer.state !== "waiting") return this.setState({ digits: null, isBusy: false, message: word(`pairing_${answer.state}`) });
    } catch (error) {
      if (!(error instanceof house.Offline)) return this.setState({ digits: null, isBusy: false, message: house.reasonOf(error) });
    }
    this.timer = setTimeout(() => this.poll(id), ASK_MS);
  }

  /** @param {House.PairingState} answer */
  async saveConfirmed({ device, table }) {
    const keys = /** @type {CryptoKeyPair} */ (this.keys); // made before the code was sent
    /** @type {Own.Device} */
    const record = { name: "device", id: device, table: table ?? PAGE.table, keys, seq: 0, digest: await digest(device) };
    await this.props.app.storage.saveDevice(record);
    if (record.table !== PAGE.table) return location.assign(`/table/${encodeURIComponent(record.table)}`);
    await this.props.app.start();
  }

  /** @param {unknown} _ @param {PairingView} state */
  render(_, { secret, name, digits, message, isBusy }) {
    if (digits) return html`<section class="entrance"><h1>${word("compare_digits")}</h1>
      <p class="digits-shown num" data-digits=${digits} role="status">${digits}</p><p>${word("compare_digits_help")}</p></section>`;
    return html`<section class="entrance"><h1>${word("pair_this", { table: PAGE.table })}</h1><p>${word("pair_help")}</p>
      <form onSubmit=${(/** @type {Event} */ event) => this.begin(event)}>
        <label><span>${word("pairing_code")}</span><input type="text" name="secret" autocomplete="off" autocapitalize="off" spellcheck=${false} value=${secret} onInput=${(/** @type {Own.Typing} */ event) => this.setState({ secret: event.target.value })} required /></label>
        <label><span>${word("device_name")}</span><input type="text" name="name" autocomplete="off" value=${name} onInput=${(/** @type {Own.Typing} */ event) => this.setState({ name: event.target.value })} required /></label>
        <button class="act large" disabled=${isBusy} data-do="pair">${word("pair_device")}</button></form>
      <p role="alert" class="alert">${message}</p></section>`;
  }
}
