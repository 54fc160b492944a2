// The chat's view: head, conversation, composer, passages beside it. What is heavy is loaded when it is needed.
import { define, fill, h, icon } from "../kit/dom.js";
import { computed, effect, signal } from "../kit/signal.js";
import { route } from "../kit/router.js";
import { t } from "../kit/words.js";
import { reachable } from "../net/api.js";
import "./composer.js";

/** What the parts of the chat share. */
export const chat = {
  /**
   * The session on the page; null is a new one.
   * @type {import("../kit/signal.js").Signal<string | null>}
   */
  session: signal(/** @type {any} */ (route.peek().id)),
  /** Its title. */
  title: signal(""),
  /**
   * The run that is writing in this session.
   * @type {import("../kit/signal.js").Signal<any>}
   */
  busy: signal(/** @type {any} */ (null)),
  /**
   * The passages that are shown: a run and a number.
   * @type {import("../kit/signal.js").Signal<{ run: any, number: number, at: number } | null>}
   */
  passages: signal(/** @type {any} */ (null)),
  /** Whether the conversation shows why something failed. */
  hasProblem: signal(false),
  /** Rises when the list of sessions may have changed. */
  listed: signal(0),
  /**
   * The sessions that are known, by id.
   * @type {Map<string, any>}
   */
  sessions: new Map(),
};

/** Opens the list of sessions as a sheet. */
export async function openSessions() {
  const { sheet } = await import("../kit/sheet.js");
  await import("./sessions.js");
  const close = sheet(t("sessions"), h("selene-sessions", { ".onchoose": () => close() }));
}

define("selene-chat", (element) => {
  element.className = "chat";
  const isEmpty = signal(chat.session.peek() === null);
  const place = h("div", { class: "talk-place" });
  const composer = h("selene-composer", {
    ".session": chat.session, ".busy": computed(() => chat.busy.value !== null), ".send": send, ".stop": () => chat.busy.peek()?.stop(),
  });
  const panel = h("div", { class: "panel-place" });
  let conversation = /** @type {any} */ (null);

  /** The element that shows the conversation; loads its code at the first use. */
  async function talk() {
    if (conversation) return conversation;
    await import("./conversation.js");
    conversation ??= h("selene-conversation", { ".composer": composer });
    return conversation;
  }

  /** @param {string} question */
  async function send(question) {
    const view = await talk().catch(() => null);
    if (!view) {
      reachable.value = false;
      return false;
    }
    isEmpty.value = false;
    await new Promise((resolve) => { requestAnimationFrame(resolve); setTimeout(resolve, 50); });
    const isTaken = await view.ask(question);
    if (!isTaken && view.isBlank?.()) isEmpty.value = true;
    return isTaken;
  }

  /** @param {string} text */
  const suggest = (text) => h("li", {}, h("button", { class: "button", type: "button", onclick: () => composer.put(text) }, text));
  const welcome = () => h("div", { class: "blank welcome" }, h("h2", {}, t("welcome")), h("p", {}, t("welcome.text")),
    h("ul", { class: "suggestions", role: "list" }, [1, 2, 3].map((n) => suggest(t(`suggest.${n}`)))), h("a", { class: "quiet", href: "#/briefing" }, t("briefing.open")));

  effect(() => {
    const { view, id } = route.value;
    if (view !== "chat" || id === chat.session.peek()) return;
    chat.passages.value = null;
    chat.title.value = chat.sessions.get(id ?? "")?.title ?? "";
    chat.session.value = id;
    isEmpty.value = id === null;
  });
  effect(() => {
    if (isEmpty.value) {
      conversation = null;
      chat.busy.value = null;
      fill(place, welcome());
      if (matchMedia("(pointer: fine)").matches) composer.focusText?.();
    } else void talk().then((view) => { if (!isEmpty.peek() && view.parentNode !== place) place.replaceChildren(view); }, () => { reachable.value = false; });
  });
  effect(() => {
    if (chat.passages.value) void import("./passages.js").then((module) => { if (!panel.firstChild) module.panel(panel); }, () => { reachable.value = false; });
  });
  effect(() => { document.title = chat.title.value ? `${chat.title.value} – Selene` : "Selene"; });

  fill(element, h("div", { class: "chat-main" },
    h("header", { class: "view-head" },
      h("button", { class: "quiet only-narrow", type: "button", onclick: () => void openSessions(), "aria-haspopup": "dialog" }, icon("list"), t("sessions.short")),
      h("h1", {}, () => chat.title.value || (chat.session.value === null ? t("chat.new") : t(chat.hasProblem.value ? "conversation" : "untitled"))),
      () => (chat.session.value === null ? null : h("a", { class: "quiet only-narrow", href: "#/chat" }, icon("plus"), t("new")))),
    place, () => (reachable.value || chat.hasProblem.value ? null : h("div", { class: "unreachable" }, h("div", { class: "notice warn", role: "status" }, h("p", {}, t("offline")),
      h("button", { class: "quiet", type: "button", onclick: () => { chat.listed.value += 1; } }, t("retry"))))), composer), panel);
  if (matchMedia("(pointer: fine)").matches && isEmpty.peek()) composer.focusText?.();
});
