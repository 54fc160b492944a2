// The step of notes: files and folders that are dropped or chosen, how far they are, what was left out and why; or a first note written here.
import { newRunID } from "../../chat/run.js";
import { call } from "../../net/api.js";
import { h } from "../../kit/dom.js";
import { computed, effect, signal } from "../../kit/signal.js";
import { t } from "../../kit/words.js";
import { chosen, groups } from "./files.js";
import { bar, command } from "./parts.js";

/** Rows of a list that are shown at once. */
const mostShown = 5;

/**
 * A list that says how many more there are.
 * @template T @param {T[]} rows @param {(row: T) => any} render
 */
const some = (rows, render) => h("ul", { class: "plain" }, rows.slice(0, mostShown).map((one) => h("li", { dir: "auto" }, render(one))), rows.length > mostShown ? h("li", { class: "hint" }, t("start.files.more", { n: rows.length - mostShown })) : null);

/** @param {{ why: string, name: string, n: number }} group */
const group = ({ why, name, n }) => (why === "kind" ? t("start.left.kind", { n, kind: name }) : why === "hidden" ? t("start.left.hidden", { n, name }) : t(`start.left.${why}`, { name }));

/**
 * What became of the files, as it is now.
 * @param {ReturnType<typeof import("./bring.js").bringing>} bring
 */
function report(bring) {
  const { phase, done, total, created, updated, unchanged, failed, left, kept } = bring.now.value;
  if (phase === "idle") return null;
  if (phase === "looking") return h("p", { class: "hint", role: "status" }, t("start.files.looking"));
  const counts = [created ? t("start.created", { n: created }) : "", updated ? t("start.updated", { n: updated }) : "", unchanged ? t("start.unchanged", { n: unchanged }) : ""].filter(Boolean).join(", ");
  const isOver = phase !== "sending";
  const said = total === 0 ? t("start.files.none") : phase === "stopped" ? t("start.files.stopped", { n: done, of: total }) : t("start.files.done", { n: created + updated + unchanged, of: total });
  return h("div", { class: "report" }, isOver ? h("p", { role: "status", tabindex: "-1" }, said, counts ? ` ${counts}.` : "") : null,
    failed.length > 0 ? h("div", { class: "notice bad", role: "alert" }, h("div", { class: "wide" }, h("p", {}, h("strong", {}, t("start.files.failed", { n: failed.length }))),
      [...new Set(failed.map((one) => one.why))].map((why) => [h("p", {}, why), some(failed.filter((one) => one.why === why).sort((a, b) => (a.path < b.path ? -1 : 1)), (one) => one.path)])),
      isOver ? h("button", { class: "quiet", type: "button", "data-key": "files-again", onclick: () => void bring.again() }, t("retry")) : null) : null,
    isOver && left.length > 0 ? h("details", { class: "why" }, h("summary", {}, t("start.left", { n: left.length })), some(groups(left), group)) : null,
    isOver && kept.length > 0 ? h("details", { class: "why" }, h("summary", {}, t("start.kept", { n: kept.length })), some(kept, (one) => `${one.path}: ${one.kind === "guessed" ? t("start.kept.guessed") : one.kind === "read_as" ? one.message : t(`start.kept.${one.kind}`)}`)) : null);
}

/** A first note, written here. */
function writing() {
  const problem = signal("");
  const saved = signal("");
  const isBusy = signal(false);
  let name = newRunID();
  const text = h("textarea", { class: "input", id: "start-note", rows: "4", dir: "auto", oninput: () => { problem.value = ""; saved.value = ""; } });
  const save = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const content = text.value.trim();
    if (!content || isBusy.peek()) return;
    isBusy.value = true;
    try {
      const title = [...content.split("\n")[0].replace(/^#+\s*/, "")].slice(0, 120).join("").trim() || t("untitled");
      await call("POST", "api/notes", { title, content }, { headers: { "Idempotency-Key": name } });
      name = newRunID();
      text.value = "";
      saved.value = t("start.note.saved", { title });
    } catch (/** @type {any} */ error) { problem.value = error.code === "duplicate" ? t("start.note.there") : error.status === 0 ? t("library.offline") : error.message || t("error"); }
    isBusy.value = false;
  };
  return h("details", { class: "why" }, h("summary", {}, t("start.note.write")), h("form", { class: "stack", onsubmit: save }, h("div", { class: "field" }, h("label", { for: "start-note" }, t("start.note.label")), text),
    () => (problem.value ? h("p", { class: "notice bad", role: "alert" }, problem.value) : null), h("div", { class: "row" }, h("button", { class: "button", type: "submit", disabled: () => isBusy.value }, t("start.note.save")), h("p", { class: "hint", role: "status" }, () => saved.value))));
}

/**
 * The step's body.
 * @param {ReturnType<typeof import("./bring.js").bringing>} bring
 */
export function notes(bring) {
  const pick = (/** @type {any} */ event) => {
    const files = [...event.target.files];
    event.target.value = "";
    if (files.length > 0) void bring.start(async () => ({ found: chosen(files), left: [] }));
  };
  const input = (/** @type {string} */ id, /** @type {any} */ more) => h("input", { class: "unseen-input", type: "file", id, multiple: true, disabled: bring.isBusy, onchange: pick, ...more });
  // Browsers of phones choose no folders.
  const canFolder = "webkitdirectory" in HTMLInputElement.prototype && !matchMedia("(pointer: coarse)").matches;
  // Once files are in, what became of them stands alone, until more are wanted.
  const isMore = signal(false);
  const phase = computed(() => bring.now.value.phase);
  const isOver = computed(() => phase.value === "done" || phase.value === "stopped");
  const isHeld = computed(() => { const { created, updated, unchanged, failed } = bring.now.value; return isOver.value && !isMore.value && created + updated + unchanged + failed.length > 0; });
  const cancel = h("button", { class: "button", type: "button", onclick: () => bring.stop() }, t("cancel"));
  const ways = h("div", { class: "ways", hidden: () => bring.isBusy() || isHeld.value }, h("div", { class: "zone" }, h("p", { class: "zone-title only-fine" }, t("start.drop")), h("p", { class: "hint" }, t("start.drop.hint")),
    h("div", { class: "row" }, canFolder ? [input("start-folder", { webkitdirectory: true }), h("label", { class: "button primary pick", for: "start-folder" }, t("start.folder"))] : null, input("start-files", { accept: ".md,.markdown,.mdown,.mkd,.mkdn,.mdwn,.txt,.text,.zip,text/markdown,text/plain,application/zip" }), h("label", { class: ["button", "pick", canFolder ? "" : "primary"], for: "start-files" }, t("start.files")))),
  writing(), h("details", { class: "why" }, h("summary", {}, t("start.follow")), h("p", {}, t("start.follow.text")), command("selene ingest ~/notes")));
  const sending = h("div", { class: "sending", hidden: () => phase.value !== "sending" }, bar(t("start.files.bar"), () => bring.now.value.done, () => bring.now.value.total, () => t("start.files.of", { n: bring.now.value.done, of: bring.now.value.total })), cancel);
  const said = h("div", {}, () => report(bring));
  const more = h("button", { class: "quiet more-files", type: "button", hidden: () => !isHeld.value, onclick: () => { isMore.value = true; ways.querySelector("input")?.focus(); } }, t("start.more"));
  effect(() => {
    const now = phase.value;
    if (now === "sending") isMore.value = false;
    // What had the focus may be hidden now.
    if ([ways, sending, said].some((one) => one.contains(document.activeElement))) requestAnimationFrame(() => (now === "sending" ? cancel : said.querySelector("[tabindex]"))?.focus());
  });
  return [ways, sending, said, more];
}
