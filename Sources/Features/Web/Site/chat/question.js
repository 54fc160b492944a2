// A question: its text, editing it into another branch, going from branch to branch.
import { define, fill, h } from "../kit/dom.js";
import { signal } from "../kit/signal.js";
import { ago, exact, t } from "../kit/words.js";

/** Properties: `.item` gives the step of the branch of now, `.acts`: edit(item, text), turn(item, step). */
define("selene-question", (element) => {
  const { acts } = element;
  const item = signal(element.item());
  element.addEventListener("update", () => { item.value = element.item(); });
  const isEdited = signal(false);

  function editor() {
    const text = h("textarea", { class: "input", "aria-label": t("edit.label"), rows: "3", dir: "auto",
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key === "Escape") { event.stopPropagation(); isEdited.value = false; back(); }
        if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) send();
      } }, item.peek().message.content);
    const send = () => {
      const words = text.value.trim();
      isEdited.value = false;
      if (words !== "") acts.edit(item.peek(), words);
    };
    queueMicrotask(() => { text.focus(); text.setSelectionRange(text.value.length, text.value.length); });
    return h("div", { class: "stack" }, text, h("p", { class: "hint" }, t("edit.hint")), h("div", { class: "row" },
      h("button", { class: "button primary", type: "button", onclick: send }, t("send")),
      h("button", { class: "button", type: "button", onclick: () => { isEdited.value = false; back(); } }, t("cancel"))));
  }
  const back = () => queueMicrotask(() => element.querySelector(".edit")?.focus());

  function branches() {
    const { siblings, index } = item.value;
    if (siblings.length < 2) return null;
    const values = { n: index + 1, of: siblings.length };
    return h("span", { class: "branches", role: "group", "aria-label": t("branches") },
      h("button", { class: "quiet", type: "button", disabled: index === 0, "aria-label": t("branch.before"), onclick: () => acts.turn(item.peek(), -1) }, "‹"),
      h("span", { class: "hint", "aria-label": t("branch.of", values) }, `${values.n} / ${values.of}`),
      h("button", { class: "quiet", type: "button", disabled: index === siblings.length - 1, "aria-label": t("branch.after"), onclick: () => acts.turn(item.peek(), 1) }, "›"));
  }

  fill(element, h("h2", { class: "unseen" }, t("question")), () => (isEdited.value ? editor() : [
    h("p", { class: "question-text", dir: "auto" }, () => item.value.message.content),
    h("div", { class: "actions" }, branches,
      h("button", { class: "quiet edit", type: "button", onclick: () => { isEdited.value = true; } }, t("edit")),
      () => (item.value.message.created_at ? h("time", { class: "hint", datetime: item.value.message.created_at, title: exact(item.value.message.created_at) },
        ago(item.value.message.created_at), h("span", { class: "unseen" }, ` (${exact(item.value.message.created_at)})`)) : null))]));
});
