// The first steps: what a gateway needs before it answers from notes, done on one page. It is the home page of an administrator until all is
// there or it is dismissed, and is found again in the console.
import { home, setHome } from "../../chat/state.js";
import { define, fill, h } from "../../kit/dom.js";
import { bones, failure } from "../../kit/library.js";
import { go } from "../../kit/router.js";
import { cleanup, computed, effect, signal, untracked } from "../../kit/signal.js";
import { t } from "../../kit/words.js";
import { pulling } from "../models/pull.js";
import { again, connect, live, trouble } from "../stream.js";
import { lost } from "../parts.js";
import { bringing } from "./bring.js";
import { dropped } from "./files.js";
import { openOf } from "./needs.js";
import { notes } from "./notes.js";
import { models, ollama } from "./ollama.js";
import { embedding, phone, question } from "./rest.js";
import { steps } from "./steps.js";

export { ready } from "./ready.js";

const names = ["upstream", "models", "notes", "backfill", "question", "phone"];
const drag = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files") === true;

define("selene-start", (element) => {
  element.className = "library start";
  document.title = `${t("start")} – Selene`;
  connect(() => true);
  const figures = live("figures");
  const bring = bringing();
  const { pulls, pull } = pulling(() => void look());
  const underWay = () => Object.entries(pulls.value).filter(([, one]) => !one.isOver).map(([name]) => name);
  const { now, look, isLooking, models: there, wanted, needsKey } = steps(underWay, bring.isBusy);
  const step = (/** @type {string} */ name) => now.value?.find((one) => one.name === name);
  const needed = computed(() => now.value?.filter((one) => !one.isOptional) ?? []);
  const done = computed(() => needed.value.filter((one) => one.isDone).length);
  const isAll = computed(() => needed.value.length > 0 && done.value === needed.value.length);
  cleanup(() => bring.stop());

  // What a person opened or closed stays so, until the step is done.
  const chosen = signal(/** @type {Record<string, boolean>} */ ({}));
  const open = computed(() => openOf(now.value ?? []));
  const isOpen = (/** @type {string} */ name) => chosen.value[name] ?? open.value.includes(name);
  const phase = computed(() => bring.now.value.phase);
  effect(() => { if (phase.value !== "idle") untracked(() => { chosen.value = { ...chosen.peek(), notes: true }; }); });
  const isDone = computed(() => (now.value ?? []).map((one) => (one.isDone ? one.name : "")).join(" "));
  let before = "";
  effect(() => {
    const [was, is] = [before.split(" "), isDone.value.split(" ")];
    before = isDone.value;
    // What became of files stays to be read.
    const fresh = is.filter((name) => name && !was.includes(name) && (name !== "notes" || bring.now.peek().phase === "idle"));
    if (fresh.length > 0) chosen.value = Object.fromEntries(Object.entries(chosen.peek()).filter(([name]) => !fresh.includes(name)));
  });

  const leave = (/** @type {"chat" | "left"} */ state) => { setHome(state); go("#/chat"); };
  // What is done is shown once more, with the way to the chat; the next visit begins there.
  effect(() => { if (isAll.value && home.peek() === "steps") setHome("chat", true); });

  const bodies = /** @type {Record<string, () => any>} */ ({
    upstream: () => ollama({ look, isLooking, url: () => figures.value?.upstream.url ?? "" }),
    models: () => models({ models: there, wanted, pulls, pull }),
    notes: () => notes(bring),
    backfill: () => embedding({ step: () => step("backfill"), embeds: () => wanted.value.embeds }),
    question: () => question(() => figures.value?.index?.notes ?? 0),
    phone: () => phone(() => needsKey.value),
  });
  const word = (/** @type {any} */ one) => t(one?.isDone ? "start.done" : one?.isWorking ? "start.working" : one?.isBad ? "start.bad" : one?.isDone === null ? "start.unknown" : "start.open.state");
  const mark = (/** @type {any} */ one, /** @type {number} */ place) => (one?.isDone ? "✓" : one?.isBad ? "!" : String(place + 1));
  // Once Ollama answers, its step has nothing more to open.
  const isUp = computed(() => step("upstream")?.isDone === true);
  const isPlain = (/** @type {string} */ name) => name === "upstream" && isUp.value;
  const title = (/** @type {string} */ name) => h("span", {}, t(`start.${name}`), name === "phone" ? h("span", { class: "hint" }, ` ${t("start.optional")}`) : null, h("span", { class: "unseen" }, () => ` (${word(step(name))})`));
  const row = (/** @type {string} */ name, /** @type {number} */ place) => h("li", { class: () => ["step", step(name)?.isDone && "is-done", isOpen(name) && "is-open", step(name)?.isWorking && "is-working", step(name)?.isBad && "is-failed"] },
    h("span", { class: "step-mark", "aria-hidden": "true" }, () => mark(step(name), place)),
    h("div", { class: "step-text" }, h("h2", {}, () => (isPlain(name) ? h("span", { class: "step-head is-plain" }, title(name)) : h("button", { class: "step-head", type: "button", "aria-expanded": () => String(isOpen(name)), "aria-controls": `step-${name}`, "data-step": name, onclick: () => { chosen.value = { ...chosen.peek(), [name]: !isOpen(name) }; } }, title(name)))),
    h("p", { class: () => ["step-says", step(name)?.isBad && "is-bad"], dir: "auto" }, () => step(name)?.says ?? ""),
    h("div", { class: "step-body", id: `step-${name}`, hidden: () => !isOpen(name) || isPlain(name) }, bodies[name]())));

  const isOver = signal(false);
  let depth = 0;
  const drop = (/** @type {DragEvent} */ event) => {
    if (!drag(event)) return;
    event.preventDefault();
    depth = 0;
    isOver.value = false;
    void bring.start(dropped(event.dataTransfer));
  };
  const list = h("ol", { class: "steps", role: "list", hidden: () => !now.value }, names.map(row));
  fill(element, h("header", { class: "view-head" }, h("h1", {}, t("start")), () => (isAll.value ? null : h("button", { class: "quiet", type: "button", onclick: () => leave("left") }, t("start.leave")))),
    h("div", { class: "page", ondragenter: (/** @type {DragEvent} */ event) => { if (drag(event)) { depth += 1; isOver.value = true; } }, ondragleave: (/** @type {DragEvent} */ event) => { if (drag(event)) { depth -= 1; isOver.value = depth > 0; } },
      ondragover: (/** @type {DragEvent} */ event) => { if (drag(event)) event.preventDefault(); }, ondrop: drop },
    lost,
    h("div", { class: "start-top" }, h("p", { class: "title" }, () => t(isAll.value ? "start.title.all" : "start.title")),
      () => (now.value ? h("p", { class: "hint", role: "status" }, isAll.value ? t("start.all") : t("start.some", { n: done.value, of: needed.value.length })) : null),
      () => (isAll.value ? h("div", { class: "row" }, h("button", { class: "button primary", type: "button", onclick: () => leave("chat") }, t("start.chat"))) : null)),
    () => { const problem = trouble("figures"); return problem ? failure(problem.status === 403 ? { status: 403, message: t("console.forbidden") } : problem, again) : figures.value === null ? bones() : null; }, list),
    () => (isOver.value ? h("div", { class: "drop" }, h("p", { class: "title" }, t("start.drop.now"))) : null));
});
