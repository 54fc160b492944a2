// Options of the next question: which notes it may use, which model answers, how many passages; and the lists that signs in
// the composer open: "/" in an empty one the prompts, "@" what the question may be kept to.
import { call } from "../net/api.js";
import { h } from "../kit/dom.js";
import { editor } from "../kit/form.js";
import { ready } from "../kit/library.js";
import { fits, openList, sheet } from "../kit/sheet.js";
import { signal } from "../kit/signal.js";
import { toast } from "../kit/toast.js";
import { onDay, t } from "../kit/words.js";
import { choose, options } from "./state.js";

/** @type {import("../kit/signal.js").Signal<string[]>} */
const models = signal(/** @type {string[]} */ ([]));
/** @type {import("../kit/signal.js").Signal<any[]>} */
const threads = signal(/** @type {any[]} */ ([]));
const types = ["idea", "task", "journal", "reference", "question"];

async function load() {
  const [tags, found] = await Promise.allSettled([call("GET", "api/tags"), call("GET", "api/threads?limit=100")]);
  if (tags.status === "fulfilled") models.value = (tags.value.models ?? []).map((/** @type {any} */ one) => one.name).filter((/** @type {string} */ name) => !/embed|minilm|bge-/i.test(name));
  if (found.status === "fulfilled") threads.value = found.value.threads ?? [];
}

/**
 * The words for a scope.
 * @param {Record<string, any>} scope
 */
function names(scope) {
  const thread = threads.peek().find((one) => one.id === scope.thread);
  return [thread?.name ?? (scope.thread ? `${t("thread")} ${scope.thread}` : ""), scope.since ? t("since.day", { day: onDay(scope.since) }) : "",
    scope.until ? t("until.day", { day: onDay(scope.until) }) : "", ...(scope.tags ?? []).map((/** @type {string} */ tag) => `#${tag}`), ...(scope.types ?? [])].filter(Boolean);
}

/** @param {string} id @param {string} label @param {any} control */
const field = (id, label, control) => h("div", { class: "field" }, h("label", { for: id }, label), control);

export async function openOptions() {
  await ready;
  void load();
  const now = options.peek();
  const day = (/** @type {string} */ id, /** @type {string} */ key) => h("input", { class: "input", type: "date", id, value: now.scope[key] ?? "" });
  const since = day("scope-since", "since");
  const until = day("scope-until", "until");
  const tags = h("input", { class: "input", id: "scope-tags", value: (now.scope.tags ?? []).join(" "), placeholder: t("tags.hint"), autocapitalize: "off" });
  const thread = h("select", { class: "input", id: "scope-thread" }, h("option", { value: "" }, t("thread.all")),
    () => threads.value.map((one) => h("option", { value: String(one.id), selected: one.id === options.peek().scope.thread }, one.name)));
  const type = h("select", { class: "input", id: "scope-type" }, h("option", { value: "" }, t("type.all")),
    types.map((one) => h("option", { value: one, selected: now.scope.types?.[0] === one }, t(`type.${one}`))));
  const model = h("select", { class: "input", id: "model" }, h("option", { value: "" }, t("model.default")),
    () => [...new Set([...(now.model ? [now.model] : []), ...models.value])].map((name) => h("option", { value: name, selected: name === options.peek().model }, name)));
  const limit = h("input", { class: "input", type: "number", id: "limit", min: "1", max: "20", inputmode: "numeric", value: String(now.limit) });
  const tools = h("input", { type: "checkbox", checked: now.tools });
  const strict = h("input", { type: "checkbox", checked: now.strict });

  const save = () => {
    const words = tags.value.split(/[\s,#]+/).filter(Boolean).slice(0, 20);
    const scope = book ? { book } : { ...(thread.value ? { thread: Number(thread.value) } : {}), ...(since.value ? { since: since.value } : {}), ...(until.value ? { until: until.value } : {}),
      ...(words.length ? { tags: words } : {}), ...(type.value ? { types: [type.value] } : {}) };
    choose({ scope, names: book ? now.names : names(scope), model: model.value, limit: Math.max(1, Math.min(20, Number(limit.value) || 6)), tools: tools.checked, strict: strict.checked });
    close();
  };
  const clear = () => { choose({ scope: {}, names: [] }); close(); };
  const { book } = now.scope;
  const close = sheet(t("options"), h("form", { class: "stack", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); save(); } },
    h("h2", {}, t(book ? "kind.book" : "scope")), book ? h("p", {}, now.names.join(", ")) : [field("scope-thread", t("thread"), thread),
      h("div", { class: "pair" }, field("scope-since", t("since"), since), field("scope-until", t("until"), until)),
      h("div", { class: "pair" }, field("scope-tags", t("tags"), tags), field("scope-type", t("type"), type))],
    h("h2", {}, t("answering")), h("div", { class: "pair" }, field("model", t("model"), model), field("limit", t("limit"), limit)),
    h("label", { class: "check" }, tools, h("span", {}, t("tools.allow"))),
    h("label", { class: "check" }, strict, h("span", {}, t("strict.help"))),
    h("div", { class: "row" }, h("button", { class: "button primary", type: "submit" }, t("apply")),
      Object.keys(now.scope).length > 0 ? h("button", { class: "button", type: "button", onclick: clear }, t("scope.clear")) : null)));
}

/**
 * Opens the list of a sign before the cursor. What is typed goes there; where nothing is chosen it is text again.
 * @param {string} sign @param {any} text @param {(value: string) => void} put
 */
export async function help(sign, text, put) {
  if (!(sign === "/" ? /^\/[^\s/]*$/.test(text.value) : /(^|\s)@[^\s@]*$/.test(text.value.slice(0, text.selectionStart)))) return;
  await ready;
  const at = text.selectionStart;
  const from = text.value.lastIndexOf(sign, at - 1);
  if (from < 0 || document.activeElement !== text) return;
  const typed = text.value.slice(from + 1, at);
  const [before, after] = [text.value.slice(0, from), text.value.slice(at)];
  const show = (/** @type {string} */ middle) => { put(before + middle + after); text.setSelectionRange(from + middle.length, from + middle.length); };

  /** @param {any} prompt */
  async function use({ id, title, variables = [] }) {
    const fill = async (/** @type {any} */ values) => {
      const made = await call("POST", `api/prompts/${encodeURIComponent(id)}/render`, { values: Object.fromEntries(Object.entries(values).filter((one) => one[1])) });
      const { thread, tag, timeScope } = made.scope ?? {};
      const scope = { ...(thread ? { thread: [thread].flat()[0] } : {}), ...(tag ? { tags: [tag].flat() } : {}),
        ...(timeScope ? { since: new Date(Date.now() - timeScope.days * 86_400_000).toISOString().slice(0, 10) } : {}) };
      choose({ kind: made.chat, ...(made.scope ? { scope, names: names(scope) } : {}) });
      // What was typed meanwhile stays.
      show(made.text + (text.value && `\n\n${text.value}`));
    };
    const fields = variables.map((/** @type {any} */ { name, meaning }) => ({ name, label: name, hint: meaning }));
    if (fields.length) editor(title, fields, Object.fromEntries(variables.map((/** @type {any} */ one) => [one.name, one.default])), fill, null, "apply");
    else await fill({}).catch((error) => toast(error.message || t("offline")));
  }

  /** @param {string} label @param {string} hint @param {any} more */
  const keeping = (label, hint, more) => ({ label, hint, run() {
    const { scope, kind } = options.peek();
    // A book stands alone, anything else goes together.
    const next = more.book || scope.book ? more : { ...scope, ...more };
    choose({ scope: next, names: more.book ? [label] : names(next), kind: kind === "plain" ? "ask" : kind });
    show("");
  } });
  const scopes = async () => {
    const [{ books }, { notes }] = await Promise.all([call("GET", "api/books?limit=100"), call("GET", "api/notes?limit=500&content=false"), load()]);
    return [...threads.peek().map(({ id, name }) => keeping(name, t("thread"), { thread: id })),
      ...books.filter((/** @type {any} */ one) => one.passages > 0).map((/** @type {any} */ one) => keeping(one.title, t("kind.book"), { book: one.id })),
      ...[...new Set(notes.flatMap((/** @type {any} */ one) => one.tags ?? []))].map((tag) => keeping(`#${tag}`, t("tag"), { tags: [tag] }))];
  };
  const prompts = async () => (await call("GET", "api/prompts")).prompts
    .map((/** @type {any} */ prompt) => ({ label: prompt.title, hint: t(`prompt.kind.${prompt.kind}`), run: () => void use(prompt) }));
  show("");
  const all = signal(/** @type {any} */ (null));
  void (sign === "/" ? prompts() : scopes()).catch((error) => error).then((found) => { all.value = found; });
  openList(t(sign === "/" ? "prompts" : "scope"), t(sign === "/" ? "prompts.hint" : "scope.hint"), (query) => ({
    rows: () => (Array.isArray(all.value) ? all.value.filter(fits(query.value)).slice(0, 30) : []),
    status: (count) => (all.value instanceof Error ? all.value.message || t("offline") : all.value && count === 0 ? t("palette.none") : ""),
  }), { typed, left: (words) => show(sign + words) });
}
