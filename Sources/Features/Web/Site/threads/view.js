// The threads: the list by momentum, or one thread: why it matters, what is in it, its tasks and notes, and the chats that can begin here.
import { choose } from "../chat/state.js";
import { call } from "../net/api.js";
import { saveText } from "../net/save.js";
import { define, each, h, icon } from "../kit/dom.js";
import { bones, failure, fileName, swap } from "../kit/library.js";
import { address, go, route } from "../kit/router.js";
import { computed, effect, signal } from "../kit/signal.js";
import { toast } from "../kit/toast.js";
import { t } from "../kit/words.js";
import { noteRow } from "../notes/list.js";
import { markdown } from "../notes/note.js";
import { facts, threadsList } from "./list.js";
export { ready } from "../kit/library.js";

const pageSize = 50;
const largest = 500;

/** @param {number} id @param {number} limit @param {string | null} cursor */
const page = (id, limit, cursor) => call("GET", `api/threads/${id}?limit=${limit}&content=false${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`);

/**
 * Saves a thread with all its notes as one file.
 * @param {any} thread
 */
async function save(thread) {
  try {
    const parts = [`# ${thread.name}`, ...[thread.why, thread.summary].filter(Boolean)];
    for (let cursor = /** @type {string | null} */ (null); ;) {
      const more = await page(thread.id, largest, cursor);
      parts.push(...more.notes.map((/** @type {any} */ one) => markdown(one).replace(/^# /, "## ").trim()));
      if (!more.next_cursor) break;
      cursor = more.next_cursor;
    }
    saveText(new Blob([`${parts.join("\n\n")}\n`], { type: "text/markdown" }), fileName(thread.name));
  } catch (error) {
    toast(/** @type {Error} */ (error).message || t("library.offline"));
  }
}

/** @param {any} thread @param {"deep_dive" | "thread_workspace"} kind */
function ask(thread, kind) {
  choose({ scope: { thread: thread.id }, names: [thread.name], kind });
  go("#/chat");
  requestAnimationFrame(() => document.getElementById("question")?.focus());
}

/** @param {number} id */
function threadView(id) {
  const thread = signal(/** @type {any} */ (null));
  const tasks = signal(/** @type {any[]} */ ([]));
  const load = async (more = false) => {
    const old = more ? thread.peek() : null;
    if (!more) thread.value = null;
    try {
      const fresh = await page(id, pageSize, old?.next_cursor ?? null);
      thread.value = { ...fresh, notes: [...(old?.notes ?? []), ...fresh.notes] };
    } catch (error) {
      if (more) toast(/** @type {Error} */ (error).message || t("library.offline"));
      else thread.value = error;
    }
  };
  void load();
  call("GET", `api/threads/${id}/tasks?limit=100`).then((found) => { tasks.value = found.tasks; }, () => { /* the thread is shown without its tasks */ });
  effect(() => { document.title = `${thread.value?.name || t("nav.threads")} – Selene`; });
  const isThere = () => thread.value?.notes !== undefined;
  const start = (/** @type {"deep_dive" | "thread_workspace"} */ kind) => h("button", { class: ["button", kind === "deep_dive" && "primary"], type: "button", onclick: () => ask(thread.peek(), kind) }, t(`kind.${kind}`));
  return [
    h("header", { class: "view-head" }, h("a", { class: "quiet", href: "#/threads" }, icon("before"), t("nav.threads")), h("span", { class: "grow" }),
      () => (isThere() ? h("button", { class: "quiet", type: "button", onclick: () => void save(thread.peek()) }, t("note.file")) : null)),
    h("div", { class: "page", tabindex: "0", role: "region", "aria-label": t("thread") },
      () => (isThere() ? null : h("h1", { class: "unseen" }, t("thread"))),
      () => (thread.value === null ? bones() : thread.value instanceof Error ? failure(thread.value, () => void load()) : null),
      () => (isThere() ? [h("h1", { class: "title", dir: "auto" }, thread.value.name), h("p", { class: "hint" }, facts(thread.value)),
        thread.value.why ? h("p", { class: "lead", dir: "auto" }, thread.value.why) : null, thread.value.summary ? h("p", { class: "lead", dir: "auto" }, thread.value.summary) : null,
        h("div", { class: "row above" }, start("deep_dive"), start("thread_workspace"), h("a", { class: "quiet", href: address("notes", null, { thread: String(id) }) }, t("notes.search")))] : null),
      () => (tasks.value.length > 0 ? h("section", { class: "near" }, h("h2", {}, t("tasks")), h("ul", { class: "rows", role: "list" }, tasks.value.map((one) => h("li", { class: "row" },
        h("span", { "aria-hidden": "true" }, one.completed_at ? "✓" : "○"), h("span", { dir: "auto" }, one.title || t("untitled")), one.completed_at ? h("span", { class: "hint" }, t("task.done")) : null)))) : null),
      () => (isThere() ? h("h2", { class: "near" }, t("nav.notes")) : null),
      each("ul", { class: "entries", role: "list", "aria-label": t("nav.notes") }, () => thread.value?.notes ?? [], (one) => one.id, noteRow),
      () => (isThere() && thread.value.notes.length === 0 ? h("p", { class: "hint" }, t("thread.empty")) : null),
      () => (thread.value?.next_cursor ? h("button", { class: "quiet", type: "button", onclick: () => void load(true) }, t("more")) : null)),
  ];
}

define("selene-threads", (element) => {
  element.className = "library";
  const thread = computed(() => (route.value.view === "threads" ? Number(route.value.id ?? 0) || 0 : null));
  effect(() => {
    if (thread.value === null) return;
    swap(element, thread.value > 0 ? threadView(thread.value) : threadsList());
  });
});
