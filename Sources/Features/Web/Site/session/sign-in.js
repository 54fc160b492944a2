// The sign-in page: a key, a pairing code, or a code of this device that a signed-in one approves.
import { ApiError, call, session } from "../net/api.js";
import { define, fill, h } from "../kit/dom.js";
import { effect, signal } from "../kit/signal.js";
import { t } from "../kit/words.js";
import { deviceName, lacks } from "../kit/local.js";

const letters = /[^A-Za-z]/g;

/** @param {any} error */
function words(error) {
  if (!(error instanceof ApiError)) return String(error?.message ?? error);
  if (error.status === 0) return t("offline");
  if (error.status === 401 || error.status === 404) return t("sign-in.wrong");
  if (error.status === 429) return t("sign-in.many", { n: error.wait || 60 });
  return error.message;
}

define("selene-sign-in", (element) => {
  const kind = signal(location.hash.startsWith("#pair=") ? "code" : "key");
  const problem = signal("");
  const busy = signal(false);
  const waiting = signal(/** @type {{ code: string, expires_at: string } | null} */ (null));
  const input = h("input", { class: "input mono", id: "secret", autocapitalize: "characters", autocomplete: "off", spellcheck: "false",
    "aria-describedby": "secret-hint", "aria-invalid": () => (problem.value ? "true" : null), oninput: () => { problem.value = ""; } });
  const linked = /^#pair=([A-Za-z-]+)/.exec(location.hash)?.[1];
  if (linked) {
    input.value = linked;
    // The code leaves the address bar and the history at once.
    history.replaceState(null, "", location.pathname + location.search);
  }
  effect(() => {
    const isKey = kind.value === "key";
    input.type = isKey ? "password" : "text";
    input.setAttribute("autocomplete", isKey ? "current-password" : "one-time-code");
    input.setAttribute("placeholder", isKey ? "slk_…" : "ABCD-EFGH");
  });

  async function submit() {
    const value = input.value.trim();
    if (value === "" || busy.peek()) return;
    busy.value = true;
    problem.value = "";
    try {
      const body = kind.peek() === "key" ? { key: value } : { code: value.replace(letters, "").toUpperCase() };
      session.value = await call("POST", "web/session", body, { isSignIn: true });
      input.value = "";
    } catch (error) {
      problem.value = words(error);
      input.focus();
      input.select();
    } finally {
      busy.value = false;
    }
  }

  let isOver = false;
  effect(() => () => { isOver = true; });

  /** Shows a code of this device and waits until a signed-in one approves it. */
  async function ask() {
    problem.value = "";
    try {
      const request = await call("POST", "web/pairings/requests", { name: deviceName() }, { isSignIn: true });
      waiting.value = request;
      while (!isOver && waiting.peek() === request && Date.now() < Date.parse(request.expires_at)) {
        await new Promise((resolve) => setTimeout(resolve, 2000));
        const answer = await call("GET", `web/pairings/requests/${request.code}`, undefined, { headers: { "X-Selene-Poll": request.poll }, isSignIn: true });
        if (answer?.state !== "approved") continue;
        session.value = await call("POST", "web/session", { code: request.code, poll: request.poll }, { isSignIn: true });
        return;
      }
      if (waiting.peek() === request) problem.value = t("sign-in.expired");
    } catch (error) {
      problem.value = words(error);
    }
    waiting.value = null;
  }

  const form = () => h("form", { class: "stack", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); void submit(); } },
    h("div", { class: "field" }, h("label", { for: "secret" }, () => t(kind.value === "key" ? "sign-in.key" : "sign-in.code")), input,
      h("p", { class: "hint", id: "secret-hint" }, () => t(kind.value === "key" ? "sign-in.key.hint" : "sign-in.code.hint"))),
    () => (problem.value ? h("p", { class: "notice bad", role: "alert" }, problem.value) : null),
    h("button", { class: "button primary", type: "submit", disabled: () => busy.value }, t("sign-in")),
    h("button", { class: "quiet", type: "button", onclick: () => { kind.value = kind.peek() === "key" ? "code" : "key"; input.value = ""; problem.value = ""; input.focus(); } },
      () => t(kind.value === "key" ? "sign-in.with.code" : "sign-in.with.key")),
    h("button", { class: "quiet", type: "button", onclick: () => void ask() }, t("sign-in.device")));
  const wait = (/** @type {{ code: string }} */ request) => h("div", { class: "stack" }, h("p", {}, t("sign-in.approve")),
    h("p", { class: "code-shown", role: "status" }, `${request.code.slice(0, 4)}-${request.code.slice(4)}`), h("p", { class: "hint" }, t("sign-in.approve.hint")),
    h("button", { class: "button", type: "button", onclick: () => { waiting.value = null; } }, t("cancel")));

  fill(element, h("main", { class: "card stack", id: "main", tabindex: "-1" }, h("div", {}, h("h1", {}, "Selene"), h("p", { class: "hint" }, t("sign-in.text"))),
    () => (waiting.value ? wait(waiting.value) : form()), lacks()));
  input.focus();
  if (linked) void submit();
});
