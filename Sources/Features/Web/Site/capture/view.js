// Writing a note: the form with its draft, and the notes that wait for the gateway.
import { microphone } from "../chat/view.js";
import { define, each, fill, h, icon } from "../kit/dom.js";
import { address, go, route } from "../kit/router.js";
import { computed, effect, signal, untracked } from "../kit/signal.js";
import { toast } from "../kit/toast.js";
import { ago, exact, t } from "../kit/words.js";
import { add, arrived, deliver, discard, edit, waiting } from "./outbox.js";

export { ready } from "../kit/library.js";

const draftName = "selene.capture";
const empty = { title: "", text: "", tags: "" };
/** What a title made of the text has at most. */
const titleLength = 80;

/** @returns {{ title: string, text: string, tags: string }} */
function draft() {
  try { return { ...empty, ...JSON.parse(localStorage.getItem(draftName) ?? "{}") }; } catch { return empty; }
}

/** @param {typeof empty} fields */
function keep(fields) {
  try {
    if (Object.values(fields).some(Boolean)) localStorage.setItem(draftName, JSON.stringify(fields));
    else localStorage.removeItem(draftName);
  } catch { /* storage is off: the fields keep the text */ }
}

/**
 * A note of the fields. Without a title it is the text's first line; without tags the gateway finds those in the text.
 * @param {typeof empty} fields
 */
export function noteOf({ title, text, tags }) {
  const line = text.trim().split("\n", 1)[0].replace(/^#+\s+/, "");
  const words = tags.split(/[\s,]+/).map((tag) => tag.replace(/^#/, "")).filter(Boolean);
  return { title: title.trim().replace(/\s+/g, " ") || (line.length > titleLength ? `${line.slice(0, titleLength - 1).trimEnd()}…` : line),
    content: text.trim(), ...(words.length > 0 ? { tags: [...new Set(words)] } : {}) };
}

/**
 * The fields of a note. A title that was made of the text is left out, so that it follows the text.
 * @param {import("./outbox.js").Text} note
 */
function fieldsOf(note) {
  const made = noteOf({ ...empty, text: note.content }).title;
  return { title: note.title === made ? "" : note.title, text: note.content, tags: (note.tags ?? []).join(", ") };
}

/** What another app shared, once. */
async function takeShared() {
  try {
    const cache = await caches.open("selene-shared");
    const { title = "", text = "", url = "" } = await (await cache.match("text"))?.json() ?? {};
    await caches.delete("selene-shared");
    return { title, text: [text, text.includes(url) ? "" : url].filter(Boolean).join("\n\n"), tags: "" };
  } catch { return empty; }
}

define("selene-capture", (element) => {
  element.className = "library capture";
  document.title = `${t("capture")} – Selene`;
  const id = computed(() => (route.value.view === "capture" ? route.value.id : null));
  const problem = signal("");
  const isEmpty = signal(true);
  const link = signal("");
  const change = () => {
    isEmpty.value = text.value.trim() === "";
    link.value = /https?:\/\/\S+/.exec(text.value)?.[0] ?? "";
    if (id.peek() === null) keep(fields());
  };
  const input = (/** @type {string} */ name, /** @type {any} */ more) => h(name === "text" ? "textarea" : "input", { class: "input", id: `capture-${name}`, dir: "auto", oninput: change, ...more });
  const text = input("text", { rows: "7" });
  const title = input("title", { autocomplete: "off", maxlength: "1000", placeholder: t("capture.first") });
  const tags = input("tags", { autocomplete: "off", autocapitalize: "off", placeholder: t("capture.tags.hint") });
  const recorder = h("div", {});
  const said = (/** @type {string} */ words) => { text.value = [text.value.trimEnd(), words].filter(Boolean).join(" "); change(); };
  const fields = () => ({ title: title.value, text: text.value, tags: tags.value });
  const show = (/** @type {typeof empty} */ from) => {
    [title.value, text.value, tags.value] = [from.title, from.text, from.tags];
    problem.value = "";
    change();
  };

  async function save() {
    if (isEmpty.peek()) return;
    const now = fields();
    const changed = id.peek();
    let fault = "";
    // The form is free for the next note at once.
    if (changed === null) show(empty);
    text.focus();
    try {
      if (changed === null) await add(noteOf(now));
      else if (!(await edit(changed, noteOf(now)))) fault = "capture.gone";
    } catch (/** @type {any} */ error) {
      fault = error.code === "full" ? "capture.full" : "capture.unkept";
    }
    if (fault && isEmpty.peek()) keep(now);
    if (changed !== null && fault !== "capture.unkept") {
      if (fault) keep(now);
      go("#/capture", { replace: true });
    } else if (fault && isEmpty.peek()) show(now);
    if (fault) problem.value = t(fault);
  }

  /** @param {import("./outbox.js").Waiting} one */
  async function remove(one) {
    const back = await discard(one);
    if (id.peek() === one.id) go("#/capture", { replace: true });
    toast(t("capture.discarded", { title: one.body.title }), { label: t("undo"), run: () => void back() });
  }

  /** @param {() => import("./outbox.js").Waiting} item */
  const row = (item) => {
    const now = signal(item());
    const place = h("li", { class: "row spread", onupdate: () => { now.value = item(); } }, h("div", { class: "grow" },
      h("p", { dir: "auto" }, () => now.value.body.title),
      h("p", { class: "hint" }, h("time", { datetime: () => new Date(now.value.at).toISOString(), title: () => exact(now.value.at) }, () => ago(now.value.at)),
        () => (now.value.refused ? h("span", { class: "doubts" }, ` · ${t("capture.refused", { reason: now.value.refused })}`) : null))),
      () => (now.value.refused ? h("button", { class: "quiet", type: "button", onclick: () => void edit(now.peek().id, now.peek().body) }, t("retry")) : null),
      h("a", { class: "quiet", href: address("capture", item().id), "aria-label": () => t("capture.edit", { title: now.value.body.title }) }, t("edit")),
      h("button", { class: "quiet", type: "button", onclick: () => void remove(now.peek()), "aria-label": () => t("capture.discard.long", { title: now.value.body.title }) }, t("capture.discard")));
    return place;
  };

  effect(() => {
    const wanted = id.value;
    if (route.value.view !== "capture") return;
    const one = untracked(() => waiting.value.find((row) => row.id === wanted));
    if (wanted !== null && !one) go("#/capture", { replace: true });
    else untracked(() => show(one ? fieldsOf(one.body) : draft()));
  });
  if (route.peek().query.has("shared")) {
    go("#/capture", { replace: true });
    void takeShared().then((from) => {
      const before = draft();
      // A draft that is there already stays; what is shared goes below it.
      show({ title: before.title || from.title, text: [before.text, from.text].filter(Boolean).join("\n\n"), tags: before.tags });
    });
  }
  const field = (/** @type {string} */ name, /** @type {string} */ label, /** @type {any} */ control) => h("div", { class: "field" }, h("label", { for: `capture-${name}` }, label), control);
  const status = () => (waiting.value.length > 0 ? t("capture.waiting", { n: waiting.value.length })
    : arrived.value ? [`${t("capture.arrived")} `, h("a", { href: address("notes", String(arrived.value.id)), dir: "auto" }, arrived.value.title)] : null);
  fill(element, h("header", { class: "view-head" }, h("a", { class: "quiet", href: "#/notes" }, icon("before"), t("nav.notes")), h("h1", {}, t("capture"))),
    h("div", { class: "page", tabindex: "0", role: "region", "aria-label": t("capture") },
      h("form", { class: "stack", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); void save(); }, onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); void save(); }
      } }, field("text", t("note"), text), recorder, field("title", t("book.title"), title), field("tags", t("tags"), tags),
        () => (problem.value ? h("p", { class: "notice bad", role: "alert" }, problem.value) : null),
        h("div", { class: "row" }, h("button", { class: "button primary", type: "submit", disabled: () => isEmpty.value }, () => t(id.value === null ? "capture.save" : "capture.change")), microphone(recorder, text, said),
          () => (id.value === null ? null : h("a", { class: "button", href: "#/capture" }, t("cancel"))),
          () => (link.value ? h("a", { class: "quiet", href: address("books", null, { add: link.value }) }, t("capture.book")) : null))),
      h("section", { class: "near" }, h("p", { role: "status", class: "hint" }, status),
        each("ul", { class: "rows", role: "list", "aria-label": t("capture.list") }, () => waiting.value, (one) => one.id, row),
        () => (waiting.value.some((one) => !one.refused) ? h("button", { class: "quiet", type: "button", onclick: () => void deliver() }, t("capture.now")) : null))));
  if (matchMedia("(pointer: fine)").matches) requestAnimationFrame(() => text.focus());
});
