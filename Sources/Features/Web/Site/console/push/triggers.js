// What the gateway notifies of by itself: switches, each with an optional template and topic.
import { call } from "../../net/api.js";
import { attempt, source, write } from "../../net/source.js";
import { h } from "../../kit/dom.js";
import { editor } from "../../kit/form.js";
import { t } from "../../kit/words.js";

const path = "api/v1/triggers";

/** @param {string} name of a trigger; those that a newer gateway has are shown by their name */
const label = (name) => { const key = `trigger.${name}`; return t(key) === key ? name : t(key); };

/** The view. */
export function triggers() {
  const { view } = source(() => call("GET", path));
  const set = (/** @type {string} */ name, /** @type {any} */ trigger) => write("PUT", path, { triggers: { [name]: trigger } });
  const edit = (/** @type {string} */ name, /** @type {any} */ trigger) => attempt(async () => {
    const { definitions } = await call("GET", "api/v1/notifications/definitions?limit=200");
    editor(label(name), [{ name: "template", label: t("compose.template"), type: "choice", choices: [["", t("trigger.built-in")], ...definitions.map((/** @type {any} */ one) => [one.name, one.name])], hint: t("trigger.inputs") }, { name: "topic", label: t("push.topic"), hint: t("trigger.topic.hint", { name }) }],
      { template: trigger.template ?? "", topic: trigger.topic }, ({ template, topic }) => set(name, { ...trigger, template: template || null, topic }));
  });
  const row = (/** @type {string} */ name, /** @type {any} */ trigger) => {
    const flip = (/** @type {any} */ event) => attempt(() => set(name, { ...trigger, enabled: !trigger.enabled })).then((saved) => { if (!saved) event.target.checked = trigger.enabled; });
    return h("li", { class: "rule" }, h("div", {}, h("p", {}, label(name)), h("p", { class: "hint" }, [trigger.template, trigger.topic].filter(Boolean).join(" · "))),
      h("div", { class: "row" }, h("button", { class: "quiet", type: "button", "data-key": `edit-${name}`, "aria-label": `${t("edit")}: ${label(name)}`, onclick: () => void edit(name, trigger) }, t("edit")),
        h("label", { class: "check" }, h("input", { type: "checkbox", role: "switch", "data-key": `on-${name}`, "aria-label": label(name), checked: trigger.enabled, onchange: flip }))));
  };
  return [h("p", { class: "hint" }, t("trigger.hint")), view((found) => h("ul", { class: "rows", role: "list", "aria-label": t("console.page.push/triggers") },
    Object.entries(found.triggers).sort(([a], [b]) => label(a).localeCompare(label(b))).map(([name, trigger]) => row(name, trigger))))];
}
