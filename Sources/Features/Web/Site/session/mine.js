// What the settings say of the key that is signed in, and of what this browser keeps for the time without the gateway.
import { session } from "../net/api.js";
import { keptRows, transact } from "../net/base.js";
import { h } from "../kit/dom.js";
import { ready } from "../kit/library.js";
import { address } from "../kit/router.js";
import { signal } from "../kit/signal.js";
import { ago, exact, onDay, t } from "../kit/words.js";

await ready;

/** The key: what it may do, and its limits. */
export function mine() {
  const { key } = session.peek() ?? {};
  if (!key) return null;
  const rows = [[t("mine.name"), key.name], [t("mine.scopes"), key.scopes.join(", ")], [t("mine.models"), key.models?.join(", ") || t("mine.any")],
    [t("mine.limits"), [key.requests_per_minute ? t("mine.rpm", { n: key.requests_per_minute }) : "", key.tokens_per_day ? t("mine.tpd", { n: key.tokens_per_day }) : ""].filter(Boolean).join(", ") || t("mine.unlimited")],
    [t("mine.ends"), key.expires_at ? exact(key.expires_at) : t("mine.never")]];
  return h("section", {}, h("h2", {}, t("mine")), h("dl", { class: "facts" }, rows.map(([name, value]) => [h("dt", {}, name), h("dd", { dir: "auto" }, value)])));
}

/** What was read and is kept: notes, chats and briefings, with when. */
export function offline() {
  const kept = signal(/** @type {Record<string, { at: number, data: any }[]>} */ ({}));
  const load = async () => {
    const [note, session, briefing] = await Promise.all(["note", "session", "briefing"].map(keptRows));
    kept.value = { note, session, briefing };
  };
  void load();
  const clear = async () => { await transact("read", "readwrite", (store) => store.clear()).catch(() => {}); await load(); };
  const links = /** @type {Record<string, (data: any) => [string, string]>} */ ({
    note: (one) => [address("notes", String(one.id)), one.title], session: ({ session: one }) => [address("chat", one?.id ?? ""), one?.title], briefing: (one) => [address("briefing", one.date), onDay(one.date)] });
  const list = (/** @type {string} */ kind) => {
    const rows = kept.value[kind] ?? [];
    return rows.length === 0 ? null : h("details", {}, h("summary", {}, t(`kept.${kind}`, { n: rows.length })), h("ul", { class: "rows", role: "list" }, rows.map(({ at, data }) => {
      const [href, title] = links[kind](data);
      return h("li", {}, h("a", { class: "item", href }, h("span", { dir: "auto" }, title || t("untitled")), h("time", { class: "hint", datetime: new Date(at).toISOString(), title: exact(at) }, ago(at))));
    })));
  };
  const count = () => Object.values(kept.value).reduce((sum, rows) => sum + rows.length, 0);
  return h("section", {}, h("h2", {}, t("kept.title")), h("p", { class: "hint" }, t("kept.hint")), () => Object.keys(kept.value).map(list),
    () => (count() > 0 ? h("button", { class: "button", type: "button", onclick: () => void clear() }, t("kept.clear")) : h("p", {}, t("kept.none"))));
}
