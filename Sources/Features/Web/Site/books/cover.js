// A book's cover. An image element cannot send the header that a page's requests need, so the picture is fetched when it is
// about to be seen.
import { send } from "../net/api.js";
import { h } from "../kit/dom.js";
import { cleanup } from "../kit/signal.js";
import { path } from "./data.js";

/**
 * The cover, or the title's first letter.
 * @param {import("./data.js").Book} book
 */
export function cover(book) {
  const letter = [...book.title.replace(/^\P{L}+/u, "")][0] ?? "·";
  const place = h("div", { class: "cover", "aria-hidden": "true" }, h("span", {}, letter.toLocaleUpperCase()));
  if (!book.has_cover) return place;
  let address = "";
  let isOver = false;
  const seen = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    seen.disconnect();
    send("GET", `${path(book.id)}/cover`, undefined, { headers: { Accept: "image/*" } }).then((response) => response.blob()).then((blob) => {
      if (isOver || !/^image\/(png|jpeg|webp|gif)$/.test(blob.type)) return;
      address = URL.createObjectURL(blob);
      place.replaceChildren(h("img", { src: address, alt: "" }));
    }, () => { /* the letter stays */ });
  }, { rootMargin: "200px" });
  seen.observe(place);
  cleanup(() => { isOver = true; seen.disconnect(); if (address) URL.revokeObjectURL(address); });
  return place;
}
