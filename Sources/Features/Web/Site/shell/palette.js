// One box to find anything, on Ctrl or Command K: commands, places and chats at once; notes, books, threads, goals and pages of the
// console as they come.
import { call, mayAdminister, mayRead } from "../net/api.js";
import { h } from "../kit/dom.js";
import { address, go } from "../kit/router.js";
import { fits, openList } from "../kit/sheet.js";
import { effect, signal } from "../kit/signal.js";
import { t } from "../kit/words.js";
import { chat } from "../chat/state.js";

/** @typedef {import("../kit/sheet.js").Choice} Choice */

/** So long, in ms, a word may rest before notes are asked for it. */
const rest = 150;
const most = 6;

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
  openList(t("palette"), t("palette.hint"), (query) => {
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
    return {
      rows: () => {
        const text = query.value.trim();
        const chats = [...chat.sessions.values()].map((one) => place("chats", one.title, address("chat", one.id)));
        const all = [...[...local, ...chats, ...listed.value].filter(fits(text)), ...searched.value];
        const found = Object.keys(names).flatMap((group) => all.filter((one) => one.group === group).slice(0, group === "commands" || group === "places" ? undefined : most));
        return text && mayRead() ? [...found, place("all", t("palette.all", { query: text }), address("notes", null, { q: text }))] : found;
      },
      status: (count) => (count === 0 ? t("palette.none") : isLost.value ? t("palette.lost") : waiting.value > 0 ? t("state.searching") : ""),
      names, foot: h("p", { class: "hint pad only-wide" }, t("palette.keys", { keys: key })),
    };
  });
}
