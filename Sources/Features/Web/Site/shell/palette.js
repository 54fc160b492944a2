// The palette on Ctrl or Command K: commands and sessions, by typing.
import { h } from "../kit/dom.js";
import { address, go } from "../kit/router.js";
import { sheet } from "../kit/sheet.js";
import { computed, effect, scope, signal } from "../kit/signal.js";
import { t } from "../kit/words.js";
import { chat } from "../chat/state.js";
import { withCommand } from "./shortcuts.js";

let isOpen = false;

/** @param {Record<string, () => void>} commands */
export function openPalette(commands) {
  if (isOpen) return;
  isOpen = true;
  const query = signal("");
  const place = signal(0);
  const all = [
    ...[["new", `${t("key.alt")} N`], ["composer", "/"], ["sessions", `${t("key.alt")} S`], ["shortcuts", "?"]].map(([name, keys]) => ({
      id: name, label: t(`command.${name}`), keys, run: commands[name] })),
    { id: "capture", label: t("capture"), keys: `${t("key.alt")} C`, run: commands.capture },
    ...["today", "notes", "books", "threads", "goals", "settings"].map((name) => ({ id: name, label: t(`nav.${name === "settings" ? "you" : name}`), keys: "", run: () => go(address(name)) })),
    ...(chat.busy.peek() ? [{ id: "stop", label: t("stop"), keys: `${t("key.alt")} .`, run: commands.stop }] : []),
    ...[...chat.sessions.values()].map((one) => ({ id: `s-${one.id}`, label: one.title || t("untitled"), keys: "", run: () => go(address("chat", one.id)) })),
  ];
  const end = scope(() => {
    const found = computed(() => {
      const words = query.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
      return all.filter((one) => words.every((word) => one.label.toLocaleLowerCase().includes(word))).slice(0, 30);
    });
    const run = (/** @type {any} */ one) => { close(); queueMicrotask(() => one.run()); };
    const input = h("input", { class: "input", role: "combobox", "aria-expanded": "true", "aria-controls": "palette-list", "aria-autocomplete": "list",
      "aria-label": t("palette"), placeholder: t("palette.hint"), autocomplete: "off", "aria-activedescendant": () => (found.value.length ? `palette-${place.value}` : null),
      oninput: () => { query.value = input.value; place.value = 0; },
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step) {
          event.preventDefault();
          place.value = (place.peek() + step + found.peek().length) % Math.max(1, found.peek().length);
        } else if (event.key === "Enter") {
          event.preventDefault();
          const one = found.peek()[place.peek()];
          if (one) run(one);
        }
      } });
    const list = h("div", { id: "palette-list", role: "listbox", "aria-label": t("palette"), class: "palette-list" },
      () => found.value.map((one, index) => h("div", { class: "choice", role: "option", id: `palette-${index}`, "aria-selected": () => String(place.value === index),
        onclick: () => run(one) }, h("span", {}, one.label), one.keys ? h("kbd", {}, one.keys) : null)));
    effect(() => { const now = place.value; queueMicrotask(() => list.querySelector(`#palette-${now}`)?.scrollIntoView({ block: "nearest" })); });
    content = [input, list, () => (found.value.length === 0 ? h("p", { class: "hint pad", role: "status" }, t("palette.none")) : null),
      h("p", { class: "hint pad only-wide" }, t("palette.keys", { keys: withCommand("K") }))];
    content = h("div", { class: "stack" }, content);
  });
  const close = sheet(t("palette"), content, { class: "palette", hasHead: false, onclose: () => { isOpen = false; end(); } });
}

/** @type {any} */
let content = null;
