// The passages of an answer: beside it on a wide screen, up from below on a narrow one. Each is shown as what it is, with the
// cited sentence marked and in view; why it was found is told to those who ask.
import { call } from "../net/api.js";
import { fill, h, icon } from "../kit/dom.js";
import { effect, scope, signal, untracked } from "../kit/signal.js";
import { address, bookAddress } from "../kit/router.js";
import { onDay, t } from "../kit/words.js";
import { ByteText } from "../text/bytes.js";
import { MarkdownView } from "../text/render.js";
import { chat } from "./state.js";

const wide = matchMedia("(min-width: 1100px)");

/**
 * Puts the panel into `parent`: it shows what `chat.passages` names, and hides when that is null.
 * @param {Element} parent
 */
export function panel(parent) {
  const isWide = signal(wide.matches);
  wide.addEventListener("change", () => { isWide.value = wide.matches; });
  const body = h("div", { class: "panel-body", tabindex: "-1" });
  const head = h("div", { class: "view-head" }, h("h2", {}, t("passages")),
    h("button", { class: "quiet", type: "button", onclick: close }, icon("close"), t("close")));
  const holder = h("div", { class: "panel-holder" });
  parent.replaceChildren(holder);
  let before = /** @type {HTMLElement | null} */ (null);
  let end = () => {};

  function close() {
    chat.passages.value = null;
  }

  function isClosed() {
    end();
    holder.replaceChildren();
    const run = before;
    before = null;
    if (run?.isConnected) run.focus();
  }

  effect(() => {
    const chosen = chat.passages.value;
    const beside = isWide.value;
    if (!chosen) { isClosed(); return; }
    untracked(() => {
      const old = holder.firstElementChild;
      if (document.activeElement instanceof HTMLElement && !holder.contains(document.activeElement)) before = document.activeElement;
      end();
      end = scope(() => effect(() => fill(body, content(chosen))));
      const tag = beside ? "ASIDE" : "DIALOG";
      if (old?.tagName !== tag) {
        const frame = h(beside ? "aside" : "dialog", { class: beside ? "panel" : "sheet panel-sheet", "aria-label": t("passages"),
          oncancel: (/** @type {Event} */ event) => { event.preventDefault(); close(); },
          onclick: (/** @type {Event} */ event) => { if (event.target === frame && !beside) close(); },
          onkeydown: (/** @type {KeyboardEvent} */ event) => { if (event.key === "Escape" && beside) close(); } }, head, body);
        holder.replaceChildren(frame);
        if (!beside) /** @type {any} */ (frame).showModal();
      }
      requestAnimationFrame(() => {
        const target = body.querySelector("[data-chosen]");
        show(target);
        if (target) target.scrollIntoView({ block: "nearest" });
        else body.scrollTop = 0;
        (target ?? body).focus({ preventScroll: true });
      });
    });
  });
}

/** @param {{ run: import("./run.js").LiveRun, number: number, at: number }} chosen */
function content({ run, number, at }) {
  void run.changed.value;
  const { passages, tools, search, leftOut, withheld } = run.reader;
  const list = [...passages.values()].sort((a, b) => a.number - b.number);
  const found = number > 0 ? run.reader.verdict(at, number) : null;
  const missing = number > 0 && !passages.has(number);
  return [
    missing ? h("p", { class: "notice bad", tabindex: "-1", "data-chosen": true }, run.reader.isWorking || list.length ? t("cite.invented.long", { n: number }) : t("passages.unknown")) : null,
    search?.source === "keyword" ? h("p", { class: "notice warn" }, t("fallback"), search.fallback_reason ? ` ${search.fallback_reason}` : "") : null,
    search?.rewritten ? h("p", { class: "hint" }, t("searched", { query: search.query })) : null,
    list.length === 0 && !missing ? h("p", { class: "blank" }, t("passages.none")) : null,
    h("ol", { class: "passages", role: "list" }, list.map((passage) => card(passage, passage.number === number ? found : null, passage.number === number))),
    tools.size > 0 ? h("section", {}, h("h3", {}, t("tools")), h("ul", { class: "tools", role: "list" }, [...tools.values()].map((tool) => h("li", {},
      h("code", {}, tool.name), " ", t(`tool.${tool.state}`), tool.summary ? ` – ${tool.summary}` : "")))) : null,
    withheld.length > 0 ? h("p", { class: "hint" }, t("withheld", { n: withheld.length })) : null,
    leftOut.length > 0 ? h("section", {}, h("h3", {}, t("left-out")), h("ul", { class: "plain" }, leftOut.map((one) => h("li", { class: "hint" },
      t(`part.${one.part}`), one.count ? ` (${one.count})` : one.number ? ` ${one.number}` : "", one.reason ? `: ${one.reason}` : "")))) : null,
  ];
}

/** @param {any} passage @param {any} citation @param {boolean} isChosen */
function card(passage, citation, isChosen) {
  const whole = signal(/** @type {any} */ (null));
  const open = async () => {
    whole.value = "loading";
    try { whole.value = await call("GET", `api/notes/${passage.note}`); } catch (error) { whole.value = error; }
  };
  const reasons = why(passage).filter(Boolean);
  const text = h("blockquote", { class: ["passage-text", passage.book == null && "prose"], dir: "auto", tabindex: "0" });
  effect(() => {
    const note = whole.value?.content;
    fill(text);
    render(text, passage, note, evidenceOf(passage, citation));
    if (note !== undefined) requestAnimationFrame(() => show(text));
  });
  return h("li", { class: ["passage", isChosen && "chosen"], tabindex: "-1", "data-chosen": isChosen },
    h("h3", {}, h("span", { class: "number" }, String(passage.number)), " ", h("span", { dir: "auto" }, passage.title || t("untitled"))),
    h("p", { class: "hint" }, [passage.date ? onDay(passage.date) : "", pageWords(passage)].filter(Boolean).join(" · ")),
    citation && citation.verdict !== "supported" ? h("p", { class: "notice warn" }, citation.belongs_to ? t("cite.belongs", { n: citation.belongs_to }) : t(`cite.${citation.verdict}`)) : null,
    text,
    () => (whole.value instanceof Error ? h("p", { class: "notice bad", role: "alert" }, whole.value.message || t("offline")) : null),
    () => (whole.value?.content !== undefined
      ? h("button", { class: "quiet", type: "button", onclick: () => { whole.value = null; } }, t("passage.only"))
      : passage.book != null ? h("a", { class: "quiet", href: inBook(passage, citation) }, t("book.open", { page: passage.label || String(passage.page) }))
      : h("button", { class: "quiet", type: "button", disabled: whole.value === "loading", onclick: open }, t("note.whole"))),
    passage.note != null ? h("a", { class: "quiet", href: address("notes", String(passage.note)) }, t("note.open")) : null,
    reasons.length > 0 ? h("details", { class: "hint" }, h("summary", {}, t("why")), h("p", {}, reasons.join(" · "))) : null);
}

/**
 * Brings the marked sentence into view.
 * @param {Element | null} element
 */
const show = (element) => element?.querySelector("mark")?.scrollIntoView({ block: "center" });

/**
 * The printed number of a book's page, and its place when that differs.
 * @param {any} passage
 */
function pageWords({ book, page, label }) {
  if (book == null) return "";
  return label && label !== String(page) ? t("book.page.label", { label, page }) : t("book.page", { page });
}

/**
 * The address of the page that a passage of a book is on, with the cited words.
 * @param {any} passage @param {any} citation
 */
function inBook(passage, citation) {
  const [mark] = evidenceOf(passage, citation);
  const quote = mark ? passage.text.slice(mark.from, Math.min(mark.to, mark.from + 400)) : "";
  const [from, to] = passage.range;
  const session = chat.session.peek();
  return bookAddress(passage.book, passage.page, { from, to, ...(quote ? { quote } : {}), ...(session ? { chat: session } : {}) });
}

/**
 * Why a passage was found.
 * @param {any} passage
 */
function why(passage) {
  const { meaning, words } = passage.why ?? {};
  return [
    passage.source && passage.source !== "search" ? t("why.tool") : "",
    meaning != null ? t("why.meaning", { n: Math.round(meaning * 100) }) : "",
    words != null ? t("why.words", { n: words }) : "",
  ];
}

/**
 * The cited stretches of a passage's text.
 * @param {any} passage @param {any} citation @returns {{ from: number, to: number }[]}
 */
function evidenceOf(passage, citation) {
  const bytes = new ByteText(passage.text);
  return (citation?.evidence ?? []).filter((/** @type {any} */ one) => one.number === passage.number && one.range?.[1] > one.range[0])
    .map((/** @type {any} */ { range }) => ({ from: bytes.index(range[0]), to: bytes.index(range[1]) })).sort((/** @type {any} */ a, /** @type {any} */ b) => a.from - b.from);
}

/**
 * Shows a passage, or its whole note, with what is cited marked. Without evidence the passage is marked in its note.
 * @param {HTMLElement} element @param {any} passage @param {string | undefined} note @param {{ from: number, to: number }[]} evidence
 */
function render(element, passage, note, evidence) {
  const { text, title } = passage;
  let source = note ?? text;
  let start = 0;
  if (note !== undefined) {
    start = new ByteText(note).index(passage.range[0]);
    // The note may have changed since.
    if (!note.startsWith(text, start)) start = note.indexOf(text);
    if (!evidence.length) evidence = [{ from: 0, to: text.length }];
  }
  const marks = start < 0 ? [] : evidence.map(({ from, to }) => ({ from: start + from, to: start + to }));
  if (passage.book != null) {
    // A book's text is no Markdown.
    let at = 0;
    for (const { from, to } of marks) {
      element.append(source.slice(at, from), h("mark", {}, source.slice(Math.max(at, from), to)));
      at = to;
    }
    element.append(source.slice(at));
    return;
  }
  // The title is above.
  const [head, words] = /^\s*#{1,6}[ \t]+(.*?)[ \t#]*(?:\n|$)/.exec(source) ?? [""];
  if (head && words.trim() === title?.trim() && !marks.some(({ to }) => to <= head.length)) source = head.replace(/[^\n]/g, " ") + source.slice(head.length);
  new MarkdownView(element, { isMaths: true, isBare: true, headings: 3, marks }).set(source, true);
}
