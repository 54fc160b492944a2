// The list of sessions: search, pin, rename, delete with undo. Pinned ones are first, then the latest.
import { ApiError, call } from "../net/api.js";
import { forget, keptRows } from "../net/base.js";
import { define, each, fill, h, icon } from "../kit/dom.js";
import { computed, effect, signal, untracked } from "../kit/signal.js";
import { address, go, route } from "../kit/router.js";
import { sheet } from "../kit/sheet.js";
import { toast } from "../kit/toast.js";
import { ago, exact, t } from "../kit/words.js";
import { chat } from "./state.js";

const pageSize = 100;
const undoTime = 6000;

/** @type {import("../kit/signal.js").Signal<any[]>} */
const sessions = signal(/** @type {any[]} */ ([]));
/**
 * Deleted on the page, not yet on the gateway.
 * @type {Map<string, () => void>}
 */
const leaving = new Map();
/** @type {import("../kit/signal.js").Signal<any>} */
const state = signal(/** @type {any} */ ("loading"));
/** Whether the list is what this browser keeps. */
const isKept = signal(false);
const next = signal(/** @type {string | null} */ (null));

/** @param {boolean} [more] */
async function load(more = false) {
  try {
    const page = await call("GET", `api/sessions?limit=${pageSize}${more && next.peek() ? `&cursor=${encodeURIComponent(next.peek() ?? "")}` : ""}`);
    const old = more ? sessions.peek() : [];
    const rows = page.sessions.filter((/** @type {any} */ one) => !leaving.has(one.id) && !old.some((had) => had.id === one.id));
    for (const one of rows) chat.sessions.set(one.id, one);
    sessions.value = [...old, ...rows];
    next.value = page.next_cursor ?? null;
    state.value = "ready";
    isKept.value = false;
    const title = chat.sessions.get(chat.session.peek() ?? "")?.title;
    if (title) chat.title.value = title;
  } catch (/** @type {any} */ error) {
    if (sessions.peek().length > 0) return;
    const rows = error?.status === 0 ? await keptRows("session") : [];
    for (const { data } of rows) chat.sessions.set(data.session.id, data.session);
    sessions.value = rows.map((row) => ({ updated_at: new Date(row.at).toISOString(), ...row.data.session }));
    isKept.value = rows.length > 0;
    state.value = isKept.peek() ? "ready" : error;
  }
}

/** @param {string} id @param {any} change */
function change(id, change) {
  sessions.value = sessions.peek().map((one) => (one.id === id ? { ...one, ...change } : one));
  chat.sessions.set(id, { ...chat.sessions.get(id), ...change });
}

/**
 * Does a change here at once and takes it back if the gateway refuses.
 * @param {any} session @param {any} fresh @param {() => Promise<any>} act
 */
async function optimistic(session, fresh, act) {
  change(session.id, fresh);
  try {
    await act();
  } catch (error) {
    change(session.id, session);
    toast(error instanceof ApiError && error.message ? error.message : t("offline"));
  }
}

/** @param {any} session */
const path = (session) => `api/sessions/${encodeURIComponent(session.id)}`;

/** @param {any} session */
function pin(session) {
  const isPinned = !isPinnedNow(session);
  void optimistic(session, { is_pinned: isPinned }, () => call("PATCH", `${path(session)}/pin`, { isPinned }));
}

/** @param {any} session @param {string} title */
function rename(session, title) {
  if (title && title !== session.title) {
    void optimistic(session, { title }, () => call("PUT", path(session), { title }));
    if (chat.session.peek() === session.id) chat.title.value = title;
  }
}

/**
 * Takes a session from the list; the gateway deletes it when the time to undo is over.
 * @param {any} session
 */
function remove(session) {
  const place = sessions.peek().indexOf(session);
  const before = sessions.peek();
  sessions.value = before.filter((one) => one.id !== session.id);
  chat.sessions.delete(session.id);
  if (chat.session.peek() === session.id) go("#/chat");
  let isUndone = false;
  const commit = () => {
    if (isUndone || !leaving.has(session.id)) return;
    clearTimeout(timer);
    void forget("session", session.id);
    call("DELETE", path(session), undefined, { keepalive: true }).then(() => leaving.delete(session.id), (error) => {
      leaving.delete(session.id);
      if (error.status === 404) return;
      sessions.value = [...sessions.peek(), session];
      toast(error.message || t("offline"));
    });
  };
  const timer = setTimeout(commit, undoTime);
  leaving.set(session.id, commit);
  toast(t("deleted", { title: session.title || t("untitled") }), { label: t("undo"), run: () => {
    isUndone = true;
    clearTimeout(timer);
    leaving.delete(session.id);
    const now = sessions.peek().slice();
    now.splice(Math.min(place, now.length), 0, session);
    chat.sessions.set(session.id, session);
    sessions.value = now;
  } }, undoTime);
}

addEventListener("pagehide", () => { for (const commit of leaving.values()) commit(); });

/** @param {any} session */
const isPinnedNow = (session) => session.is_pinned === true || session.is_pinned === 1;

/** Properties: `.onchoose` is called when a session was chosen. */
define("selene-sessions", (element) => {
  const query = signal("");
  const renamed = signal(/** @type {string | null} */ (null));
  const rows = computed(() => {
    const words = query.value.trim().toLocaleLowerCase();
    const found = words ? sessions.value.filter((one) => `${one.title ?? ""} ${one.summary_text ?? ""}`.toLocaleLowerCase().includes(words)) : sessions.value;
    return [...found.filter(isPinnedNow), ...found.filter((one) => !isPinnedNow(one))];
  });

  /** @param {() => any} item */
  function row(item) {
    const now = signal(item());
    const place = h("li", { class: "session", onupdate: () => { now.value = item(); } });
    const menu = () => openMenu(now.peek(), isPinnedNow(now.peek()), {
      pin: () => pin(now.peek()), rename: () => { renamed.value = now.peek().id; }, remove: () => remove(now.peek()) });
    const field = () => {
      const input = h("input", { class: "input", "aria-label": t("rename.label"), value: now.peek().title ?? "", maxlength: "200",
        onkeydown: (/** @type {KeyboardEvent} */ event) => {
          if (event.key === "Enter") done(true);
          if (event.key === "Escape") { event.stopPropagation(); event.preventDefault(); done(false); }
        }, onblur: () => done(true) });
      let isDone = false;
      const done = (/** @type {boolean} */ keeps) => {
        if (isDone) return;
        isDone = true;
        renamed.value = null;
        if (keeps) rename(now.peek(), input.value.trim());
        queueMicrotask(() => place.querySelector("a")?.focus());
      };
      requestAnimationFrame(() => { input.focus(); input.select(); });
      return input;
    };
    fill(place, () => (renamed.value === now.value.id ? field() : [
      h("a", { href: address("chat", now.value.id), "aria-current": () => (route.value.view === "chat" && route.value.id === now.value.id ? "page" : null),
        onclick: () => element.onchoose?.() },
      h("span", { class: "session-title", dir: "auto" }, isPinnedNow(now.value) ? [icon("pin"), h("span", { class: "unseen" }, t("pinned"), " ")] : null, now.value.title || t("untitled")),
      h("time", { class: "hint", datetime: now.value.updated_at, title: exact(now.value.updated_at) }, ago(now.value.updated_at))),
      h("button", { class: "quiet more", type: "button", "aria-haspopup": "dialog", "aria-label": t("actions.of", { title: now.value.title || t("untitled") }), onclick: menu }, icon("more"))]));
    return place;
  }

  fill(element,
    h("div", { class: "row spread sessions-head" }, h("a", { class: "button primary new", href: "#/chat", onclick: () => element.onchoose?.() }, icon("plus"), t("chat.new"))),
    () => (sessions.value.length > 5 || query.value ? h("div", { class: "field" }, h("label", { class: "unseen", for: "session-search" }, t("search.sessions")),
      h("input", { class: "input", id: "session-search", type: "search", placeholder: t("search.sessions"), value: query.peek(),
        oninput: (/** @type {any} */ event) => { query.value = event.target.value; if (next.peek()) void load(true); } })) : null),
    each("ul", { class: "sessions", role: "list", "aria-label": t("sessions") }, () => rows.value, (one) => one.id, row),
    () => (isKept.value ? h("div", { class: "notice warn", role: "status" }, h("p", {}, t("kept")), h("button", { class: "quiet", type: "button", onclick: () => { sessions.value = []; void load(); } }, t("retry"))) : null),
    () => (state.value === "loading" ? h("div", { class: "bones", role: "status", "aria-label": t("loading") }, Array.from({ length: 5 }, () => h("i"))) : null),
    () => (state.value instanceof Error ? h("div", { class: "notice bad" }, h("p", {}, state.value.message || t("offline")),
      h("button", { class: "quiet", type: "button", onclick: () => void load() }, t("retry"))) : null),
    () => (state.value === "ready" && sessions.value.length === 0 ? h("p", { class: "hint pad" }, t("sessions.none")) : null),
    () => (state.value === "ready" && sessions.value.length > 0 && rows.value.length === 0 ? h("p", { class: "hint pad", role: "status" }, t("sessions.unfound")) : null),
    () => (next.value ? h("button", { class: "quiet", type: "button", onclick: () => void load(true) }, t("more")) : null));
  effect(() => {
    void chat.listed.value;
    untracked(() => void load());
  });
});

/**
 * What one may do with a session, as a sheet.
 * @param {any} session @param {boolean} isPinned @param {{ pin: () => void, rename: () => void, remove: () => void }} acts
 */
function openMenu(session, isPinned, acts) {
  const choice = (/** @type {string} */ label, /** @type {() => void} */ run) => h("li", {}, h("button", { class: "choice", type: "button",
    onclick: () => { close(); queueMicrotask(run); } }, h("span", {}, label)));
  const close = sheet(session.title || t("untitled"), h("ul", { role: "list" }, choice(t(isPinned ? "unpin" : "pin"), acts.pin),
    choice(t("rename"), acts.rename), choice(t("delete"), acts.remove)));
}
