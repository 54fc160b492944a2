// What notes were: earlier versions of a note, deleted notes, and how both come back or are erased.
import { call } from "../net/api.js";
import { forget } from "../net/base.js";
import { h, icon } from "../kit/dom.js";
import { bones, failure } from "../kit/library.js";
import { address, go } from "../kit/router.js";
import { sheet } from "../kit/sheet.js";
import { signal } from "../kit/signal.js";
import { toast } from "../kit/toast.js";
import { ago, exact, onDay, t } from "../kit/words.js";
import { noticed, withQuery } from "./list.js";

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
  const found = signal(/** @type {any} */ (null));
  const load = async () => {
    found.value = null;
    try { found.value = await call("GET", `api/notes/${id}/history`); } catch (error) { found.value = error; }
  };
  void load();
  document.title = `${t("note.history")} – Selene`;
  const erase = () => ask(t("version.erase"), t(found.peek().deleted ? "note.erase.text" : "version.erase.text"), t("version.erase"), async () => {
    const { deleted } = found.peek();
    await call("DELETE", `api/notes/${id}/history`);
    if (deleted) go(address("notes", "deleted"));
    else await load();
  });
  const list = () => {
    if (found.value === null) return bones();
    if (found.value instanceof Error) return failure(found.value, () => void load());
    const { versions, deleted } = found.value;
    return [deleted ? h("div", { class: "notice warn" }, h("p", {}, t("note.is.deleted")), h("button", { class: "button", type: "button", onclick: () => void restore(id) }, t("version.restore"))) : null,
      h("p", { class: "hint" }, t("note.history.hint")),
      versions.length === 0 ? h("p", { class: "blank" }, t("note.history.none"))
        : [h("ul", { class: "entries", role: "list", "aria-label": t("note.history") }, versions.map(versionRow)), h("button", { class: "quiet", type: "button", onclick: erase }, t("version.erase"))]];
  };
  return [h("header", { class: "view-head" }, h("a", { class: "quiet", href: address("notes", String(id)) }, icon("before"), t("note")), h("h1", {}, t("note.history"))),
    h("div", { class: "page", tabindex: "0", role: "region", "aria-label": t("note.history") }, list)];
}

/** @param {Version} note @param {() => void} again */
const deletedRow = (note, again) => h("li", { class: "entry past" }, h("a", { class: "item", href: address("notes", `${note.note_id}/history`) },
  h("span", { class: "entry-title", dir: "auto" }, note.title || t("untitled")), h("span", { class: "snippet", dir: "auto" }, note.start ?? ""),
  h("span", { class: "hint", dir: "auto" }, `#${note.note_id}${note.external_ids[0] ? ` ${note.external_ids[0]}` : ""} · `, t("version.deleted"), " ", when(note.replaced_at), ` · ${t("note.kept", { day: onDay(note.kept_until.slice(0, 10)) })}`)),
  h("div", { class: "row" }, h("button", { class: "quiet", type: "button", "aria-label": `${t("version.restore")}: ${note.title}`, onclick: () => void restore(note.note_id) }, t("version.restore")),
    h("button", { class: "quiet", type: "button", "aria-label": `${t("note.erase")}: ${note.title}`, onclick: () => ask(t("note.erase"), t("note.erase.text"), t("note.erase"), async () => { await call("DELETE", `api/notes/${note.note_id}/history`); again(); }) }, t("note.erase"))));

/** The deleted notes. */
export function deletedNotes() {
  const found = signal(/** @type {any} */ (null));
  const load = async (/** @type {boolean} */ isMore = false) => {
    const old = isMore ? found.peek() : null;
    if (!old) found.value = null;
    try {
      const page = await call("GET", `api/notes/deleted?limit=50${old ? `&cursor=${encodeURIComponent(old.next_cursor)}` : ""}`);
      found.value = { ...page, notes: [...(old?.notes ?? []), ...page.notes] };
    } catch (error) { found.value = error; }
  };
  void load();
  document.title = `${t("notes.deleted")} – Selene`;
  const list = () => {
    if (found.value === null) return bones();
    if (found.value instanceof Error) return failure(found.value, () => void load());
    return [h("p", { class: "hint" }, t("notes.deleted.hint")), found.value.notes.length === 0 ? h("p", { class: "blank" }, t("notes.deleted.none"))
      : h("ul", { class: "entries", role: "list", "aria-label": t("notes.deleted") }, found.value.notes.map((/** @type {Version} */ one) => deletedRow(one, () => void load()))),
      found.value.next_cursor ? h("button", { class: "quiet", type: "button", onclick: () => void load(true) }, t("more")) : null];
  };
  return [h("header", { class: "view-head" }, h("a", { class: "quiet", href: "#/notes" }, icon("before"), t("nav.notes")), h("h1", {}, t("notes.deleted"))),
    h("div", { class: "page", tabindex: "0", role: "region", "aria-label": t("notes.deleted") }, list)];
}
