// What an address without TLS lacks, said where it is missed.
import { h } from "../kit/dom.js";
import { t } from "../kit/words.js";

/** A notice, or null on a secure address. */
export function lacks() {
  if (globalThis.isSecureContext && (location.protocol === "https:" || /^(localhost|127\.|\[::1\])/.test(location.host))) return null;
  return h("details", { class: "notice warn lacks" }, h("summary", {}, t("insecure")), h("p", {}, t("insecure.text")),
    h("ul", { class: "plain" }, ["install", "offline", "microphone", "push"].map((name) => h("li", {}, t(`insecure.${name}`)))),
    h("p", {}, t("insecure.help"), " ", h("code", {}, "selene tls init")));
}
