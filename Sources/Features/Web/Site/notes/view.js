// The notes: the list, one note, what it was before, or the deleted ones, as the address says. With room for both, the list stays
// beside the note.
import { define, fill, h } from "../kit/dom.js";
import { swap } from "../kit/library.js";
import { go, route } from "../kit/router.js";
import { computed, effect, signal } from "../kit/signal.js";
import { t } from "../kit/words.js";
import { deletedNotes, noteHistory, noteView } from "./note.js";
import { notesList, withQuery } from "./list.js";
export { ready } from "../kit/library.js";

const wide = matchMedia("(min-width: 1100px)");
const isWide = signal(wide.matches);
wide.addEventListener("change", () => { isWide.value = wide.matches; });

/** @param {string} place `12`, `12/history`, `deleted`, or nothing for the list */
function parts(place) {
  const [name, part] = place.split("/");
  const id = Number(name);
  document.title = `${t("nav.notes")} – Selene`;
  if (name === "deleted") return deletedNotes();
  if (id > 0) return part === "history" ? noteHistory(id) : noteView(id);
  return isWide.peek() ? h("p", { class: "blank" }, t("notes.choose")) : notesList();
}

/** @param {Element} element @param {import("../kit/signal.js").Signal<string | null>} place */
function beside(element, place) {
  const pane = h("div", { class: "library" });
  const enter = () => pane.querySelector(".page")?.focus();
  const list = h("div", { class: "library",
    // Arrow keys go through the list; the note that has the focus is shown a moment later.
    onkeydown: (/** @type {any} */ event) => {
      const links = [...list.querySelectorAll(".item")];
      const link = links[links.indexOf(event.target) + ({ ArrowDown: 1, ArrowUp: -1 }[/** @type {string} */ (event.key)] ?? NaN)];
      if (!link || !event.target.matches("input, a")) return;
      event.preventDefault();
      link.focus();
      setTimeout(() => { if (link === document.activeElement) go(withQuery(link.hash), { replace: true }); }, 150);
    },
    // Enter leads into the note; a pointer leaves the focus in the list, for the arrow keys.
    onclick: (/** @type {any} */ event) => {
      const link = event.target.closest(".item");
      if (!link || event.detail > 0) return;
      link.blur();
      if (link.ariaCurrent) enter();
    } }, notesList());
  fill(element, list, pane);
  effect(() => {
    if (place.value === null) return;
    const isChange = pane.firstChild;
    fill(pane, parts(place.value));
    if (isChange && !list.contains(document.activeElement)) enter();
  });
}

define("selene-notes", (element) => {
  const place = computed(() => (route.value.view === "notes" ? route.value.id ?? "" : null));
  // Links between notes leave the search as it is.
  element.addEventListener("click", (/** @type {any} */ event) => {
    const link = event.target.closest('a[href="#/notes"], a[href^="#/notes/"]');
    if (link) link.hash = withQuery(link.hash);
  }, true);
  effect(() => {
    element.className = isWide.value ? "library beside" : "library";
    if (isWide.value) beside(element, place);
    else effect(() => { if (place.value !== null) swap(element, parts(place.value)); });
  });
});
