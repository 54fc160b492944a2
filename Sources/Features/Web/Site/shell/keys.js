// Keys of the whole page, and the list of them, on "?".
import { h } from "../kit/dom.js";
import { go, route } from "../kit/router.js";
import { sheet } from "../kit/sheet.js";
import { t } from "../kit/words.js";
import { chat } from "../chat/state.js";
import { openSessions } from "../chat/view.js";
import { openPalette } from "./palette.js";

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);
/**
 * The words for Ctrl or Command with a key.
 * @param {string} key
 */
const withCommand = (key) => (isApple ? `⌘ ${key}` : `${t("key.ctrl")} ${key}`);

export function openShortcuts() {
  const rows = [
    [t("keys.palette"), withCommand("K")], [t("keys.new"), `${t("key.alt")} N`], [t("keys.search"), `${t("key.alt")} S`], [t("keys.composer"), "/"], [t("keys.capture"), `${t("key.alt")} C`],
    [t("keys.send"), "Enter"], [t("keys.line"), `${t("key.shift")} Enter`], [t("keys.stop"), `${t("key.alt")} .`], [t("keys.close"), "Esc"], [t("keys.pages"), "← →"], [t("keys.book"), "C, F"], [t("keys.list"), "?"],
  ];
  sheet(t("shortcuts"), h("dl", { class: "keys" }, rows.map(([what, keys]) => [h("dt", {}, what), h("dd", {}, h("kbd", {}, keys))])));
}

/** @param {EventTarget | null} target */
const isField = (target) => target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;

/** @type {Record<string, () => void>} */
const commands = {
  new: () => { go("#/chat"); requestAnimationFrame(() => document.getElementById("question")?.focus()); },
  composer: () => { if (route.peek().view !== "chat") go("#/chat"); requestAnimationFrame(() => document.getElementById("question")?.focus()); },
  sessions: () => {
    const field = /** @type {any} */ (document.querySelector(".side-list #session-search, .side-list a"));
    if (field?.checkVisibility?.()) field.focus();
    else void openSessions();
  },
  capture: () => go("#/capture"),
  stop: () => void chat.busy.peek()?.stop(),
  settings: () => go("#/settings"),
  shortcuts: openShortcuts,
};

/** Opens the box that finds anything. */
export const find = () => openPalette(commands, withCommand("K"));

addEventListener("keydown", (event) => {
  if (event.isComposing || event.defaultPrevented) return;
  const hasCommand = event.ctrlKey || event.metaKey;
  if (hasCommand && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "k") {
    event.preventDefault();
    find();
    return;
  }
  if (document.querySelector("dialog[open]")) return;
  const name = event.altKey && !hasCommand ? { KeyN: "new", KeyS: "sessions", KeyC: "capture", Period: "stop" }[event.code] : null;
  const plain = !hasCommand && !event.altKey && !isField(event.target) ? { "?": "shortcuts", "/": "composer" }[event.key] : null;
  const command = commands[name ?? plain ?? ""];
  if (!command) return;
  event.preventDefault();
  command();
});
