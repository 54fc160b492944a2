// The console: the overview and its other pages, by the address. All come from public routes, most of which need the scope
// admin. Pages load with their first use.
import { define, fill, h } from "../kit/dom.js";
import { keepPlace, swap } from "../kit/library.js";
import { go, route } from "../kit/router.js";
import { cleanup, computed, effect, scope, untracked } from "../kit/signal.js";
import { addWords, t } from "../kit/words.js";
import { overview } from "./overview.js";
import { lost } from "./parts.js";
import { ready as own } from "./start/ready.js";
import { connect } from "./stream.js";

/** What the view needs before it is shown. */
export const ready = Promise.all([own, addWords({ en: () => import("../words/push-en.js"), de: () => import("../words/push-de.js") })]);

/** @type {Record<string, () => Promise<() => any[]>>} */
const pages = {
  "": async () => overview,
  requests: () => import("./requests.js").then((module) => module.requests),
  jobs: () => import("./work/jobs.js").then((module) => module.jobs),
  runs: () => import("./work/runs.js").then((module) => module.runs),
  models: () => import("./models/view.js").then((module) => module.models),
  keys: () => import("./keys.js").then((module) => module.keys),
  spaces: () => import("./spaces.js").then((module) => module.spaces),
  search: () => import("./search.js").then((module) => module.search),
  prompts: () => import("./prompts/view.js").then((module) => module.prompts),
  bench: () => import("./bench/view.js").then((module) => module.bench),
  evaluations: () => import("./evaluations/view.js").then((module) => module.evaluations),
  failed: () => import("./work/failed.js").then((module) => module.failed),
  setup: () => import("./setup.js").then((module) => module.setup),
  push: () => import("./push/compose.js").then((module) => module.compose),
};
/** @type {Record<string, () => Promise<() => any[]>>} */
const ofPush = {
  push: pages.push,
  "push/log": () => import("./push/log.js").then((module) => module.log),
  "push/devices": () => import("./push/devices.js").then((module) => module.devices),
  "push/templates": () => import("./push/templates.js").then((module) => module.templates),
  "push/schedules": () => import("./push/schedules.js").then((module) => module.schedules),
  "push/triggers": () => import("./push/triggers.js").then((module) => module.triggers),
};

/** @param {string} name */
const label = (name) => t(`console.page.${name || "overview"}`);
/** @param {Record<string, any>} of @param {string} title @param {(name: string) => boolean} isHere @param {string} [first] the label of the first page, where it has the name of them all */
function tabs(of, title, isHere, first) {
  const tab = (/** @type {string} */ name) => h("a", { class: "tab", href: name ? `#/console/${name}` : "#/console", "aria-current": isHere(name) ? "page" : null }, name === "push" && first ? first : label(name));
  // The first steps are a view of their own, also the home page.
  return h("nav", { class: "tabs", "aria-label": title }, Object.keys(of).flatMap((name) => [name === "requests" ? h("a", { class: "tab", href: "#/start" }, label("start")) : null, tab(name)]));
}

define("selene-console", (element) => {
  element.className = "library console";
  let ending = () => {};
  const shown = computed(() => (route.value.view === "console" ? route.value.id ?? "" : null));
  cleanup(() => ending());
  connect(() => shown.value !== null);
  effect(() => {
    const asked = shown.value;
    if (asked === null) return;
    // The first steps were a page of the console.
    if (asked === "start") { go("#/start", { replace: true }); return; }
    const name = asked in pages || asked in ofPush ? asked : "";
    void (ofPush[name] ?? pages[name])().then((page) => {
      if (shown.peek() !== asked) return;
      untracked(() => {
        document.title = `${label(name)} – ${t("console")} – Selene`;
        const scroller = h("div", { class: "page", tabindex: "0", role: "region", "aria-label": `${t("console")}: ${label(name)}` });
        const [first] = name.split("/");
        swap(element, [h("header", { class: "view-head" }, h("h1", {}, t("console"))), tabs(pages, t("console"), (one) => one === first), first === "push" ? tabs(ofPush, label("push"), (one) => one === name, t("console.page.push/write")) : null, lost, scroller]);
        keepPlace(scroller, `console/${name}`);
        ending();
        ending = scope(() => fill(scroller, page()));
      });
    });
  });
});
