// The certificate of the gateway's own authority: where a device that does not trust it yet finds it.
import { session } from "../../net/api.js";
import { h } from "../../kit/dom.js";
import { t } from "../../kit/words.js";
import { heading, twin } from "../parts.js";

/** The section; nothing on a gateway without an authority. */
export const authority = () => (session.value?.has_authority ? h("section", {}, heading(t("authority"), twin("selene tls show")), h("div", { class: "notice offer" }, h("img", { class: "qr", alt: t("authority.qr"), src: "ca.svg" }),
  h("div", { class: "stack" }, h("p", {}, t("authority.hint")), h("p", {}, h("a", { class: "button", href: "ca", target: "_blank", rel: "noopener" }, t("authority.open")))))) : null);
