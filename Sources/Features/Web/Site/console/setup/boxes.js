// A setting that is a list of known names: a check box each, with what it does.
import { h } from "../../kit/dom.js";
import { t } from "../../kit/words.js";
import { listed, namesOf } from "./kinds.js";

/**
 * A word, or what is shown where there is none: a newer gateway's names have none.
 * @param {string} word @param {string} other
 */
export const wordOf = (word, other) => (t(word) === word ? other : t(word));

/**
 * The check boxes. `read` is the list as text, `take` gets it when a box changes.
 * @param {string} key of the setting @param {string[]} all @param {() => string} read @param {(text: string) => void} take @param {Record<string, any>} attributes
 */
export function boxes(key, all, read, take, attributes) {
  const box = (/** @type {string} */ name) => {
    const others = () => namesOf(read()).filter((one) => one !== name);
    const does = wordOf(`setting.${key}.${name}.does`, "");
    const input = h("input", { type: "checkbox", checked: () => namesOf(read()).includes(name), onchange: () => take(listed(input.checked ? [...others(), name] : others(), all)), "aria-describedby": does ? `${key}-${name}` : null });
    return h("div", {}, h("label", { class: "check" }, input, h("span", {}, wordOf(`setting.${key}.${name}`, name))), does ? h("p", { class: "hint", id: `${key}-${name}` }, does) : null);
  };
  return h("div", { ...attributes, role: "group", class: "setting-list" }, all.map(box));
}
