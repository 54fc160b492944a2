// The books: the library, or one book's page, as the address says. Loads the words and the style of the library first.
import { define, fill, h, style } from "../kit/dom.js";
import { computed, effect } from "../kit/signal.js";
import { route } from "../kit/router.js";
import { addWords } from "../kit/words.js";
import { library } from "./library.js";
import { reader } from "./reader.js";

/** What the view needs before it is shown. */
export const ready = Promise.all([style(new URL("../css/library.css", import.meta.url).href),
  addWords({ en: () => import("../words/library-en.js"), de: () => import("../words/library-de.js") })]);

define("selene-books", (element) => {
  element.className = "library";
  // The part of the address that says which book: turning pages keeps the reader.
  const book = computed(() => (route.value.view === "books" ? Number(/^\d+/.exec(route.value.id ?? "")?.[0] ?? 0) : null));
  effect(() => {
    if (book.value === null) return;
    fill(element, book.value > 0 ? reader(book.value) : library());
  });
});
