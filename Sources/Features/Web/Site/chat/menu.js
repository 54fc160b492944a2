// Lists that signs in the composer open: "/" at its beginning the prompts, "@" what a question may be kept to.
import { call } from "../net/api.js";
import { openList } from "../kit/choose.js";
import { editor } from "../kit/form.js";
import { ready } from "../kit/library.js";
import { toast } from "../kit/toast.js";
import { t } from "../kit/words.js";
import { load, names, threads } from "./options.js";
import { choose, options } from "./state.js";

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
  openList(t(sign === "/" ? "prompts" : "scope"), t(sign === "/" ? "prompts.hint" : "scope.hint"), sign === "/" ? prompts() : scopes(), { typed, left: (words) => show(sign + words) });
}
