// The notes: the list, or one note, as the address says.
import { define } from "../kit/dom.js";
import { route } from "../kit/router.js";
import { computed, effect } from "../kit/signal.js";
import { noteView } from "./note.js";
import { notesList } from "./list.js";
import { swap } from "../kit/library.js";
export { ready } from "../kit/library.js";

define("selene-notes", (element) => {
  element.className = "library";
  const note = computed(() => (route.value.view === "notes" ? Number(route.value.id ?? 0) || 0 : null));
  effect(() => {
    if (note.value === null) return;
    swap(element, note.value > 0 ? noteView(note.value) : notesList());
  });
});
