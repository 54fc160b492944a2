// One note: its text, where it belongs, what links to it and is near it in meaning; what it was before; and deleted notes.
import { call } from "../net/api.js";
import { forget, reading } from "../net/base.js";
import { saveText } from "../net/save.js";
import { h, icon } from "../kit/dom.js";
import { bones, failure, fileName, keptNotice } from "../kit/library.js";
import { address, go } from "../kit/router.js";
import { sheet } from "../kit/sheet.js";
import { effect, signal } from "../kit/signal.js";
import { toast } from "../kit/toast.js";
import { ago, exact, onDay, t } from "../kit/words.js";
import { MarkdownView } from "../text/render.js";
import { draftOf, noteForm } from "./edit.js";
import { noticed, plain, withQuery } from "./list.js";

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

/**
 * Asks at once: the shape of what comes, what went wrong, or what `show` makes of the answer. `load` asks again, or for more of what there is.
 * @param {(old: any) => Promise<any>} ask @param {(found: any) => any} show
 */
function asked(ask, show) {
  const found = signal(/** @type {any} */ (null));
  const load = async (/** @type {any} */ old = null) => {
    if (!old) found.value = null;
    try { found.value = await ask(old); } catch (error) { found.value = error; }
  };
  void load();
  return { found, load, shown: () => (found.value === null ? bones() : found.value instanceof Error ? failure(found.value, () => void load()) : show(found.value)) };
}

/**
 * The head and the scrolled part of a view.
 * @param {string} name @param {any[]} head @param {...any} kids
 */
const parts = (name, head, ...kids) => [h("header", { class: "view-head" }, head), h("div", { class: "page", tabindex: "0", role: "region", "aria-label": name }, kids)];

/** @param {string} to @param {string} name @param {boolean} [isClosing] */
const back = (to, name, isClosing) => h("a", { class: ["quiet", isClosing && "back"], href: to }, icon("before"), name);

/** @param {any} one @param {string} hint @param {string} [excerpt] */
const row = (one, hint, excerpt) => h("li", {}, h("a", { class: "item", href: address("notes", String(one.id)) }, h("span", { dir: "auto" }, one.title || t("untitled")),
  excerpt && h("span", { class: "snippet", dir: "auto" }, excerpt), h("span", { class: "hint" }, onDay(one.created_at.slice(0, 10)), hint)));

/** @param {any[]} rows */
const list = (rows) => h("ul", { class: "rows", role: "list" }, rows);

/** @param {number} id */
export function noteView(id) {
  /** Links to notes and from others; null until they are known, undefined where the gateway does not know them. */
  const links = signal(/** @type {any} */ (null));
  const findLinks = () => call("GET", `api/notes/${id}/links`).then((found) => { links.value = found; }, (error) => { if (error.status === 404) links.value = undefined; });
  void findLinks();
  const related = asked(() => call("GET", `api/notes/${id}/related?limit=8&content=false`), ({ results }) => (results.length === 0 ? h("p", { class: "hint" }, t("related.none"))
    : list(results.map((/** @type {Note} */ one) => row(one, ` · ${t("near", { n: Math.round(100 * (one.score ?? 0)) })}`)))));
  const look = () => { void related.load(); void findLinks(); };
  /** Whether the form is shown: at once where a change was begun. */
  const isEdited = signal(draftOf(id) !== null);
  const done = (/** @type {any} */ fresh) => {
    isEdited.value = false;
    if (fresh) { note.value = fresh; noticed(id, fresh); look(); }
    queueMicrotask(() => /** @type {HTMLElement | null} */ (document.querySelector("[data-edit]"))?.focus());
  };
  const { found: note, load, shown } = asked(() => reading("note", id, () => call("GET", `api/notes/${id}`)), (one) => {
    const isKept = Boolean(one.kept_at);
    if (isEdited.value && !isKept) return [h("h1", { class: "unseen" }, t("edit")), noteForm(one, done)];
    return [isKept && keptNotice(one.kept_at, () => { void load(); look(); }), h("h1", { class: "title", dir: "auto" }, one.title || t("untitled")), h("p", { class: "hint" }, h("time", { datetime: one.created_at }, onDay(one.created_at.slice(0, 10))), h("span", { dir: "auto" }, ` · #${id}${one.external_id ? ` ${one.external_id}` : ""}`)), belongs(one), text(one),
      isKept || h("p", { class: "row tools" }, h("a", { class: "quiet", href: address("notes", `${id}/history`) }, t("note.history")), h("button", { class: "quiet", type: "button", onclick: () => void deleteNote(one) }, t("delete"))),
      () => links.value?.backlinks?.length > 0 && h("section", { class: "near" }, h("h2", {}, t("linked")), list(links.value.backlinks.map((/** @type {any} */ one) => row(one, "", plain(one.excerpt ?? ""))))),
      isKept || h("section", { class: "near" }, h("h2", {}, t("related")), related.shown)];
  });
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
      problem(now ? { message: t("note.untick") } : error);
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
  const isThere = () => note.value?.content !== undefined;
  return parts(t("note"), [back("#/notes", t("nav.notes"), true), h("span", { class: "grow" }),
    () => isThere() && !note.value.kept_at && !isEdited.value && h("button", { class: "quiet", type: "button", "data-edit": true, onclick: () => { isEdited.value = true; } }, t("edit")),
    () => isThere() && !isEdited.value && h("button", { class: "quiet", type: "button", onclick: () => saveText(new Blob([markdown(note.peek())], { type: "text/markdown" }), fileName(note.peek().title)) }, t("note.file"))],
  () => (isThere() ? null : h("h1", { class: "unseen" }, t("note"))), shown);
}

/**
 * A version of a note as the gateway lists it.
 * @typedef {{ note_id: number, version: number, replaced_at: string, reason: string, title: string, bytes: number, kept_until: string, start?: string, content?: string, external_ids: string[] }} Version
 */

/** @param {any} error */
const problem = (error) => void toast(error.status === 0 ? t("library.offline") : error.message || t("error"));

/**
 * Deletes a note as it is shown, and offers to take that back.
 * @param {{ id: number, title: string, revision?: string }} note
 */
export async function deleteNote(note) {
  const { id, revision } = note;
  try {
    await call("DELETE", `api/notes/${id}${revision ? `?revision=${encodeURIComponent(revision)}` : ""}`);
  } catch (/** @type {any} */ error) {
    if (error.status !== 404) return problem(error.status === 409 ? { status: 409, message: t("note.delete.changed") } : error);
  }
  void forget("note", id);
  noticed(id, null);
  go(withQuery("#/notes"));
  return toast(t("deleted", { title: note.title || t("untitled") }), { label: t("undo"), run: () => void restore(id) });
}

/**
 * Brings a deleted note back, or an earlier version of a note, and shows the note.
 * @param {number} id @param {number} [version]
 */
async function restore(id, version) {
  try {
    const note = await call("POST", `api/notes/${id}/restore`, version ? { version } : {});
    noticed(id, note);
    go(withQuery(address("notes", String(id))));
    toast(t("note.restored", { title: note.title || t("untitled") }));
  } catch (error) { problem(error); }
}

/**
 * Asks before something is erased for good.
 * @param {string} title @param {string} text @param {string} label @param {() => Promise<unknown>} run
 */
function ask(title, text, label, run) {
  const close = sheet(title, h("div", { class: "stack" }, h("p", {}, text), h("div", { class: "row" },
    h("button", { class: "button danger", type: "button", onclick: () => { close(); run().catch(problem); } }, label),
    h("button", { class: "button", type: "button", onclick: () => close() }, t("cancel")))));
}

/** @param {string} time */
const when = (time) => h("time", { datetime: time, title: exact(time) }, ago(Date.parse(time)));

/** @param {number} bytes */
const size = (bytes) => t("note.bytes", { n: bytes });

/** @param {Version} version */
async function show(version) {
  try {
    const whole = await call("GET", `api/notes/${version.note_id}/history/${version.version}`);
    const close = sheet(whole.title || t("untitled"), h("div", { class: "stack" }, h("p", { class: "hint" }, t(`version.${version.reason}`), " ", when(version.replaced_at)),
      h("div", { class: "version-text", dir: "auto", tabindex: "0" }, whole.content), h("div", { class: "row" }, h("button", { class: "button primary", type: "button", onclick: () => { close(); void restore(version.note_id, version.version); } }, t("version.restore")))));
  } catch (error) { problem(error); }
}

/** @param {Version} version */
const versionRow = (version) => h("li", { class: "entry past" }, h("p", { class: "entry-title", dir: "auto" }, version.title || t("untitled")),
  h("p", { class: "snippet", dir: "auto" }, version.start ?? ""), h("p", { class: "hint" }, t(`version.${version.reason}`), " ", when(version.replaced_at), ` · ${size(version.bytes)}`),
  h("div", { class: "row" }, h("button", { class: "quiet", type: "button", "aria-label": `${t("version.show")}: ${exact(version.replaced_at)}`, onclick: () => void show(version) }, t("version.show")),
    h("button", { class: "quiet", type: "button", "aria-label": `${t("version.restore")}: ${exact(version.replaced_at)}`, onclick: () => void restore(version.note_id, version.version) }, t("version.restore"))));

/**
 * The earlier versions of a note.
 * @param {number} id
 */
export function noteHistory(id) {
  document.title = `${t("note.history")} – Selene`;
  const { load, shown } = asked(() => call("GET", `api/notes/${id}/history`), ({ versions, deleted }) => {
    const erase = () => ask(t("version.erase"), t(deleted ? "note.erase.text" : "version.erase.text"), t("version.erase"), async () => {
      await call("DELETE", `api/notes/${id}/history`);
      if (deleted) go(address("notes", "deleted"));
      else await load();
    });
    return [deleted && h("div", { class: "notice warn" }, h("p", {}, t("note.is.deleted")), h("button", { class: "button", type: "button", onclick: () => void restore(id) }, t("version.restore"))),
      h("p", { class: "hint" }, t("note.history.hint")),
      versions.length === 0 ? h("p", { class: "blank" }, t("note.history.none"))
        : [h("ul", { class: "entries", role: "list", "aria-label": t("note.history") }, versions.map(versionRow)), h("button", { class: "quiet", type: "button", onclick: erase }, t("version.erase"))]];
  });
  return parts(t("note.history"), [back(address("notes", String(id)), t("note")), h("h1", {}, t("note.history"))], shown);
}

/** @param {Version} note @param {() => void} again */
const deletedRow = (note, again) => h("li", { class: "entry past" }, h("a", { class: "item", href: address("notes", `${note.note_id}/history`) },
  h("span", { class: "entry-title", dir: "auto" }, note.title || t("untitled")), h("span", { class: "snippet", dir: "auto" }, note.start ?? ""),
  h("span", { class: "hint", dir: "auto" }, `#${note.note_id}${note.external_ids[0] ? ` ${note.external_ids[0]}` : ""} · `, t("version.deleted"), " ", when(note.replaced_at), ` · ${t("note.kept", { day: onDay(note.kept_until.slice(0, 10)) })}`)),
  h("div", { class: "row" }, h("button", { class: "quiet", type: "button", "aria-label": `${t("version.restore")}: ${note.title}`, onclick: () => void restore(note.note_id) }, t("version.restore")),
    h("button", { class: "quiet", type: "button", "aria-label": `${t("note.erase")}: ${note.title}`, onclick: () => ask(t("note.erase"), t("note.erase.text"), t("note.erase"), async () => { await call("DELETE", `api/notes/${note.note_id}/history`); again(); }) }, t("note.erase"))));

/** The deleted notes. */
export function deletedNotes() {
  document.title = `${t("notes.deleted")} – Selene`;
  const { load, shown } = asked(async (old) => {
    const page = await call("GET", `api/notes/deleted?limit=50${old ? `&cursor=${encodeURIComponent(old.next_cursor)}` : ""}`);
    return { ...page, notes: [...(old?.notes ?? []), ...page.notes] };
  }, (found) => [h("p", { class: "hint" }, t("notes.deleted.hint")), found.notes.length === 0 ? h("p", { class: "blank" }, t("notes.deleted.none"))
    : h("ul", { class: "entries", role: "list", "aria-label": t("notes.deleted") }, found.notes.map((/** @type {Version} */ one) => deletedRow(one, () => void load()))),
  found.next_cursor && h("button", { class: "quiet", type: "button", onclick: () => void load(found) }, t("more"))]);
  return parts(t("notes.deleted"), [back("#/notes", t("nav.notes"), true), h("h1", {}, t("notes.deleted"))], shown);
}
