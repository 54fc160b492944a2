// The passages of an answer: beside it on a wide screen, up from below on a narrow one. The cited sentence is marked, and
// each passage says why it was found.
import { call } from "../net/api.js";
import { fill, h, icon } from "../kit/dom.js";
import { effect, scope, signal, untracked } from "../kit/signal.js";
import { address, bookAddress } from "../kit/router.js";
import { onDay, t } from "../kit/words.js";
import { ByteText } from "../text/bytes.js";
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
  return h("li", { class: ["passage", isChosen && "chosen"], tabindex: "-1", "data-chosen": isChosen },
    h("h3", {}, h("span", { class: "number" }, String(passage.number)), " ", h("span", { dir: "auto" }, passage.title || t("untitled"))),
    h("p", { class: "hint" }, [passage.date ? onDay(passage.date) : "", pageWords(passage), ...why(passage)].filter(Boolean).join(" · ")),
    citation && citation.verdict !== "supported" ? h("p", { class: "notice warn" }, citation.belongs_to ? t("cite.belongs", { n: citation.belongs_to }) : t(`cite.${citation.verdict}`)) : null,
    h("blockquote", { class: "passage-text", dir: "auto" }, () => (whole.value?.content !== undefined
      ? marked(whole.value.content, [passage.range])
      : marked(passage.text, (citation?.evidence ?? []).filter((/** @type {any} */ one) => one.number === passage.number).map((/** @type {any} */ one) => one.range)))),
    () => (whole.value instanceof Error ? h("p", { class: "notice bad", role: "alert" }, whole.value.message || t("offline")) : null),
    () => (whole.value?.content !== undefined
      ? h("button", { class: "quiet", type: "button", onclick: () => { whole.value = null; } }, t("passage.only"))
      : passage.book != null ? h("a", { class: "quiet", href: inBook(passage, citation) }, t("book.open", { page: passage.label || String(passage.page) }))
      : h("button", { class: "quiet", type: "button", disabled: whole.value === "loading", onclick: open }, t("note.whole"))),
    passage.note != null ? h("a", { class: "quiet", href: address("notes", String(passage.note)) }, t("note.open")) : null);
}

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
  const bytes = new ByteText(passage.text);
  const evidence = (citation?.evidence ?? []).find((/** @type {any} */ one) => one.number === passage.number)?.range;
  const quote = evidence ? passage.text.slice(bytes.index(evidence[0]), bytes.index(evidence[1])).slice(0, 400) : "";
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
 * A text with stretches marked.
 * @param {string} text @param {[number, number][]} ranges in bytes
 */
function marked(text, ranges) {
  const bytes = new ByteText(text);
  const parts = [];
  let at = 0;
  const sorted = ranges.filter(Boolean).map(([from, to]) => [bytes.index(from), bytes.index(to)]).sort((a, b) => a[0] - b[0]);
  for (const [from, to] of sorted) {
    if (from < at || to <= from) continue;
    parts.push(text.slice(at, from), h("mark", {}, text.slice(from, to)));
    at = to;
  }
  parts.push(text.slice(at));
  return parts;
}
