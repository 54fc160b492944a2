// One prompt asked of several models at once: the answers stand side by side and grow as they are written. Each is a run of the
// gateway in a chat of its own, so that leaving the page loses nothing.
import { call } from "../../net/api.js";
import { attempt, source } from "../../net/source.js";
import { h } from "../../kit/dom.js";
import { address } from "../../kit/router.js";
import { cleanup, effect, signal } from "../../kit/signal.js";
import { t } from "../../kit/words.js";
import { MarkdownView } from "../../text/render.js";
import { LiveRun, newRunID } from "../../chat/run.js";
import { decimal } from "../parts.js";

/** Answers side by side, at most. */
const most = 6;

/**
 * A model's answer.
 * @param {{ model: string, run: LiveRun, begun: number }} one
 */
function answer({ model, run, begun }) {
  const prose = h("div", { class: "prose", dir: "auto" });
  const view = new MarkdownView(prose, { isCited: false, isMaths: true, isBare: true, headings: 2, marks: [], cite: () => null });
  const first = signal(0);
  effect(() => {
    void run.grown.value;
    const { text } = run.reader.text;
    if (text && first.peek() === 0) first.value = Date.now() - begun;
    view.set(text, run.reader.end !== null);
  });
  cleanup(() => view.stop());
  const state = () => {
    void run.changed.value;
    const { reader } = run;
    if (run.refusal.value) return h("p", { class: "notice bad", role: "alert" }, run.refusal.value.message || t("error"));
    if (reader.end?.error) return h("p", { class: "is-bad", role: "alert" }, reader.end.error);
    const figures = [first.value ? t("prompt.first", { n: decimal(first.value / 1000) }) : null, reader.usage?.tokens_per_second ? t("prompt.speed", { n: decimal(reader.usage.tokens_per_second) }) : null].filter(Boolean).join(" · ");
    return h("p", { class: "hint", role: "status" }, reader.isWorking ? `${t(`state.${reader.state}`)}${reader.place ? ` · ${t("state.place", { n: reader.place })}` : ""}` : t(`run.${reader.state}`), figures ? ` · ${figures}` : "");
  };
  const end = () => { void run.changed.value; return run.reader.isWorking && run.isFollowed ? h("button", { class: "quiet", type: "button", "data-key": `stop-${run.id}`, "aria-label": `${t("stop")}: ${model}`, onclick: () => void attempt(() => run.stop()) }, t("stop"))
    : run.about.session ? h("a", { class: "cell-link", href: address("chat", run.about.session), "aria-label": `${t("prompt.chat")}: ${model}` }, t("prompt.chat")) : null; };
  return h("section", { class: "leg", "aria-label": model }, h("h3", { dir: "ltr" }, model), state, prose, end);
}

/**
 * The form with the prompt's values and the models, and the answers below.
 * @param {any} prompt
 */
export function trying(prompt) {
  const runs = signal(/** @type {{ model: string, run: LiveRun, begun: number }[]} */ ([]));
  const chosen = signal(/** @type {string[]} */ ([]));
  const isBusy = signal(false);
  const models = source(() => call("GET", "api/tags"));
  cleanup(() => { for (const { run } of runs.peek()) run.leave(); });
  const fields = prompt.variables.map((/** @type {any} */ one) => ({ ...one, input: h("input", { class: "input", id: `value-${one.name}`, value: one.default ?? "", dir: "auto", autocomplete: "off" }) }));
  const begin = (/** @type {any} */ rendered, /** @type {string} */ model) => attempt(async () => {
    const run = new LiveRun(newRunID(), { question: rendered.text, model });
    run.isNew = true;
    const begun = Date.now();
    const made = await call("POST", "api/chat/runs", { id: run.id, question: rendered.text, kind: rendered.chat, model, memories: false, ...(rendered.scope ? { scope: rendered.scope } : {}) });
    run.about = { ...run.about, session: made.session };
    runs.value = [...runs.peek(), { model, run, begun }];
    run.follow();
  });
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    void attempt(async () => {
      isBusy.value = true;
      try {
        for (const { run } of runs.peek()) run.leave();
        runs.value = [];
        const rendered = await call("POST", `api/prompts/${encodeURIComponent(prompt.id)}/render`, { values: Object.fromEntries(fields.filter((/** @type {any} */ one) => one.input.value !== "").map((/** @type {any} */ one) => [one.name, one.input.value])) });
        for (const model of chosen.peek()) await begin(rendered, model);
      } finally { isBusy.value = false; }
    });
  };
  const choose = (/** @type {string} */ name, /** @type {boolean} */ isOn) => { const others = chosen.peek().filter((one) => one !== name); chosen.value = isOn ? [...others, name].slice(-most) : others; };
  const box = (/** @type {any} */ { name }) => h("label", { class: "check" }, h("input", { type: "checkbox", checked: () => chosen.value.includes(name), onchange: (/** @type {any} */ event) => choose(name, event.target.checked) }), h("span", { dir: "ltr" }, name));
  return h("section", {}, h("h2", {}, t("prompt.try")), h("form", { class: "stack", onsubmit: submit }, fields.map((/** @type {any} */ one) => h("div", { class: "field" }, h("label", { for: `value-${one.name}` }, one.name), one.input, one.meaning ? h("p", { class: "hint", dir: "auto" }, one.meaning) : null)),
    h("fieldset", { class: "week" }, h("legend", { class: "label" }, t("prompt.models", { n: most })), models.view((found) => ((found.models ?? []).length === 0 ? h("p", { class: "hint" }, t("console.none")) : found.models.map(box)))),
    h("div", { class: "row" }, h("button", { class: "button", type: "submit", disabled: () => isBusy.value || chosen.value.length === 0 }, t("prompt.ask")))), h("div", { class: "legs" }, () => runs.value.map(answer)));
}
