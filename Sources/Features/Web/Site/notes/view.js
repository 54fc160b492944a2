// The notes: the list, one note, what it was before, or the deleted ones, as the address says. With room for both, the list stays
// beside the note.
import { define, fill, h } from "../kit/dom.js";
import { swap } from "../kit/library.js";
import { go, route } from "../kit/router.js";
import { computed, effect, signal } from "../kit/signal.js";
import { t } from "../kit/words.js";
import { noteView } from "./note.js";
import { notesList, withQuery } from "./list.js";
import { deletedNotes, noteHistory } from "./past.js";
export { ready } from "../kit/library.js";

const wide = matchMedia("(min-width: 1100px)");
const isWide = signal(wide.matches);
wide.addEventListener("change", () => { isWide.value = wide.matches; });

/** @param {string} place `12`, `12/history` or `deleted` */
function parts(place) {
  const [name, part] = place.split("/");
  const id = Number(name) || 0;
  if (name === "deleted") return deletedNotes();
  return id > 0 ? part === "history" ? noteHistory(id) : noteView(id) : null;
}

/** What is beside the list while no note is chosen. */
function unchosen() {
  document.title = `${t("nav.notes")} – Selene`;
  return h("p", { class: "blank" }, t("notes.choose"));
}

/** @param {Element} element @param {import("../kit/signal.js").Signal<string | null>} place */
function beside(element, place) {
  let timer = 0;
  const pane = h("div", { class: "library" });
  const enter = () => pane.querySelector(".page")?.focus();
  // Arrow keys go through the list, and the note that has the focus is shown a moment later.
  const step = (/** @type {KeyboardEvent} */ event) => {
    const at = /** @type {Element} */ (event.target);
    const row = at.closest(".entry");
    const next = event.key === "ArrowDown" ? row ? row.nextElementSibling : at.id === "note-search" && list.querySelector(".entry") : event.key === "ArrowUp" && row?.previousElementSibling;
    if (!next || event.altKey || event.ctrlKey || event.metaKey) return;
    const link = next.querySelector("a");
    event.preventDefault();
    link.focus();
    clearTimeout(timer);
    timer = window.setTimeout(() => go(withQuery(link.hash), { replace: true }), 150);
  };
  // Enter leads into the note; a pointer leaves the focus in the list, for the arrow keys.
  const open = (/** @type {MouseEvent} */ event) => {
    const link = /** @type {Element} */ (event.target).closest("a.item");
    clearTimeout(timer);
    if (!link || event.detail > 0) return;
    if (link.ariaCurrent) enter();
    else /** @type {HTMLElement} */ (link).blur();
  };
  const list = h("div", { class: "library", onkeydown: step, onclick: open }, notesList());
  fill(element, list, pane);
  effect(() => {
    if (place.value === null) return;
    const isChange = pane.childElementCount > 0;
    fill(pane, parts(place.value) ?? unchosen());
    if (isChange && !list.contains(document.activeElement)) enter();
  });
}

define("selene-notes", (element) => {
  const place = computed(() => (route.value.view === "notes" ? route.value.id ?? "" : null));
  // Links between notes leave the search as it is.
  element.addEventListener("click", (/** @type {any} */ event) => {
    const link = event.target.closest?.('a[href="#/notes"], a[href^="#/notes/"]');
    if (link) link.hash = withQuery(link.hash);
  }, true);
  effect(() => {
    element.className = isWide.value ? "library beside" : "library";
    if (isWide.value) beside(element, place);
    else effect(() => { if (place.value !== null) swap(element, parts(place.value) ?? notesList()); });
  });
});
