// Badges: a scanner that types, NFC where the browser has it, or a short code. A badge is sent once and kept nowhere.
import { Component, html, word } from "./view.js";

/**
 * @typedef {{app: Own.App, roles?: string[]}} BadgeProps
 * @typedef {{role: string, isBusy?: boolean, hasNfc?: boolean}} BadgeState
 */

/** @extends {Component<BadgeProps, BadgeState>} */
export class Badge extends Component {
  /** @param {BadgeProps} props */
  constructor(props) {
    super(props);
    this.state = { role: props.roles?.[0] ?? props.app.state?.roles?.[0] ?? "dealer" };
  }

  componentDidMount() {
    this.input?.focus();
    this.listen();
  }

  componentWillUnmount() {
    this.nfc?.abort();
  }

  /** NFC: the first text record of a card is the badge. */
  async listen() {
    if (!("NDEFReader" in globalThis)) return;
    this.nfc = new AbortController();
    try {
      const reader = new NDEFReader();
      await reader.scan({ signal: this.nfc.signal });
      reader.onreading = ({ message }) => {
        const record = message.records.find(({ recordType }) => recordType === "text");
        if (record) this.send(new TextDecoder(record.encoding ?? "utf-8").decode(record.data));
      };
      this.setState({ hasNfc: true });
    } catch {
      this.setState({ hasNfc: false });
    }
  }

  /** @param {Event} event */
  submit(event) {
    event.preventDefault();
    const badge = this.input.value;
    this.input.value = "";
    if (badge) this.send(badge);
  }

  /** @param {string} badge */
  async send(badge) {
    this.setState({ isBusy: true });
    await this.props.app.badge(badge.trim(), this.state.role);
    this.setState({ isBusy: false });
    this.input?.focus();
  }

  /** @param {BadgeProps} props @param {BadgeState} state */
  render({ app, roles }, { role, isBusy, hasNfc }) {
    const offeredRoles = roles?.length ? roles : app.state?.roles?.length ? app.state.roles : ["dealer", "inspector"];
    return html`<form class="badge" onSubmit=${(/** @type {Event} */ event) => this.submit(event)}>
      <p>${word(hasNfc ? "badge_help_nfc" : "badge_help")}</p>
      <div class="pad pad-choice" role="group" aria-label=${word("role")}>${offeredRoles.map((/** @type {string} */ name) => html`<button type="button" class="key wide" data-role=${name}
        aria-pressed=${String(name === role)} onClick=${() => { this.setState({ role: name }); this.input.focus(); }}>${app.state?.names?.[name] ?? word(`role_${name}`)}</button>`)}</div>
      <label><span>${word("badge_or_code")}</span><input type="password" name="badge" data-field="badge" autocomplete="off" ref=${(/** @type {HTMLInputElement | null} */ input) => (this.input = input ?? this.input)} /></label>
      <button class="act large" disabled=${isBusy} data-do="session">${word("come_to_table")}</button>
      ${app.queue.isOffline && html`<button type="button" class="act" data-do="relief-offline" onClick=${() => app.reliefWithoutSignal(role)}>${word("relief_offline")}</button>`}</form>`;
  }
}
