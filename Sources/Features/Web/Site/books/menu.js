// What one may do with a book, as a sheet.
import { save } from "../net/save.js";
import { h } from "../kit/dom.js";
import { sheet } from "../kit/sheet.js";
import { t } from "../kit/words.js";
import { askBook } from "./ask.js";

/** @param {import("./data.js").Book} book @param {{ remove: () => void, retry: () => void, change: (fresh: any) => void }} acts */
export function openBookMenu(book, acts) {
  const choice = (/** @type {string} */ label, /** @type {() => void} */ run) => h("li", {}, h("button", { class: "choice", type: "button",
    onclick: () => { close(); queueMicrotask(run); } }, h("span", {}, label)));
  const title = h("input", { class: "input", id: "book-title", value: book.title, maxlength: "500", dir: "auto" });
  const isPrivate = h("input", { type: "checkbox", checked: book.is_private, onchange: () => acts.change({ is_private: isPrivate.checked }) });
  const rename = (/** @type {Event} */ event) => {
    event.preventDefault();
    const now = title.value.trim();
    close();
    if (now && now !== book.title) acts.change({ title: now });
  };
  const close = sheet(book.title || t("untitled"), h("div", { class: "stack" },
    h("form", { class: "field", onsubmit: rename }, h("label", { for: "book-title" }, t("book.title")),
      h("div", { class: "row" }, title, h("button", { class: "button", type: "submit" }, t("rename")))),
    h("label", { class: "check" }, isPrivate, h("span", {}, t("book.private.help"))),
    book.source ? h("p", { class: "hint", dir: "auto" }, t("book.source", { source: book.source })) : null,
    book.notices?.length ? h("ul", { class: "plain hint" }, book.notices.map((one) => h("li", {}, one.message, one.pages?.length ? ` (${t("pages.list", { list: one.pages.slice(0, 20).join(", ") })})` : ""))) : null,
    h("ul", { role: "list" },
      book.passages > 0 ? choice(t("book.ask"), () => askBook(book)) : null,
      book.pages > 0 ? choice(t("book.export"), () => void save(`api/books/${book.id}/text`, `${book.title || "book"}.txt`)) : null,
      book.state === "failed" ? choice(t("retry"), acts.retry) : null,
      choice(t("book.remove"), acts.remove))));
}
