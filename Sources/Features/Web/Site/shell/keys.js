// Keys of the whole page.
import { go, route } from "../kit/router.js";
import { chat } from "../chat/state.js";
import { openSessions } from "../chat/view.js";
import { openPalette } from "./palette.js";
import { openShortcuts } from "./shortcuts.js";

/** @param {EventTarget | null} target */
const isField = (target) => target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;

/** @type {Record<string, () => void>} */
export const commands = {
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

addEventListener("keydown", (event) => {
  if (event.isComposing || event.defaultPrevented) return;
  const hasCommand = event.ctrlKey || event.metaKey;
  if (hasCommand && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "k") {
    event.preventDefault();
    openPalette(commands);
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
