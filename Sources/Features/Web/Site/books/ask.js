// Opens a new chat whose questions are answered from one book.
import { choose } from "../chat/state.js";
import { go } from "../kit/router.js";

/** @param {{ id: number, title: string }} book */
export function askBook(book) {
  choose({ scope: { book: book.id }, names: [book.title], kind: "book" });
  go("#/chat");
  requestAnimationFrame(() => document.getElementById("question")?.focus());
}
