// Changing a note: its fields with a draft that stays in this browser, and what to do when another device changed it meanwhile.
import { noteOf } from "../capture/view.js";
import { call } from "../net/api.js";
import { h } from "../kit/dom.js";
import { signal } from "../kit/signal.js";
import { toast } from "../kit/toast.js";
import { t } from "../kit/words.js";

const name = (/** @type {number} */ id) => `selene.note.${id}`;

/**
 * The change of a note that was not saved yet; null for none.
 * @param {number} id @returns {{ title: string, text: string, tags: string, revision: string } | null}
 */
export function draftOf(id) { try { return JSON.parse(localStorage.getItem(name(id)) ?? "null"); } catch { return null; } }

/**
 * Keeps a draft; null forgets it.
 * @param {number} id @param {any} fields
 */
function keep(id, fields) {
  try {
    if (fields) localStorage.setItem(name(id), JSON.stringify(fields));
    else localStorage.removeItem(name(id));
  } catch { /* storage is off: the fields keep the text */ }
}

/**
 * The form that changes a note. `done` gets the note as it is then; null when nothing was changed.
 * @param {any} note @param {(note: any) => void} done
 */
export function noteForm(note, done) {
  const { id } = note;
  const before = draftOf(id) ?? { title: note.title, text: note.content, tags: (note.tags ?? []).join(", "), revision: note.revision };
  let { revision } = before;
  const problem = signal("");
  /** The note as another device left it. */
  const theirs = signal(/** @type {any} */ (null));
  const isBusy = signal(false);
  const changed = () => keep(id, { title: title.value, text: text.value, tags: tags.value, revision });
  const shared = { class: "input", dir: "auto", oninput: changed };
  const title = h("input", { ...shared, id: "note-title", maxlength: "1000", autocomplete: "off", value: before.title });
  const text = h("textarea", { ...shared, id: "note-text", rows: "14", value: before.text });
  const tags = h("input", { ...shared, id: "note-tags", autocomplete: "off", autocapitalize: "off", value: before.tags });
  const end = (/** @type {any} */ fresh) => { keep(id, null); done(fresh); };

  async function save() {
    if (isBusy.peek() || text.value.trim() === "") return;
    isBusy.value = true;
    problem.value = "";
    try {
      const fresh = await call("PUT", `api/notes/${id}`, { tags: [], ...noteOf({ title: title.value, text: text.value, tags: tags.value }), revision });
      const back = { title: note.title, content: note.content, tags: note.tags ?? [], revision: fresh.revision };
      end(fresh);
      toast(t("note.saved"), { label: t("undo"), run: () => void call("PUT", `api/notes/${id}`, back).then(done, (error) => void toast(error.message || t("library.offline"))) });
    } catch (/** @type {any} */ error) {
      const now = error.status === 409 ? await call("GET", `api/notes/${id}`).catch(() => null) : null;
      if (now && now.revision !== revision) theirs.value = now;
      else problem.value = error.status === 0 ? t("note.offline") : error.message || t("error");
    }
    isBusy.value = false;
  }
  const over = () => { revision = theirs.peek().revision; theirs.value = null; void save(); };

  queueMicrotask(() => text.focus());
  return h("form", { class: "stack", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); void save(); }, onkeydown: (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); void save(); }
  } }, [["title", "book.title", title], ["text", "note", text], ["tags", "tags", tags]].map(([of, label, control]) => h("div", { class: "field" }, h("label", { for: `note-${of}` }, t(label)), control)),
  () => (theirs.value ? h("div", { class: "notice warn stack", role: "alert" }, h("p", {}, t("note.changed")),
    h("details", {}, h("summary", {}, t("note.theirs")), h("h2", { dir: "auto" }, theirs.value.title), h("p", { class: "passage-text", dir: "auto" }, theirs.value.content)),
    h("div", { class: "row" }, h("button", { class: "button", type: "button", onclick: over }, t("note.mine")), h("button", { class: "button", type: "button", onclick: () => end(theirs.peek()) }, t("note.take")))) : null),
  () => (problem.value ? h("p", { class: "notice bad", role: "alert" }, problem.value) : null),
  () => (theirs.value ? null : h("div", { class: "row" }, h("button", { class: "button primary", type: "submit", disabled: () => isBusy.value }, t("save")), h("button", { class: "button", type: "button", onclick: () => end(null) }, t("cancel")))));
}
