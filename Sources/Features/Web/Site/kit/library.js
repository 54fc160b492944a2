// What books, threads and notes share: their words and style, the shapes of loading and failing, lists that keep their place.
import { fill, h, style } from "./dom.js";
import { route, shelves } from "./router.js";
import { addWords, ago, exact, t } from "./words.js";

/** What these views need before they are shown. */
export const ready = Promise.all([style(new URL("../css/library.css", import.meta.url).href),
  addWords({ en: () => import("../words/library-en.js"), de: () => import("../words/library-de.js") })]);

/**
 * The head of a part of the library: the way to the others, and what can be done here. Beside one of its things it is no title.
 * @param {string} here @param {...any} tools
 */
export const libraryHead = (here, ...tools) => h("header", { class: "view-head" }, () => h(route.value.id ? "h2" : "h1", { class: "unseen" }, t(`nav.${here}`)),
  h("nav", { class: "tabs", "aria-label": t("nav.library") }, shelves.map((one) => h("a", { class: "tab", href: `#/${one}`, "aria-current": one === here ? "page" : null }, t(`nav.${one}`)))), tools);

/** The shape of what comes. */
export const bones = () => h("div", { class: "bones", role: "status", "aria-label": t("loading") }, Array.from({ length: 6 }, () => h("i")));

/**
 * What went wrong, with the button that helps.
 * @param {any} error @param {() => void} again
 */
export const failure = (error, again) => h("div", { class: "notice bad", role: "alert" },
  h("p", {}, error.status === 0 ? t("library.offline") : error.status === 404 ? t("library.gone") : error.message || t("error")),
  h("button", { class: "quiet", type: "button", onclick: again }, t("retry")));

/**
 * Says that something is from this browser, and of when.
 * @param {number} at @param {() => void} again
 */
export const keptNotice = (at, again) => h("div", { class: "notice warn", role: "status" },
  h("p", {}, t("kept"), " ", h("time", { datetime: new Date(at).toISOString(), title: exact(at) }, ago(at))), h("button", { class: "quiet", type: "button", onclick: again }, t("retry")));

/**
 * Shows other parts in a view. The focus goes to the view, as it does with a change of the view.
 * @param {Element} view @param {any} parts
 */
export function swap(view, parts) {
  const isChange = view.childElementCount > 0;
  fill(view, parts);
  // On a phone the tabs are wider than the screen.
  view.querySelector(".tab[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  if (isChange) document.getElementById("main")?.focus();
}

/** @type {Map<string, number>} */
const places = new Map();

/**
 * Brings a list back to where it was left, once its rows are there again.
 * @param {HTMLElement} scroller @param {string} name
 */
export function keepPlace(scroller, name) {
  const before = places.get(name) ?? 0;
  let tries = 20;
  const back = () => {
    if (scroller.scrollHeight - scroller.clientHeight >= before) scroller.scrollTop = before;
    else if ((tries -= 1) > 0) requestAnimationFrame(back);
  };
  if (before > 0) requestAnimationFrame(back);
  scroller.addEventListener("scroll", () => places.set(name, scroller.scrollTop), { passive: true });
}

/**
 * A name for a file.
 * @param {string} title
 */
export const fileName = (title) => `${title || t("untitled")}.md`;
