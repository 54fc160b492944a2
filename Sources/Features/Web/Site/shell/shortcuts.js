// The list of keys, on "?".
import { h } from "../kit/dom.js";
import { sheet } from "../kit/sheet.js";
import { t } from "../kit/words.js";

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);
/**
 * The words for Ctrl or Command with a key.
 * @param {string} key
 */
export const withCommand = (key) => (isApple ? `⌘ ${key}` : `${t("key.ctrl")} ${key}`);

export function openShortcuts() {
  const rows = [
    [t("keys.palette"), withCommand("K")], [t("keys.new"), `${t("key.alt")} N`], [t("keys.search"), `${t("key.alt")} S`], [t("keys.composer"), "/"], [t("keys.capture"), `${t("key.alt")} C`],
    [t("keys.send"), "Enter"], [t("keys.line"), `${t("key.shift")} Enter`], [t("keys.stop"), `${t("key.alt")} .`], [t("keys.close"), "Esc"], [t("keys.pages"), "← →"], [t("keys.book"), "C, F"], [t("keys.list"), "?"],
  ];
  sheet(t("shortcuts"), h("dl", { class: "keys" }, rows.map(([what, keys]) => [h("dt", {}, what), h("dd", {}, h("kbd", {}, keys))])));
}
