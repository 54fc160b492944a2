// You: what belongs to the person and the gateway, and settings of this browser: look, language, signed-in browsers, approving a device, signing out.
import { call, mayAdminister, mayRead, session } from "../net/api.js";
import { keptRows, transact } from "../net/base.js";
import { define, fill, h, icon } from "../kit/dom.js";
import { address } from "../kit/router.js";
import { effect, signal } from "../kit/signal.js";
import { ago, exact, language, onDay, t } from "../kit/words.js";
import { deviceName, inTime, lacks, wipe } from "../kit/local.js";
export { ready } from "../kit/library.js";

/** The key: what it may do, and its limits. */
function mine() {
  const { key } = session.peek() ?? {};
  if (!key) return null;
  const rows = [[t("mine.name"), key.name], [t("mine.scopes"), key.scopes.join(", ")], [t("mine.models"), key.models?.join(", ") || t("mine.any")],
    [t("mine.limits"), [key.requests_per_minute ? t("mine.rpm", { n: key.requests_per_minute }) : "", key.tokens_per_day ? t("mine.tpd", { n: key.tokens_per_day }) : ""].filter(Boolean).join(", ") || t("mine.unlimited")],
    [t("mine.ends"), key.expires_at ? exact(key.expires_at) : t("mine.never")]];
  return h("section", {}, h("h2", {}, t("mine")), h("dl", { class: "facts" }, rows.map(([name, value]) => [h("dt", {}, name), h("dd", { dir: "auto" }, value)])));
}

/** What was read and is kept: notes, chats and briefings, with when. */
function offline() {
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

/** @param {string} name @param {string} value */
function keep(name, value) { try { localStorage.setItem(name, value); } catch { /* storage is off */ } }

/** Ends the session on the gateway and forgets all that this browser keeps. */
export async function signOut() {
  // This browser must not get notifications of the key any longer. Without the module there is nothing to end.
  await inTime(import("../push/browser.js").then((module) => module.turnOff()).catch(() => {}));
  await call("DELETE", "web/session");
  await inTime(wipe());
  location.replace(location.pathname);
}

define("selene-settings", (element) => {
  element.className = "settings";
  const browsers = signal(/** @type {any} */ ("loading"));
  const problem = signal("");
  const load = () => call("GET", "web/sessions").then((found) => { browsers.value = found.sessions; }, (error) => { browsers.value = error; });
  document.title = `${t("nav.you")} – Selene`;
  const needsKey = () => session.value?.needs_key === true;

  async function leave() {
    const waits = (await import("../capture/outbox.js")).waiting.peek().length;
    if (waits > 0 && problem.peek() !== (problem.value = t("sign-out.waiting", { n: waits }))) return;
    try { await signOut(); } catch (error) { problem.value = /** @type {Error} */ (error).message || t("offline"); }
  }

  /** @param {any} one */
  async function revoke(one) {
    try {
      await call("DELETE", `web/sessions/${one.id}`);
      browsers.value = browsers.peek().filter((/** @type {any} */ other) => other !== one);
    } catch (error) { problem.value = /** @type {Error} */ (error).message || t("offline"); }
  }

  /** @param {any} one */
  const browser = (one) => h("li", { class: "row spread" }, h("div", {}, h("p", { title: one.user_agent || null }, deviceName(one.user_agent), one.is_this ? h("strong", {}, ` · ${t("this.browser")}`) : null),
    h("p", { class: "hint" }, one.name ? `${one.name} · ` : "", h("time", { datetime: one.last_used_at, title: exact(one.last_used_at) }, t("used", { when: ago(one.last_used_at) })))),
    one.is_this ? null : h("button", { class: "button", type: "button", onclick: () => void revoke(one) }, t("sign-out.other")));

  const link = (/** @type {string} */ view, /** @type {string} */ name) => h("li", {}, h("a", { class: "more-link", href: `#/${view}` }, t(name), icon("after")));
  const look = h("select", { class: "input", id: "theme", onchange: (/** @type {any} */ event) => {
    keep("selene.theme", event.target.value);
    document.documentElement.dataset.theme = event.target.value;
  } }, ["", "light", "dark"].map((one) => h("option", { value: one, selected: (document.documentElement.dataset.theme ?? "") === one }, t(`theme.${one || "system"}`))));
  const tongue = h("select", { class: "input", id: "language", onchange: (/** @type {any} */ event) => { keep("selene.language", event.target.value); location.reload(); } },
    [["en", "English"], ["de", "Deutsch"]].map(([value, name]) => h("option", { value, lang: value, selected: language === value }, name)));

  const code = h("input", { class: "input mono", id: "approve", autocomplete: "off", autocapitalize: "characters", placeholder: "ABCD-EFGH", maxlength: "9" });
  const details = signal(/** @type {any} */ (null));
  const clean = () => code.value.replace(/[^A-Za-z]/g, "").toUpperCase();
  async function look_up() {
    details.value = null;
    problem.value = "";
    try { details.value = await call("GET", `web/pairings/requests/${clean()}/details`); } catch (error) { problem.value = /** @type {Error} */ (error).message || t("offline"); }
  }
  async function approve() {
    try {
      await call("POST", `web/pairings/requests/${clean()}/approve`, { scopes: session.peek()?.key?.scopes ?? [] });
      details.value = "approved";
      code.value = "";
    } catch (error) { problem.value = /** @type {Error} */ (error).message || t("offline"); }
  }
  const device = () => h("section", {}, h("h2", {}, t("device.add")), h("p", { class: "hint" }, t("device.add.hint")),
    h("form", { class: "row", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); void look_up(); } },
      h("label", { class: "unseen", for: "approve" }, t("sign-in.code")), code, h("button", { class: "button", type: "submit" }, t("device.find"))),
    () => (details.value === "approved" ? h("p", { class: "notice", role: "status" }, t("device.approved"))
      : details.value ? h("div", { class: "notice" }, h("p", {}, h("strong", {}, details.value.name ?? ""), " ", details.value.address ?? "", details.value.created_at ? `, ${ago(details.value.created_at)}` : ""),
        h("button", { class: "button primary", type: "button", onclick: () => void approve() }, t("device.approve"))) : null));

  fill(element, h("header", { class: "view-head" }, h("h1", {}, t("nav.you"))), h("div", { class: "page" },
    () => (problem.value ? h("p", { class: "notice bad", role: "alert" }, problem.value) : null),
    lacks(),
    h("ul", { class: "rows more-links", role: "list" }, () => (mayRead() ? link("memories", "memories") : null), link("notifications", "notifications"), () => (mayAdminister() ? link("console", "console") : null),
      h("li", {}, h("button", { class: "more-link", type: "button", onclick: () => void import("../shell/keys.js").then((module) => module.openShortcuts()) }, t("shortcuts")))),
    h("section", { class: "stack" }, h("h2", {}, t("look")), h("div", { class: "pair" },
      h("div", { class: "field" }, h("label", { for: "theme" }, t("theme")), look),
      h("div", { class: "field" }, h("label", { for: "language" }, t("language")), tongue))),
    mine(), offline(),
    () => (!needsKey() ? h("section", {}, h("h2", {}, t("access")), h("p", { class: "hint" }, t("keyless"))) : [
      h("section", {}, h("h2", {}, t("browsers")),
        () => (browsers.value === "loading" ? h("div", { class: "bones" }, h("i"), h("i")) : browsers.value instanceof Error
          ? h("div", { class: "notice bad" }, h("p", {}, browsers.value.message || t("offline")), h("button", { class: "quiet", type: "button", onclick: () => void load() }, t("retry")))
          : h("ul", { class: "rows", role: "list" }, browsers.value.map(browser)))),
      device(),
      h("section", {}, h("h2", {}, t("sign-out")), h("p", { class: "hint" }, t("sign-out.hint")),
        h("button", { class: "button danger", type: "button", onclick: () => void leave() }, t("sign-out")))])));
  effect(() => { if (needsKey()) void load(); });
});
