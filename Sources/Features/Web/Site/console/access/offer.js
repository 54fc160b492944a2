// Making keys: the form of scopes and a term, in a dialog, and inviting a device by a code.
import { call } from "../../net/api.js";
import { h } from "../../kit/dom.js";
import { sheet } from "../../kit/sheet.js";
import { scope, signal } from "../../kit/signal.js";
import { inForm, t } from "../../kit/words.js";
import { paired, twin } from "../parts.js";

export const scopes = ["llm", "notes:read", "notes:write", "push:receive", "push:send", "push:admin", "admin"];
const ordinary = ["llm", "notes:read", "notes:write"];
export const terms = ["never", "30d", "365d"];

/**
 * Boxes for scopes, and what is chosen.
 * @param {string[]} first
 */
function boxes(first) {
  const all = scopes.map((word) => h("input", { type: "checkbox", value: word, checked: first.includes(word) }));
  return { chosen: () => all.filter((box) => box.checked).map((box) => box.value), parts: h("fieldset", { class: "week" }, h("legend", { class: "label" }, t("keys.scopes")), scopes.map((word, place) => h("label", { class: "check" }, all[place], h("code", {}, word)))) };
}

/**
 * Opens the form that makes a key. `act` gets what was chosen; its error stays in the form.
 * @param {"offer" | "make"} id @param {(values: { name: string, scopes: string[], expires: string }) => Promise<any>} act @param {() => any} [more]
 */
export function maker(id, act, more) {
  /** @type {any} */
  let content = null;
  const end = scope(() => {
    const problem = signal("");
    const name = h("input", { class: "input", id: `${id}-name`, required: true, maxlength: "100", autocomplete: "off" });
    const term = h("select", { class: "input", id: `${id}-term` }, terms.map((one) => h("option", { value: one }, t(`keys.term.${one}`))));
    const { chosen, parts } = boxes(id === "offer" ? paired : ordinary);
    const submit = async (/** @type {Event} */ event) => {
      event.preventDefault();
      problem.value = "";
      try { await act({ name: name.value.trim(), scopes: chosen(), expires: term.value }); close(); } catch (error) { problem.value = /** @type {Error} */ (error).message || t("library.offline"); }
    };
    content = h("form", { class: "stack", onsubmit: submit }, h("p", { class: "hint" }, t(`keys.${id}.hint`)), h("div", { class: "field" }, h("label", { for: `${id}-name` }, t("console.name")), name), parts,
      h("div", { class: "field" }, h("label", { for: `${id}-term` }, t("keys.term")), term), more?.(), () => (problem.value ? h("p", { class: "notice bad", role: "alert" }, problem.value) : null), h("div", { class: "row" }, h("button", { class: "button primary", type: "submit" }, t(`keys.${id}.make`)), twin(id === "offer" ? "selene pair NAME" : "selene keys create NAME --rpm 60 --tokens-per-day 100000")));
  });
  const close = sheet(t(`keys.${id}`), content, { onclose: end });
}

/** The button that invites a device, and the code that it shows. */
export function offering() {
  const offer = signal(/** @type {any} */ (null));
  const button = h("button", { class: "button", type: "button", onclick: () => maker("offer", async (values) => { offer.value = await call("POST", "web/pairings", values); }) }, t("keys.offer"));
  const shown = () => (offer.value ? h("div", { class: "notice offer", role: "status" }, offer.value.qr ? h("img", { class: "qr", alt: t("keys.qr"), src: `data:image/svg+xml,${encodeURIComponent(offer.value.qr)}` }) : null,
    h("div", { class: "stack" }, h("p", { class: "code-shown" }, `${offer.value.code.slice(0, 4)}-${offer.value.code.slice(4)}`), h("p", { class: "hint" }, t("keys.offer.until", { time: inForm(offer.value.expires_at, { timeStyle: "short" }) })), h("p", { class: "hint mono", dir: "ltr" }, offer.value.url)),
    h("button", { class: "quiet", type: "button", onclick: () => { offer.value = null; } }, t("keys.hide"))) : null);
  return { button, shown };
}
