// Templates: messages with Mustache tags and typed inputs, shown as they will look with the examples of their inputs.
import { call } from "../../net/api.js";
import { attempt, paged, query, write } from "../../net/source.js";
import { h } from "../../kit/dom.js";
import { editor } from "../../kit/form.js";
import { signal } from "../../kit/signal.js";
import { toast } from "../../kit/toast.js";
import { t } from "../../kit/words.js";
import { twin } from "../parts.js";
import { inputsOf, messageOf } from "../reading.js";
import { messageFields, preview } from "./compose.js";

const path = "api/v1/notifications/definitions";

/** @param {any[]} inputs */
const inputText = (inputs) => inputs.map(({ name, type, example }) => `${name}: ${type}${example === undefined || example === null ? "" : ` = ${example}`}`).join("\n");
/** @param {any[]} actions */
const buttonText = (actions) => (actions ?? []).map(({ title, url }) => (url ? `${title} = ${url}` : title)).join("\n");

/** @param {any} [stored] */
function edit(stored) {
  const template = stored?.template ?? { message: {} };
  const { message } = template;
  const before = { name: template.name, inputs: inputText(template.inputs ?? []), title: message.title, body: message.body, priority: message.priority ?? "normal", url: message.url, image: message.image, actions: buttonText(message.actions) };
  editor(t(stored ? "templates.edit" : "templates.new"), [{ name: "name", label: t("console.name"), required: true, hint: t("templates.name.hint") }, { name: "inputs", label: t("compose.inputs"), type: "long", hint: t("templates.inputs.hint") }, ...messageFields()], before, async (values, differs) => {
    const { title: _, body: __, priority: ___, url: ____, image: _____, actions, ...rest } = message;
    // Buttons of other kinds than the form has are kept as long as their lines are.
    const made = { ...rest, ...messageOf(values), ...(differs("actions") || !actions ? {} : { actions }) };
    const body = { ...template, name: values.name, inputs: inputsOf(values.inputs, template.inputs ?? []), message: made };
    const saved = await (stored ? write("PUT", `${path}/${encodeURIComponent(stored.id)}`, body) : write("POST", path, body));
    toast(t("templates.saved", { name: saved.name }));
  }, stored ? (/** @type {() => void} */ close) => h("button", { class: "button danger", type: "button", onclick: () => void attempt(async () => {
    close();
    await write("DELETE", `${path}/${encodeURIComponent(stored.id)}`);
    toast(t("deleted", { title: stored.name }), { label: t("undo"), run: () => void attempt(() => write("POST", path, template)) });
  }) }, t("delete")) : null);
}

/** @param {any} stored */
function row(stored) {
  const shown = signal(/** @type {any} */ (null));
  const look = () => attempt(async () => { shown.value = shown.peek() ? null : (await call("POST", `${path}/${encodeURIComponent(stored.id)}/preview`, {})).message; });
  return h("li", { class: "stack" }, h("div", { class: "rule" }, h("div", {}, h("p", {}, h("strong", { dir: "ltr" }, stored.name)), h("p", { class: "hint", dir: "auto" }, [stored.template?.message?.title, (stored.template?.inputs ?? []).map((/** @type {any} */ one) => one.name).join(", ")].filter(Boolean).join(" · "))),
    h("div", { class: "row" }, h("button", { class: "quiet", type: "button", "data-key": `look-${stored.id}`, "aria-expanded": () => String(shown.value !== null), "aria-label": `${t("compose.preview")}: ${stored.name}`, onclick: () => void look() }, t("compose.preview")),
      h("button", { class: "quiet", type: "button", "data-key": `edit-${stored.id}`, "aria-label": `${t("edit")}: ${stored.name}`, onclick: () => edit(stored) }, t("edit")))), () => (shown.value ? preview(shown.value) : null));
}

/**
 * The view.
 * @type {import("../view.js").Page}
 */
export function templates(head) {
  const { view, more } = paged("definitions", (cursor) => `${path}?${query({ limit: 50, cursor })}`);
  head(h("button", { class: "button", type: "button", onclick: () => edit() }, t("templates.new")), twin("selene push templates"));
  return [view(({ definitions }) => (definitions.length === 0 ? h("p", { class: "blank" }, t("templates.none")) : h("ul", { class: "rows", role: "list", "aria-label": t("console.page.push/templates") }, definitions.map(row)))), more];
}
