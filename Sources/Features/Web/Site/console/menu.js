// The pages of the console in four groups: a list beside the page where there is room, else one menu above it.
import { h, icon } from "../kit/dom.js";
import { effect, signal } from "../kit/signal.js";
import { addWords, t } from "../kit/words.js";

/**
 * The groups and their pages, by their addresses below `#/console`. The first steps are a view of their own, also the home page.
 * @type {[string, string[]][]}
 */
export const groups = [
  ["status", ["", "requests", "jobs", "runs", "failed"]],
  ["access", ["keys", "browsers", "audit"]],
  ["models", ["models", "spaces", "search", "evaluations", "bench"]],
  ["settings", ["start", "setup", "prompts", "push"]],
];
/** The pages of notifications; the first one has their address. */
export const ofPush = ["push", "push/log", "push/devices", "push/templates", "push/schedules", "push/triggers"];

/** @param {string} name */
const addressOf = (name) => (name === "start" ? "#/start" : name ? `#/console/${name}` : "#/console");
/** @param {string} name */
export const label = (name) => t(`console.page.${name || "overview"}`);

/** The pages with their addresses, for who looks for one. */
export const pages = () => addWords({ en: () => import("../words/console-en.js"), de: () => import("../words/console-de.js") })
  .then(() => groups.flatMap(([, names]) => names).map((name) => [label(name), addressOf(name)]));

const wide = globalThis.matchMedia?.("(min-width: 900px)");
/** Whether there is room for the list beside the page. */
export const hasRoom = signal(wide?.matches ?? true);
wide?.addEventListener("change", () => { hasRoom.value = wide.matches; });

/**
 * The list of pages. Those of notifications show below their name while one of them is open.
 * @param {() => string} here the page that is open
 */
export function menu(here) {
  const link = (/** @type {string} */ name, /** @type {string} */ text, /** @type {() => boolean} */ isHere) => h("a", { class: "console-link", href: addressOf(name), "aria-current": () => (isHere() ? "page" : null) }, text);
  const inPush = () => here().split("/")[0] === "push";
  const below = () => h("ul", { role: "list", hidden: () => !inPush() }, ofPush.map((name) => h("li", {}, link(name, name === "push" ? t("console.page.push/write") : label(name), () => here() === name))));
  const nav = h("nav", { class: "console-nav", "aria-label": t("console") }, groups.map(([group, names]) => [h("p", { class: "label", id: `console-${group}` }, t(`console.group.${group}`)),
    h("ul", { role: "list", "aria-labelledby": `console-${group}` }, names.map((name) => h("li", {}, link(name, label(name), () => here() === name && name !== "push"), name === "push" ? below() : null)))]));
  effect(() => { void here(); queueMicrotask(() => nav.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" })); });
  return nav;
}

/**
 * The menu of a narrow window. It closes with a choice, with Escape, with a press outside, and when the focus leaves it.
 * @param {() => string} here
 */
export function folded(here) {
  const close = () => { element.open = false; };
  const outside = (/** @type {Event} */ event) => { if (event.target instanceof Node && !element.contains(event.target)) close(); };
  const element = h("details", { class: "console-menu", ontoggle: () => (element.open ? addEventListener : removeEventListener)("pointerdown", outside), onkeydown: (/** @type {KeyboardEvent} */ event) => { if (event.key === "Escape" && element.open) { close(); element.querySelector("summary").focus(); } },
    onfocusout: (/** @type {FocusEvent} */ event) => { if (event.relatedTarget instanceof Node && !element.contains(event.relatedTarget)) close(); },
    onclick: (/** @type {MouseEvent} */ event) => { if (event.target instanceof Element && event.target.closest("a")) close(); } },
  h("summary", { class: "button" }, icon("list"), t("console.menu")), menu(here));
  return element;
}
