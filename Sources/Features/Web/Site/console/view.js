// The console: the overview and its other pages, by the address. All come from public routes, most of which need the scope
// admin. Pages load with their first use.
import { append, define, fill, h } from "../kit/dom.js";
import { bones, keepPlace } from "../kit/library.js";
import { go, route } from "../kit/router.js";
import { cleanup, computed, effect, scope, untracked } from "../kit/signal.js";
import { addWords, t } from "../kit/words.js";
import { folded, hasRoom, label, menu } from "./menu.js";
import { overview } from "./overview.js";
import { lost } from "./parts.js";
import { ready as own } from "./start/ready.js";
import { connect } from "./stream.js";

/** What the view needs before it is shown. */
export const ready = Promise.all([own, addWords({ en: () => import("../words/push-en.js"), de: () => import("../words/push-de.js") })]);

/**
 * What a page is made by: it returns its parts, and puts what belongs beside the title with `head`.
 * @typedef {(head: (...parts: any[]) => void) => any[]} Page
 */

/** @type {Record<string, () => Promise<Page>>} */
const pages = {
  "": async () => overview,
  requests: () => import("./work/requests.js").then((module) => module.requests),
  jobs: () => import("./work/jobs.js").then((module) => module.jobs),
  runs: () => import("./work/runs.js").then((module) => module.runs),
  models: () => import("./models/view.js").then((module) => module.models),
  keys: () => import("./access/keys.js").then((module) => module.keys),
  browsers: () => import("./access/browsers.js").then((module) => module.browsers),
  audit: () => import("./access/audit.js").then((module) => module.audit),
  spaces: () => import("./spaces.js").then((module) => module.spaces),
  search: () => import("./search.js").then((module) => module.search),
  prompts: () => import("./prompts/view.js").then((module) => module.prompts),
  bench: () => import("./bench/view.js").then((module) => module.bench),
  evaluations: () => import("./evaluations/view.js").then((module) => module.evaluations),
  failed: () => import("./work/failed.js").then((module) => module.failed),
  setup: () => import("./setup/view.js").then((module) => module.setup),
  push: () => import("./push/compose.js").then((module) => module.compose),
  "push/log": () => import("./push/log.js").then((module) => module.log),
  "push/devices": () => import("./push/devices.js").then((module) => module.devices),
  "push/templates": () => import("./push/templates.js").then((module) => module.templates),
  "push/schedules": () => import("./push/schedules.js").then((module) => module.schedules),
  "push/triggers": () => import("./push/triggers.js").then((module) => module.triggers),
};

/** @param {string} name */
const titleOf = (name) => (name.startsWith("push/") ? `${label("push")}: ${label(name)}` : label(name));

define("selene-console", (element) => {
  element.className = "library console";
  let ending = () => {};
  const shown = computed(() => (route.value.view === "console" ? route.value.id ?? "" : null));
  const name = computed(() => (shown.value !== null && shown.value in pages ? shown.value : ""));
  const title = h("h1", { tabindex: "-1" }, () => titleOf(name.value));
  const tools = h("div", { class: "console-tools" });
  const body = h("div", { class: "console-body" });
  let isFirst = true;
  cleanup(() => ending());
  connect(() => shown.value !== null);
  fill(element, () => (hasRoom.value ? menu(() => name.value) : null),
    h("div", { class: "console-main" }, h("header", { class: "view-head" }, title, tools, () => (hasRoom.value ? null : folded(() => name.value))), lost, body));
  effect(() => {
    const asked = shown.value;
    if (asked === null) return;
    // The first steps were a page of the console.
    if (asked === "start") { go("#/start", { replace: true }); return; }
    untracked(() => {
      const now = name.peek();
      document.title = `${titleOf(now)} – ${t("console")} – Selene`;
      const scroller = h("div", { class: "page", tabindex: "0", role: "region", "aria-label": `${t("console")}: ${titleOf(now)}` }, bones());
      ending();
      ending = () => {};
      tools.replaceChildren();
      body.replaceChildren(scroller);
      // The page that one chose says its name.
      if (!isFirst) title.focus();
      isFirst = false;
      void pages[now]().then((page) => {
        if (shown.peek() !== asked || body.firstChild !== scroller) return;
        keepPlace(scroller, `console/${now}`);
        ending = scope(() => fill(scroller, page((...parts) => append(tools, parts))));
      }, () => { if (body.firstChild === scroller) fill(scroller, h("div", { class: "blank" }, h("p", {}, t("error.load")), h("button", { class: "button", type: "button", onclick: () => location.reload() }, t("reload")))); });
    });
  });
});
