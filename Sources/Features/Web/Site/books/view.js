// The books: the library, or one book's page, as the address says. Loads the words and the style of the library first.
import { define } from "../kit/dom.js";
import { computed, effect } from "../kit/signal.js";
import { route } from "../kit/router.js";
import { swap } from "../kit/library.js";
export { ready } from "../kit/library.js";
import { library } from "./library.js";
import { reader } from "./reader.js";

define("selene-books", (element) => {
  element.className = "library";
  // The part of the address that says which book: turning pages keeps the reader.
  const book = computed(() => (route.value.view === "books" ? Number(/^\d+/.exec(route.value.id ?? "")?.[0] ?? 0) : null));
  effect(() => {
    if (book.value === null) return;
    swap(element, book.value > 0 ? reader(book.value) : library());
  });
});
