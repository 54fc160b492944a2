// One note: its text, where it belongs, what is near it in meaning, changing it, saving it as a file.
import { call } from "../net/api.js";
import { reading } from "../net/base.js";
import { saveText } from "../net/save.js";
import { h, icon } from "../kit/dom.js";
import { bones, failure, fileName, keptNotice } from "../kit/library.js";
import { address } from "../kit/router.js";
import { effect, signal } from "../kit/signal.js";
import { onDay, t } from "../kit/words.js";
import { MarkdownView } from "../text/render.js";
import { draftOf, noteForm } from "./edit.js";
import { noticed } from "./list.js";
import { deleteNote } from "./past.js";

/**
 * A note as the gateway describes it.
 * @typedef {{ id: number, title: string, content: string, created_at: string, note_type?: string, tags?: string[], threads?: { id: number, name: string }[], external_id?: string, snippet?: string, score?: number, passage?: { start: number, end: number }, explanation?: any, revision?: string }} Note
 */

/**
 * A note as Markdown, with what is known of it in front.
 * @param {Note} note
 */
export const markdown = (note) => `# ${note.title}\n\n${[note.created_at.slice(0, 10), ...(note.tags ?? []).map((tag) => `#${tag}`)].join(" ")}\n\n${note.content}\n`;

/**
 * Where a note belongs, as links.
 * @param {Note} note
 */
export const belongs = (note) => h("p", { class: "links" }, note.note_type ? h("span", { class: "hint" }, note.note_type) : null,
  (note.threads ?? []).map((one) => h("a", { class: "chip", href: address("threads", String(one.id)), dir: "auto" }, one.name)),
  (note.tags ?? []).map((tag) => h("a", { class: "chip", href: address("notes", null, { tag }), dir: "auto" }, `#${tag}`)));

/** @param {number} id */
export function noteView(id) {
  const note = signal(/** @type {any} */ (null));
  const related = signal(/** @type {any} */ (null));
  const load = async () => {
    note.value = null;
    try { note.value = await reading("note", id, () => call("GET", `api/notes/${id}`)); } catch (error) { note.value = error; }
  };
  const look = async () => {
    related.value = null;
    try { related.value = await call("GET", `api/notes/${id}/related?limit=8&content=false`); } catch (error) { related.value = error; }
  };
  /** Whether the form is shown: at once where a change was begun. */
  const isEdited = signal(draftOf(id) !== null);
  const again = () => { void load(); void look(); };
  const done = (/** @type {any} */ fresh) => {
    isEdited.value = false;
    if (fresh) { note.value = fresh; noticed(id, fresh); void look(); }
    queueMicrotask(() => /** @type {HTMLElement | null} */ (document.querySelector("[data-edit]"))?.focus());
  };
  again();
  effect(() => { document.title = `${note.value?.title || t("nav.notes")} – Selene`; });
  const text = (/** @type {Note} */ one) => {
    const prose = h("div", { class: "prose note-text", dir: "auto" });
    new MarkdownView(prose, /** @type {any} */ ({ isCited: false, isMaths: true, isBare: true, headings: 2, marks: [], cite: () => null })).set(one.content, true);
    return prose;
  };
  const tools = (/** @type {Note} */ one) => h("p", { class: "row tools" }, h("a", { class: "quiet", href: address("notes", `${id}/history`) }, t("note.history")),
    h("button", { class: "quiet", type: "button", onclick: () => void deleteNote(one) }, t("delete")));
  const near = () => {
    const found = related.value;
    if (found === null) return null;
    if (found instanceof Error) return failure(found, () => void look());
    return found.results.length === 0 ? h("p", { class: "hint" }, t("related.none"))
      : h("ul", { class: "rows", role: "list" }, found.results.map((/** @type {Note} */ one) => h("li", {}, h("a", { class: "item", href: address("notes", String(one.id)) },
        h("span", { dir: "auto" }, one.title || t("untitled")), h("span", { class: "hint" }, `${onDay(one.created_at.slice(0, 10))} · ${t("near", { n: Math.round(100 * (one.score ?? 0)) })}`)))));
  };
  return [
    h("header", { class: "view-head" }, h("a", { class: "quiet back", href: "#/notes" }, icon("before"), t("nav.notes")), h("span", { class: "grow" }),
      () => (note.value?.content === undefined || note.value.kept_at || isEdited.value ? null : h("button", { class: "quiet", type: "button", "data-edit": true, onclick: () => { isEdited.value = true; } }, t("edit"))),
      () => (note.value?.content !== undefined && !isEdited.value ? h("button", { class: "quiet", type: "button", onclick: () => saveText(new Blob([markdown(note.peek())], { type: "text/markdown" }), fileName(note.peek().title)) }, t("note.file")) : null)),
    h("div", { class: "page", tabindex: "0", role: "region", "aria-label": t("note") },
      () => (note.value?.content === undefined ? h("h1", { class: "unseen" }, t("note")) : null),
      () => (note.value === null ? bones() : note.value instanceof Error ? failure(note.value, () => void load())
        : isEdited.value && !note.value.kept_at ? [h("h1", { class: "unseen" }, t("edit")), noteForm(note.value, done)] : [note.value.kept_at ? keptNotice(note.value.kept_at, again) : null, h("h1", { class: "title", dir: "auto" }, note.value.title || t("untitled")), h("p", { class: "hint" }, h("time", { datetime: note.value.created_at }, onDay(note.value.created_at.slice(0, 10))), h("span", { dir: "auto" }, ` · #${id}${note.value.external_id ? ` ${note.value.external_id}` : ""}`)), belongs(note.value), text(note.value),
          note.value.kept_at ? null : tools(note.value), note.value.kept_at ? null : h("section", { class: "near" }, h("h2", {}, t("related")), near)])),
  ];
}
