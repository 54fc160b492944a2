// What was changed, by whom and why, with the button that undoes it. Changes of one turn stand together.
import { call } from "../net/api.js";
import { paged, query, source } from "../net/source.js";
import { h } from "../kit/dom.js";
import { address, go, route } from "../kit/router.js";
import { computed } from "../kit/signal.js";
import { ago, exact, t } from "../kit/words.js";
import { undo } from "./data.js";
import { goalAddress } from "./rows.js";

/** Tables whose rows have a name; the others belong to them. */
const mains = ["goals", "actions", "personal_values", "terms", "values"];
const tables = ["goals", "actions", "values", "terms", "measures"];
const longest = 120;
const mostFields = 12;

/**
 * A stored value as text; NULL and an absent value differ.
 * @param {any} value
 */
export function shown(value) {
  if (value === undefined) return "";
  if (value === null) return "NULL";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/**
 * Changes in a row that belong to one turn.
 * @param {any[]} changes
 */
export function turns(changes) {
  /** @type {any[][]} */
  const found = [];
  for (const one of changes) {
    const last = found[found.length - 1];
    if (one.turn && last?.[0].turn === one.turn) last.push(one);
    else found.push([one]);
  }
  return found;
}

/** @param {string} name of a table, as stored */
function tableName(name) {
  const key = `table.of.${name}`;
  return t(key) === key ? name.replaceAll("_", " ") : t(key);
}

/** @param {any} change */
function title({ fields }) {
  const field = fields.find((/** @type {any} */ one) => ["title", "friendly_name", "theme"].includes(one.column));
  return field?.new ?? field?.old ?? "";
}

/** @param {any} change @param {Map<string, string>} names */
const changeRow = (change, names) => {
  const name = names.get(change.row) ?? title(change);
  const what = change.table === "goals" && change.operation !== "delete" ? h("a", { href: goalAddress(change.row), dir: "auto" }, name || t("untitled")) : h("span", { dir: "auto" }, name);
  return h("li", {}, h("p", {}, t(`change.${change.operation}`), " ", tableName(change.table), name ? [": ", what] : null),
    change.fields.length > 0 ? h("details", { class: "why" }, h("summary", {}, t("history.fields", { n: change.fields.length })), h("dl", { class: "facts" }, change.fields.slice(0, mostFields).map((/** @type {any} */ one) => [h("dt", {}, one.column),
      h("dd", { dir: "auto" }, one.old !== undefined ? h("del", {}, shown(one.old)) : null, " ", one.new !== undefined ? h("ins", {}, shown(one.new)) : null)])),
      change.table === "goals" && change.operation !== "delete" ? h("a", { class: "quiet", href: goalAddress(change.row, change.at.slice(0, 10), change.number) }, t("history.then")) : null) : null);
};

/** @param {any[]} turn @param {Map<string, string>} names */
const turnRow = (turn, names) => {
  const [last] = turn;
  const main = turn.find((one) => mains.includes(one.table)) ?? last;
  const who = [last.actor ?? t("history.elsewhere"), last.reason].filter(Boolean).join(": ");
  return h("li", { class: "turn-of" }, h("div", { class: "goal-head" }, h("p", { class: "hint" }, h("time", { datetime: last.at, title: exact(last.at) }, ago(last.at)), ` · ${who}`),
    last.operation === "found" ? null : h("button", { class: "quiet", type: "button", "data-key": `undo-${last.number}`, "aria-label": t("history.undo", { what: `${t(`change.${main.operation}`)} ${tableName(main.table)} ${title(main)}`.trim() }), onclick: () => void undo(last.turn ? { turn: last.turn } : { change: last.number }) }, t("undo"))),
  h("ul", { class: "plain" }, turn.map((one) => changeRow(one, names))));
};

/** The view. The address says of which table or row. */
export function history() {
  const wish = computed(() => { const { view, query: asked } = route.value; return view === "goals" ? JSON.stringify({ table: asked.get("table") ?? "", id: asked.get("id") ?? "" }) : "{}"; });
  const { view, more } = paged("changes", (cursor) => `api/goals/history?${query({ ...JSON.parse(wish.value), limit: 50, cursor })}`);
  const names = source(() => call("GET", "api/goals?limit=200").then((page) => new Map(page.goals.map((/** @type {any} */ one) => [one.id, one.title])), () => new Map()));
  const table = h("select", { class: "input", id: "history-table", value: () => JSON.parse(wish.value).table, onchange: () => go(address("goals", "history", table.value ? { table: table.value } : {}), { replace: true }) },
    h("option", { value: "" }, t("history.all")), tables.map((name) => h("option", { value: name }, tableName(name))));
  const one = () => JSON.parse(wish.value).id;
  return [h("div", { class: "row filters" }, h("label", { class: "label", for: "history-table" }, t("history.table")), table, () => (one() ? [h("span", { class: "hint" }, t("history.one")), h("a", { class: "quiet", href: "#/goals/history" }, t("history.all"))] : null)),
    view((now) => (now.changes.length === 0 ? h("p", { class: "blank" }, t("history.none")) : h("ul", { class: "rows", role: "list" }, turns(now.changes).map((turn) => turnRow(turn, names.found.value ?? new Map()))))), more];
}
