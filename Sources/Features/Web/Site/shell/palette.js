// One box to find anything, on Ctrl or Command K: commands, places and chats at once; notes, books, threads, goals and pages of the
// console as they come.
import { call, mayAdminister, mayRead } from "../net/api.js";
import { h } from "../kit/dom.js";
import { address, go } from "../kit/router.js";
import { sheet } from "../kit/sheet.js";
import { computed, effect, scope, signal } from "../kit/signal.js";
import { t } from "../kit/words.js";
import { chat } from "../chat/state.js";

/** @typedef {{ group: string, label: string, to: string, more?: string, keys?: string, run: () => void }} Choice */

/** So long, in ms, a word may rest before notes are asked for it. */
const rest = 150;
const most = 6;
let isOpen = false;
/** @type {any} */
let content = null;

/** @param {string} text */
const wordsOf = (text) => text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
/** @param {string} group @param {string} label @param {string} to @returns {Choice} */
const place = (group, label, to, more = "") => ({ group, label: label || t("untitled"), to, more, run: () => go(to) });
/** @param {string} text a piece of a note, without marks */
const plain = (text) => text.replace(/[#*_`>|[\]\s]+/g, " ").trim();

/** What is asked for once, when something is typed. */
const lists = [
  () => call("GET", "api/sessions?limit=100").then(({ sessions }) => { for (const one of sessions) chat.sessions.set(one.id, one); return []; }),
  () => call("GET", "api/threads?limit=100").then(({ threads }) => threads.map((/** @type {any} */ one) => place("threads", one.name, `#/threads/${one.id}`))),
];
const pages = () => import("../console/menu.js").then(({ pages }) => pages()).then((all) => all.map(([label, to]) => place("console", label, to)));

/**
 * What a search finds on the gateway.
 * @param {string} text @param {AbortSignal} signal @returns {Promise<Choice[]>[]}
 */
const searches = (text, signal) => [
  call("POST", "api/notes/retrieve", { query: text, mode: "keyword", limit: most, snippet: true, content: false }, { signal })
    .then(({ results }) => results.map((/** @type {any} */ one) => place("notes", one.title, `#/notes/${one.id}`, plain(one.snippet ?? "")))),
  call("GET", `api/books?limit=${most}&q=${encodeURIComponent(text)}`, undefined, { signal })
    .then(({ books }) => books.map((/** @type {any} */ one) => place("books", one.title, `#/books/${one.id}`))),
  call("GET", `api/goals?limit=${most}&q=${encodeURIComponent(text)}`, undefined, { signal })
    .then(({ goals }) => goals.map((/** @type {any} */ one) => place("goals", one.title, `#/goals/g/${encodeURIComponent(one.id)}`))),
];

/** @param {Record<string, () => void>} commands @param {string} key that opens it */
export function openPalette(commands, key) {
  if (isOpen) return;
  isOpen = true;
  const query = signal("");
  /** The row that was chosen by arrows; the first one while none was. */
  const chosen = signal(/** @type {Choice | null} */ (null));
  const listed = signal(/** @type {Choice[]} */ ([]));
  const searched = signal(/** @type {Choice[]} */ ([]));
  /** How many answers are on their way, and whether one did not come. */
  const [waiting, isLost] = [signal(0), signal(false)];
  /** The groups in their order. */
  const names = /** @type {Record<string, string>} */ ({ commands: t("palette.commands"), places: t("palette.places"), chats: t("sessions"), ...Object.fromEntries(["notes", "books", "threads", "goals"].map((one) => [one, t(`nav.${one}`)])), console: t("console") });
  const keys = (/** @type {string} */ key) => `${t("key.alt")} ${key}`;
  const named = (/** @type {string} */ name, /** @type {string} */ label, /** @type {string} */ pressed) => ({ group: "commands", label, to: name, keys: pressed, run: commands[name] });
  const local = [named("new", t("command.new"), keys("N")), named("composer", t("command.composer"), "/"), named("capture", t("capture"), keys("C")), named("sessions", t("command.sessions"), keys("S")), named("shortcuts", t("command.shortcuts"), "?"),
    ...(chat.busy.peek() ? [named("stop", t("stop"), keys("."))] : []),
    ...(mayRead() ? ["today", "notes", "books", "threads", "goals", "memories"] : []).map((one) => place("places", t(one === "memories" ? one : `nav.${one}`), address(one))), place("places", t("notifications"), "#/notifications"), place("places", t("nav.you"), "#/settings")];
  /** @param {Promise<Choice[]>} ask @param {(rows: Choice[]) => void} take */
  const take = async (ask, take) => {
    waiting.value = waiting.peek() + 1;
    try { take(await ask); } catch (error) { if (!(/** @type {any} */ (error).status < 500) || /** @type {any} */ (error).status === 0) isLost.value = /** @type {any} */ (error).name !== "AbortError"; }
    waiting.value = waiting.peek() - 1;
  };
  const end = scope(() => {
    const left = new Set([...(mayRead() ? lists : []), ...(mayAdminister() ? [pages] : [])]);
    effect(() => {
      const text = query.value.trim();
      searched.value = [];
      if (!text) return undefined;
      isLost.value = false;
      // What did not come is asked for again with the next letter.
      for (const ask of left) {
        left.delete(ask);
        void take(ask().catch((error) => { left.add(ask); throw error; }), (rows) => { listed.value = [...listed.peek(), ...rows]; });
      }
      if (!mayRead()) return undefined;
      const stop = new AbortController();
      const timer = setTimeout(() => { for (const ask of searches(text, stop.signal)) void take(ask, (rows) => { if (!stop.signal.aborted) searched.value = [...searched.peek(), ...rows]; }); }, rest);
      return () => { clearTimeout(timer); stop.abort(); };
    });
    const rows = computed(() => {
      const words = wordsOf(query.value);
      const chats = [...chat.sessions.values()].map((one) => place("chats", one.title, address("chat", one.id)));
      const fits = [...local, ...chats, ...listed.value].filter(({ label }) => words.every((word) => label.toLocaleLowerCase().includes(word)));
      const found = Object.keys(names).flatMap((group) => [...fits, ...searched.value].filter((one) => one.group === group).slice(0, group === "commands" || group === "places" ? undefined : most));
      return words.length > 0 && mayRead() ? [...found, place("all", t("palette.all", { query: query.value.trim() }), address("notes", null, { q: query.value.trim() }))] : found;
    });
    const at = computed(() => Math.max(0, rows.value.findIndex((one) => one.to === chosen.value?.to && one.group === chosen.value.group)));
    const run = (/** @type {Choice} */ one) => { close(); queueMicrotask(one.run); };
    const input = h("input", { class: "input", role: "combobox", "aria-expanded": "true", "aria-controls": "palette-list", "aria-autocomplete": "list",
      "aria-label": t("palette"), placeholder: t("palette.hint"), autocomplete: "off", autofocus: true, enterkeyhint: "go", "aria-activedescendant": () => (rows.value.length ? `palette-${at.value}` : null),
      oninput: () => { query.value = input.value; chosen.value = null; },
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        const now = rows.peek();
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (!step && event.key !== "Enter" || event.isComposing || now.length === 0) return;
        event.preventDefault();
        if (step) chosen.value = now[(at.peek() + step + now.length) % now.length];
        else run(now[at.peek()]);
      } });
    const option = (/** @type {Choice} */ one, /** @type {number} */ index) => h("div", { class: "choice", role: "option", id: `palette-${index}`, "aria-selected": () => String(at.value === index), onclick: () => run(one) },
      h("span", { dir: "auto" }, one.label, one.more ? h("span", { class: "hint" }, ` ${one.more}`) : null), one.keys ? h("kbd", {}, one.keys) : null);
    const list = h("div", { id: "palette-list", role: "listbox", "aria-label": t("palette"), class: "palette-list" }, () => {
      const now = rows.value;
      return [...new Set(now.map(({ group }) => group))].map((group) => {
        const options = now.map((one, index) => (one.group === group ? option(one, index) : null));
        return group === "all" ? options : h("div", { role: "group", "aria-label": names[group] }, h("p", { class: "label", "aria-hidden": "true" }, names[group]), options);
      });
    });
    effect(() => { const now = at.value; queueMicrotask(() => list.querySelector(`#palette-${now}`)?.scrollIntoView({ block: "nearest" })); });
    content = h("div", { class: "stack" }, h("div", { class: "row" }, input, h("button", { class: "quiet only-narrow", type: "button", onclick: () => close() }, t("close"))), list,
      h("p", { class: "hint pad", role: "status" }, () => (rows.value.length === 0 ? t("palette.none") : isLost.value ? t("palette.lost") : waiting.value > 0 ? t("state.searching") : "")),
      h("p", { class: "hint pad only-wide" }, t("palette.keys", { keys: key })));
  });
  const close = sheet(t("palette"), content, { class: "palette", hasHead: false, onclose: () => { isOpen = false; end(); } });
}
