// Prompts: those that come with the gateway and own ones; reading, changing, their history, and one asked of several models.
import { call } from "../../net/api.js";
import { attempt, changed, source } from "../../net/source.js";
import { h } from "../../kit/dom.js";
import { editor } from "../../kit/form.js";
import { address, go, route } from "../../kit/router.js";
import { computed, effect, scope, cleanup, signal, untracked } from "../../kit/signal.js";
import { t } from "../../kit/words.js";
import { heading, twin, when } from "../parts.js";
import { table } from "../table.js";
import { history } from "./history.js";
import { trying } from "./run.js";

const kinds = ["reflective", "analytical", "exploratory", "specific", "creative"];
const chats = ["ask", "deep_dive", "synthesis", "thinking_partner", "thread_workspace", "briefing", "plain"];
const fields = () => [
  { name: "title", label: t("compose.title"), required: true }, { name: "kind", label: t("console.kind"), type: /** @type {const} */ ("choice"), choices: kinds.map((one) => /** @type {[string, string]} */ ([one, t(`prompt.kind.${one}`)])) },
  { name: "purpose", label: t("prompt.purpose") }, { name: "chat", label: t("prompt.chat.kind"), type: /** @type {const} */ ("choice"), choices: chats.map((one) => /** @type {[string, string]} */ ([one, one])) },
  { name: "text", label: t("prompt.text"), type: /** @type {const} */ ("long"), required: true, hint: t("prompt.text.hint") },
];
const show = (/** @type {string} */ id) => go(address("console", "prompts", id ? { p: id } : {}));

/** @param {any} prompt */
const change = (prompt) => editor(t("prompt.edit", { name: prompt.title }), fields(), prompt, async (values) => {
  await call("PUT", `api/prompts/${encodeURIComponent(prompt.id)}`, { ...values, purpose: values.purpose ?? "", base: prompt.version });
  changed.value = changed.peek() + 1;
});

const make = () => editor(t("prompt.new"), [{ name: "id", label: t("prompt.id"), required: true, hint: t("templates.name.hint") }, ...fields()], { kind: "analytical", chat: "ask" }, async ({ id, ...values }) => {
  await call("PUT", `api/prompts/${encodeURIComponent(id)}`, { ...values, purpose: values.purpose ?? "" });
  changed.value = changed.peek() + 1;
  show(id);
});

/** @param {any} prompt */
function one(prompt) {
  const isSure = signal(false);
  const drop = () => attempt(async () => {
    if (!isSure.peek()) { isSure.value = true; return; }
    const gone = await call("DELETE", `api/prompts/${encodeURIComponent(prompt.id)}`);
    changed.value = changed.peek() + 1;
    if (gone.status === "deleted") show("");
  });
  const label = () => t(prompt.origin === "own" ? isSure.value ? "models.delete.sure" : "delete" : isSure.value ? "prompt.restore.sure" : "prompt.restore");
  return [h("section", {}, heading(prompt.title, twin(`selene prompts show ${prompt.id}`)), h("p", { class: "hint", dir: "auto" }, `${t(`prompt.kind.${prompt.kind}`)} · ${t(`prompt.origin.${prompt.origin}`)} · ${t("prompt.version")} ${prompt.number}`, prompt.purpose ? ` · ${prompt.purpose}` : ""),
    h("pre", { class: "push-preview prompt-text", dir: "auto", tabindex: "0", role: "region", "aria-label": t("prompt.text") }, prompt.text),
    h("div", { class: "row" }, h("button", { class: "button", type: "button", "data-key": "prompt-edit", onclick: () => change(prompt) }, t("edit")), prompt.origin === "curated" ? null : h("button", { class: ["quiet", "is-bad"], type: "button", "data-key": "prompt-drop", onclick: () => void drop() }, label))),
  trying(prompt), history(prompt)];
}

/** The view. The address holds the prompt that is shown. */
export function prompts() {
  const id = computed(() => (route.value.view === "console" && route.value.id === "prompts" ? route.value.query.get("p") ?? "" : ""));
  const filter = signal("");
  const list = source(() => call("GET", "api/prompts"));
  const rows = () => (list.found.value?.prompts ?? []).filter((/** @type {any} */ each) => `${each.title} ${each.purpose} ${each.id}`.toLocaleLowerCase().includes(filter.value.toLocaleLowerCase()));
  const all = () => { filter.value = ""; return [list.view(() => null), h("section", { class: "row" }, h("label", { class: "unseen", for: "prompt-filter" }, t("prompt.filter")), h("input", { class: "input", id: "prompt-filter", type: "search", placeholder: t("prompt.filter"), dir: "auto", oninput: (/** @type {any} */ event) => { filter.value = event.target.value; } }),
    h("button", { class: "button", type: "button", onclick: make }, t("prompt.new")), twin("selene prompts list")), h("div", { hidden: () => !list.found.value?.prompts }, table(t("prompt.all"), rows, [
    { name: t("compose.title"), value: (each) => each.title, show: (each) => h("a", { class: "cell-link", href: address("console", "prompts", { p: each.id }), dir: "auto" }, each.title) }, { name: t("console.kind"), value: (each) => t(`prompt.kind.${each.kind}`) },
    { name: t("prompt.origin"), value: (each) => t(`prompt.origin.${each.origin}`) }, { name: t("prompt.purpose"), value: (each) => each.purpose, show: (each) => h("span", { class: "where", dir: "auto" }, each.purpose || "–") }, { name: t("models.changed"), value: (each) => each.updated_at ?? "", show: (each) => when(each.updated_at) }], { isBare: true }))]; };
  const shown = signal(/** @type {any} */ (null));
  let end = () => {};
  cleanup(() => end());
  const body = h("div", {});
  const single = (/** @type {string} */ name) => {
    const found = source(() => call("GET", `api/prompts/${encodeURIComponent(name)}`));
    // Another version is another page; a second look at the same one is not.
    effect(() => { const now = found.found.value; if (now && !(now instanceof Error) && shown.peek()?.version !== now.version) shown.value = now; });
    return [h("p", {}, h("a", { class: "cell-link", href: address("console", "prompts") }, `← ${t("prompt.all")}`)), () => (shown.value ? null : found.view(() => null)()), () => (shown.value ? one(shown.value) : null)];
  };
  effect(() => { const name = id.value; untracked(() => { shown.value = null; end(); end = scope(() => body.replaceChildren(...[name ? single(name) : all()].flat().map((part) => h("div", {}, part)))); }); });
  return [body];
}
