// One note: its text, where it belongs, what is near it in meaning, changing it, saving it as a file.
import { call } from "../net/api.js";
import { reading } from "../net/base.js";
import { saveText } from "../net/save.js";
import { h, icon } from "../kit/dom.js";
import { bones, failure, fileName, keptNotice } from "../kit/library.js";
import { address } from "../kit/router.js";
import { effect, signal } from "../kit/signal.js";
import { toast } from "../kit/toast.js";
import { onDay, t } from "../kit/words.js";
import { MarkdownView } from "../text/render.js";
import { draftOf, noteForm } from "./edit.js";
import { noticed, plain } from "./list.js";
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

/**
 * The length of a heading that begins the text and only repeats the title.
 * @param {Note} note
 */
function repeated({ title, content }) {
  const bare = (/** @type {string} */ text) => text.trim().replace(/^#+\s+|[*_`]/g, "");
  const [line] = /^\s*#{1,6}\s[^\n]*/.exec(content) ?? [""];
  return bare(line) === bare(title) ? line.length : 0;
}

/** @param {number} id */
export function noteView(id) {
  const note = signal(/** @type {any} */ (null));
  const related = signal(/** @type {any} */ (null));
  const load = async () => {
    note.value = null;
    try { note.value = await reading("note", id, () => call("GET", `api/notes/${id}`)); } catch (error) { note.value = error; }
  };
  /** Links to notes and from others; null until they are known, undefined where the gateway does not know them. */
  const links = signal(/** @type {any} */ (null));
  const look = async () => {
    related.value = null;
    call("GET", `api/notes/${id}/links`).then((found) => { links.value = found; }, (error) => { if (error.status === 404) links.value = undefined; });
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
  let ticks = Promise.resolve();
  /**
   * Changes the mark of a check box in the text that was read, and nothing else; one after the other.
   * @param {Note} one @param {HTMLInputElement} box @param {number} at @param {(text: string) => void} show
   */
  async function tick(one, box, at, show) {
    const { checked } = box;
    await ticks;
    try {
      Object.assign(one, await call("PATCH", `api/notes/${id}`, { content: `${one.content.slice(0, at)}${checked ? "x" : " "}${one.content.slice(at + 1)}`, revision: one.revision }));
      show(one.content);
    } catch (/** @type {any} */ error) {
      box.checked = !checked;
      const now = error.status === 409 ? await call("GET", `api/notes/${id}`).catch(() => null) : null;
      if (now) done(now);
      toast(now ? t("note.untick") : error.status === 0 ? t("library.offline") : error.message || t("error"));
    }
  }
  const text = (/** @type {any} */ one) => {
    const lead = repeated(one);
    const options = /** @type {any} */ ({ isMaths: true, isBare: true, isNote: true, canTick: !one.kept_at, headings: 1 });
    const prose = h("div", { class: "prose note-text", dir: "auto", onchange: (/** @type {any} */ { target }) => { ticks = tick(one, target, lead + Number(target.dataset.at), show); } });
    const view = new MarkdownView(prose, options);
    const show = (/** @type {string} */ content) => view.set(content.slice(lead), true);
    effect(() => {
      const { value } = links;
      options.links = value && new Map((value.links ?? []).map((/** @type {any} */ link) => [link.target, link.id]));
      if (prose.firstChild) view.refresh(0, Infinity);
      else show(one.content);
    });
    return prose;
  };
  /** @param {any} one @param {string} hint @param {string} [excerpt] */
  const row = (one, hint, excerpt) => h("li", {}, h("a", { class: "item", href: address("notes", String(one.id)) }, h("span", { dir: "auto" }, one.title || t("untitled")),
    excerpt && h("span", { class: "snippet", dir: "auto" }, excerpt), h("span", { class: "hint" }, onDay(one.created_at.slice(0, 10)), hint)));
  const linked = () => {
    const rows = links.value?.backlinks ?? [];
    return rows.length > 0 && h("section", { class: "near" }, h("h2", {}, t("linked")), h("ul", { class: "rows", role: "list" }, rows.map((/** @type {any} */ one) => row(one, "", plain(one.excerpt ?? "")))));
  };
  const tools = (/** @type {Note} */ one) => h("p", { class: "row tools" }, h("a", { class: "quiet", href: address("notes", `${id}/history`) }, t("note.history")),
    h("button", { class: "quiet", type: "button", onclick: () => void deleteNote(one) }, t("delete")));
  const near = () => {
    const found = related.value;
    if (found === null) return null;
    if (found instanceof Error) return failure(found, () => void look());
    return found.results.length === 0 ? h("p", { class: "hint" }, t("related.none"))
      : h("ul", { class: "rows", role: "list" }, found.results.map((/** @type {Note} */ one) => row(one, ` · ${t("near", { n: Math.round(100 * (one.score ?? 0)) })}`)));
  };
  return [
    h("header", { class: "view-head" }, h("a", { class: "quiet back", href: "#/notes" }, icon("before"), t("nav.notes")), h("span", { class: "grow" }),
      () => (note.value?.content === undefined || note.value.kept_at || isEdited.value ? null : h("button", { class: "quiet", type: "button", "data-edit": true, onclick: () => { isEdited.value = true; } }, t("edit"))),
      () => (note.value?.content !== undefined && !isEdited.value ? h("button", { class: "quiet", type: "button", onclick: () => saveText(new Blob([markdown(note.peek())], { type: "text/markdown" }), fileName(note.peek().title)) }, t("note.file")) : null)),
    h("div", { class: "page", tabindex: "0", role: "region", "aria-label": t("note") },
      () => (note.value?.content === undefined ? h("h1", { class: "unseen" }, t("note")) : null),
      () => (note.value === null ? bones() : note.value instanceof Error ? failure(note.value, () => void load())
        : isEdited.value && !note.value.kept_at ? [h("h1", { class: "unseen" }, t("edit")), noteForm(note.value, done)] : [note.value.kept_at ? keptNotice(note.value.kept_at, again) : null, h("h1", { class: "title", dir: "auto" }, note.value.title || t("untitled")), h("p", { class: "hint" }, h("time", { datetime: note.value.created_at }, onDay(note.value.created_at.slice(0, 10))), h("span", { dir: "auto" }, ` · #${id}${note.value.external_id ? ` ${note.value.external_id}` : ""}`)), belongs(note.value), text(note.value),
          note.value.kept_at ? null : tools(note.value), linked, note.value.kept_at ? null : h("section", { class: "near" }, h("h2", {}, t("related")), near)])),
  ];
}
