// The memories: what chats found about the person, what a model proposes, and what holds no longer.
import { call, forgets } from "../net/api.js";
import { remedy } from "../net/remedy.js";
import { define, h } from "../kit/dom.js";
import { bones, failure, keepPlace, swap } from "../kit/library.js";
import { address, route } from "../kit/router.js";
import { computed, effect, signal, untracked } from "../kit/signal.js";
import { t } from "../kit/words.js";
import { sheet } from "../kit/sheet.js";
import { toast } from "../kit/toast.js";
export { ready } from "../kit/library.js";

const states = ["active", "proposed", "superseded"];
const state = signal("active");
/** What the gateway sent; an error when that failed. */
const found = signal(/** @type {any} */ (null));
forgets(() => { found.value = null; });

async function load(more = false) {
  const old = more ? found.peek() : null;
  const asked = state.peek();
  if (!old) found.value = null;
  try {
    const page = await call("GET", `api/memories?state=${asked}${old ? `&cursor=${encodeURIComponent(old.next_cursor)}` : ""}`);
    if (asked === state.peek()) found.value = { ...page, memories: [...(old?.memories ?? []), ...page.memories] };
  } catch (error) { found.value = error; }
}

/**
 * Sends a change and shows what is left.
 * @param {any} one @param {string} method @param {string} [path] @param {any} [body]
 */
async function change(one, method, path = "", body) {
  const send = async (/** @type {string} */ how, /** @type {string} */ what, /** @type {any} */ data) => {
    try { await call(how, `api/memories/${one.id}${what}`, data); } catch (error) { toast(/** @type {any} */ (error).message || t("error")); return; }
    await load();
    document.getElementById("memories-title")?.focus();
    return true;
  };
  if (await send(method, path, body) && path !== "/undo") toast(t("memory.done"), { label: t("undo"), run: () => void send("POST", "/undo", undefined) });
}

/** @param {any} one */
function edit(one) {
  const text = h("textarea", { class: "input", rows: 3, dir: "auto", maxlength: 16384, "aria-label": t("edit") });
  text.value = one.content;
  const close = sheet(t("edit"), h("form", { class: "stack", onsubmit: (/** @type {Event} */ event) => {
    event.preventDefault();
    close();
    if (text.value.trim()) void change(one, "PATCH", "", { content: text.value.trim() });
  } }, text, h("button", { class: "button primary", type: "submit" }, t("save"))));
}

/** @param {any} one */
function row(one) {
  const { source, reason } = one.details ?? {};
  const button = (/** @type {string} */ label, /** @type {() => void} */ run) => h("button", { class: "quiet", type: "button", "aria-label": `${t(label)}: ${one.content}`, onclick: run }, t(label));
  const isOver = state.peek() === "superseded";
  return h("li", { class: "entry task" }, h("p", { dir: "auto" }, one.content),
    source ? h("p", { class: "snippet", dir: "auto" }, source.text) : null, reason ? h("p", { class: "hint", dir: "auto" }, reason) : null,
    h("div", { class: "row" }, state.peek() === "proposed" ? button("memory.confirm", () => void change(one, "POST", "/confirm")) : null,
      isOver ? button("undo", () => void change(one, "POST", "/undo")) : button("edit", () => edit(one)),
      button("memory.forget", () => void change(one, "DELETE")),
      source ? h("a", { class: "quiet", href: address("chat", source.session) }, t("memory.source")) : null));
}

function page() {
  document.title = `${t("memories")} – Selene`;
  void load();
  const tabs = h("div", { class: "row", role: "group", "aria-label": t("memories") }, states.map((one) => h("button", { class: "tab", type: "button",
    "aria-current": () => (state.value === one ? "true" : null), onclick: () => { state.value = one; void load(); } }, t(`memory.${one}`))));
  const scroller = h("div", { class: "page", tabindex: "0", role: "region", "aria-label": t("memories") }, tabs,
    () => (found.value === null ? bones() : found.value instanceof Error ? failure(found.value, () => void load()) : [
      h("p", { class: "hint" }, t(found.value.is_on ? "memory.on" : "memory.off")),
      found.value.is_on ? null : remedy("memories", (now) => (now === "on" ? null : "on"), t("memory.switch"), () => void load()),
      found.value.memories.length > 0 ? h("ul", { class: "entries", role: "list", "aria-label": t(`memory.${state.peek()}`) }, found.value.memories.map(row)) : h("p", { class: "hint" }, t("memory.none")),
      found.value.next_cursor ? h("button", { class: "quiet", type: "button", onclick: () => void load(true) }, t("more")) : null]));
  keepPlace(scroller, "memories");
  return [h("header", { class: "view-head" }, h("h1", { id: "memories-title", tabindex: "-1" }, t("memories")), h("a", { class: "quiet", href: "#/settings" }, t("nav.you"))), scroller];
}

define("selene-memories", (element) => {
  element.className = "library";
  const isHere = computed(() => route.value.view === "memories");
  effect(() => { if (isHere.value) untracked(() => swap(element, page())); });
});
