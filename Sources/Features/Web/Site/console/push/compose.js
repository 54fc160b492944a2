// Writing a notification: the message or a template, how it will look, to whom; then what became of each delivery.
import { call } from "../../net/api.js";
import { attempt, source } from "../../net/source.js";
import { h } from "../../kit/dom.js";
import { form } from "../../kit/form.js";
import { effect, signal } from "../../kit/signal.js";
import { t } from "../../kit/words.js";
import { explain, statusOf } from "../../push/explain.js";
import { priorities } from "../../push/rules.js";
import { twin } from "../parts.js";
import { messageOf } from "../reading.js";
import { pictureField } from "./picture.js";

const pause = 300;

/**
 * How a message looks on a screen, roughly: each system has its own shape. A picture of another server is named, not fetched.
 * @param {any} message @param {string} [picture] an address within the page
 */
export const preview = (message, picture) => h("div", { class: "push-preview", role: "group", "aria-label": t("compose.preview") }, h("p", { class: "hint" }, "Selene", message.priority ? ` · ${t(`push.priority.${message.priority}`)}` : ""),
  h("p", { class: "entry-title", dir: "auto" }, message.title || "Selene"), message.subtitle ? h("p", { dir: "auto" }, message.subtitle) : null, message.body ? h("p", { class: "push-body", dir: "auto" }, message.body) : null,
  picture ? h("img", { class: "push-picture", src: picture, alt: t("compose.image") }) : message.image ? h("p", { class: "hint" }, `${t("compose.image")}: `, h("span", { dir: "ltr" }, message.image)) : null,
  message.url ? h("p", { class: "hint", dir: "ltr" }, message.url) : null, message.actions?.length > 0 ? h("div", { class: "row" }, message.actions.map((/** @type {any} */ one) => h("span", { class: "chip", dir: "auto" }, one.title))) : null);

/**
 * Fields of a message.
 * @param {(values: Record<string, any>) => boolean} [when] @returns {import("../../kit/form.js").Field[]}
 */
export const messageFields = (when) => [
  { name: "title", label: t("compose.title"), when }, { name: "body", label: t("compose.body"), type: "long", when },
  { name: "priority", label: t("push.priority"), type: "choice", choices: priorities.map((name) => [name, t(`push.priority.${name}`)]), when },
  { name: "url", label: t("compose.url"), hint: "https://", when }, { name: "image", label: t("compose.image"), hint: t("compose.image.hint"), when }, { name: "actions", label: t("compose.buttons"), type: "long", hint: t("compose.buttons.hint"), when },
];

/** What a key may send to, and with what. */
const ask = async () => {
  const [{ devices }, { definitions }] = await Promise.all([call("GET", "api/v1/devices?limit=200"), call("GET", "api/v1/notifications/definitions?limit=200")]);
  return { devices, definitions };
};

/** @param {any} known */
function composer({ devices, definitions }) {
  const problem = signal("");
  const result = signal(/** @type {any} */ (null));
  const shown = signal(/** @type {any} */ ({}));
  const chosen = new Set();
  const own = (/** @type {Record<string, any>} */ { template }) => !template;
  const { values, parts } = form([
    { name: "template", label: t("compose.template"), type: "choice", choices: [["", t("compose.own")], ...definitions.map((/** @type {any} */ one) => [one.name, one.name])] }, { name: "inputs", label: t("compose.inputs"), type: "long", hint: t("compose.inputs.hint"), when: ({ template }) => Boolean(template) },
    ...messageFields(own), { name: "topic", label: t("push.topic"), hint: t("compose.topic.hint") }, { name: "notBefore", label: t("compose.when"), type: /** @type {any} */ ("datetime-local"), hint: t("compose.when.hint") },
  ], { template: "", priority: "normal" });
  const { picture, part } = pictureField((words) => { problem.value = words; });
  // A picture from a file counts before an address.
  const message = (/** @type {Record<string, any>} */ now) => ({ ...messageOf(picture.peek() ? { ...now, image: null } : now), ...(picture.peek() ? { image_data: picture.peek()?.data } : {}) });
  const inputs = (/** @type {string | null} */ text) => Object.fromEntries((text ?? "").split("\n").map((line) => line.split("=").map((part) => part.trim())).filter(([name, ...rest]) => name && rest.length > 0).map(([name, ...rest]) => [name, rest.join("=")]));
  let timer = 0;
  effect(() => {
    const now = values.value;
    problem.value = "";
    clearTimeout(timer);
    const template = definitions.find((/** @type {any} */ one) => one.name === now.template);
    if (!template) { try { shown.value = messageOf(now); } catch (error) { problem.value = /** @type {Error} */ (error).message; } return; }
    const given = inputs(now.inputs);
    timer = window.setTimeout(() => call("POST", `api/v1/notifications/definitions/${encodeURIComponent(template.id)}/preview`, Object.keys(given).length > 0 ? { inputs: given } : {}).then((answer) => { if (values.peek() === now) shown.value = answer.message; }, (error) => { problem.value = error.message; }), pause);
  });
  let isBusy = false;
  const send = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (isBusy) return;
    isBusy = true;
    problem.value = "";
    try {
      const now = values.peek();
      const body = { ...(now.template ? { template: now.template, inputs: inputs(now.inputs) } : { message: message(now) }), ...(now.topic ? { topic: now.topic } : {}), ...(chosen.size > 0 ? { devices: [...chosen] } : {}),
        ...(now.notBefore ? { notBefore: new Date(now.notBefore).toISOString().replace(/\.\d+/, "") } : {}) };
      result.value = await call("POST", "api/v1/messages", body);
      void follow(result.peek().id);
    } catch (error) { problem.value = /** @type {Error} */ (error).message || t("library.offline"); }
    isBusy = false;
  };
  const follow = async (/** @type {string} */ id) => {
    for (let tries = 0; tries < 10 && result.peek()?.id === id && ["queued", "sending"].includes(result.peek().status); tries += 1) {
      await new Promise((resolve) => { setTimeout(resolve, 1000); });
      const answer = await call("GET", `api/v1/messages/${encodeURIComponent(id)}`).catch(() => null);
      if (answer && result.peek()?.id === id) result.value = answer;
    }
  };
  const recall = () => attempt(async () => { result.value = await call("DELETE", `api/v1/messages/${encodeURIComponent(result.peek().id)}`); });
  const sent = (/** @type {any} */ now) => h("section", { role: "status" }, h("h2", {}, t("compose.result")), now.deliveries.length === 0 ? h("p", {}, t("compose.nobody")) : h("ul", { class: "rows", role: "list" }, now.deliveries.map((/** @type {any} */ one) => h("li", { class: "rule" }, h("p", {}, statusOf(one.status), " ", h("span", { dir: "auto" }, one.name)),
    h("button", { class: "quiet", type: "button", "aria-label": `${t("push.why")} ${one.name}`, onclick: () => explain(one.id, one.name) }, t("push.why"))))), now.status === "recalled" ? null : h("button", { class: "button", type: "button", onclick: () => void recall() }, t("compose.recall")));
  return h("div", { class: "compose" }, h("form", { class: "stack", onsubmit: send }, parts, h("div", { hidden: () => !own(values.value) }, part),
    h("fieldset", { class: "week" }, h("legend", { class: "label" }, t("compose.devices")), devices.map((/** @type {any} */ one) => h("label", { class: "check" }, h("input", { type: "checkbox", onchange: (/** @type {any} */ event) => { if (event.target.checked) chosen.add(one.id); else chosen.delete(one.id); } }), h("span", { dir: "auto" }, one.name)))),
    () => (problem.value ? h("p", { class: "notice bad", role: "alert" }, problem.value) : null), h("div", { class: "row" }, h("button", { class: "button primary", type: "submit" }, t("send")))),
  h("div", { class: "stack" }, h("h2", {}, t("compose.preview")), () => preview(shown.value, own(values.value) ? picture.value?.url : undefined), () => (result.value ? sent(result.value) : null)));
}

/**
 * The view.
 * @type {import("../view.js").Page}
 */
export function compose(head) {
  const { view } = source(ask);
  head(twin("selene push send"));
  return [view(composer)];
}
