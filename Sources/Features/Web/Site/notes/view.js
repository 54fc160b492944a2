// The notes: the list, one note, what it was before, or the deleted ones, as the address says.
import { define } from "../kit/dom.js";
import { route } from "../kit/router.js";
import { computed, effect } from "../kit/signal.js";
import { noteView } from "./note.js";
import { notesList } from "./list.js";
import { deletedNotes, noteHistory } from "./past.js";
import { swap } from "../kit/library.js";
export { ready } from "../kit/library.js";

/** @param {string} place `12`, `12/history`, `deleted`, or nothing for the list */
function parts(place) {
  const [name, part] = place.split("/");
  const id = Number(name) || 0;
  if (name === "deleted") return deletedNotes();
  if (id > 0) return part === "history" ? noteHistory(id) : noteView(id);
  return notesList();
}

define("selene-notes", (element) => {
  element.className = "library";
  const place = computed(() => (route.value.view === "notes" ? route.value.id ?? "" : null));
  effect(() => {
    if (place.value !== null) swap(element, parts(place.value));
  });
});
