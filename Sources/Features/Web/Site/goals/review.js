// The review of a week or a term: its text to read, and the button that keeps it as a note.
import { call } from "../net/api.js";
import { attempt } from "../net/source.js";
import { h } from "../kit/dom.js";
import { address, go } from "../kit/router.js";
import { sheet } from "../kit/sheet.js";
import { toast } from "../kit/toast.js";
import { t } from "../kit/words.js";
import { MarkdownView } from "../text/render.js";

/** @param {{ kind: "week" | "term", term?: string }} what */
export const openReview = (what) => attempt(async () => {
  const review = await call("POST", "api/goals/reviews", what);
  const text = h("div", { class: "prose", dir: "auto" });
  new MarkdownView(text, /** @type {any} */ ({ isCited: false, isMaths: false, isBare: true, headings: 2, marks: [], cite: () => null })).set(review.text, true);
  const keep = () => attempt(async () => {
    const { note } = await call("POST", "api/goals/reviews", { ...what, ...(what.kind === "week" ? { day: review.last } : {}), save: true });
    close();
    toast(t("review.kept"), note ? { label: t("note.open"), run: () => go(address("notes", String(note))) } : undefined);
  });
  const close = sheet(review.title, h("div", { class: "stack" }, text, h("div", { class: "row" }, h("button", { class: "button primary", type: "button", onclick: () => void keep() }, t("review.keep")))));
});
