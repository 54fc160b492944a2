// The steps of Ollama: starting it on this system, and pulling the models that are missing.
import { choose } from "../../chat/state.js";
import { h } from "../../kit/dom.js";
import { computed, signal } from "../../kit/signal.js";
import { size, t } from "../../kit/words.js";
import { lackingOf, plain, systemOf } from "./needs.js";
import { bar, choice, command } from "./parts.js";

/** What is typed on each system; the words are in `start.ollama.*`. */
const commands = /** @type {Record<string, string[]>} */ ({ linux: ["ollama serve"], mac: ["ollama serve"], windows: ["ollama serve"] });

/**
 * What to do while Ollama does not answer.
 * @param {{ look: () => Promise<void>, isLooking: import("../../kit/signal.js").Signal<boolean>, url: () => string }} parts
 */
export function ollama({ look, isLooking, url }) {
  const system = signal(/** @type {string} */ (systemOf(navigator)));
  const seen = signal("");
  const again = async () => { seen.value = ""; await look(); seen.value = t("start.looked"); };
  return [choice(t("start.system"), [["linux", "Linux"], ["mac", "macOS"], ["windows", "Windows"]], system),
    () => h("ol", { class: "how" }, h("li", {}, t(`start.ollama.${system.value}.install`), " ", h("strong", { dir: "ltr" }, "ollama.com/download")), h("li", {}, t(`start.ollama.${system.value}.run`), commands[system.value].map(command))),
    h("details", { class: "why" }, h("summary", {}, t("start.elsewhere")), h("p", {}, () => t("start.elsewhere.text", { url: url() })), command("OLLAMA_HOST=http://192.168.1.20:11434 selene serve")),
    h("div", { class: "row" }, h("button", { class: "button primary", type: "button", disabled: () => isLooking.value, onclick: () => void again() }, () => t(isLooking.value ? "start.looking" : "start.look")),
      h("p", { class: "hint", role: "status" }, () => (isLooking.value ? "" : seen.value)))];
}

/** Models that only embed: they do not answer. */
const embeds = /embed|minilm|bge-|(^|[/-])(gte|e5)-/i;

/**
 * The models that are wanted: each with what it is for, whether it is there, and how far its download is.
 * @param {{ models: import("../../kit/signal.js").Signal<string[] | null>, wanted: import("../../kit/signal.js").Signal<{ answers: string, usual: string, embeds: string }>, pulls: import("../../kit/signal.js").Signal<Record<string, any>>, pull: (name: string) => Promise<void> }} parts
 */
export function models({ models: there, wanted, pulls, pull }) {
  const lacking = computed(() => lackingOf([...new Set([wanted.value.embeds, wanted.value.answers])].filter(Boolean), there.value));
  const queue = signal(/** @type {string[]} */ ([]));
  const due = computed(() => lacking.value.filter((name) => !queue.value.includes(name) && (!pulls.value[name] || pulls.value[name].isOver)));
  // The smaller one first, so that notes can be embedded while the other one is on its way.
  const all = async () => {
    for (queue.value = due.peek(); queue.peek().length > 0;) {
      const [name, ...rest] = queue.peek();
      const end = pull(name);
      queue.value = rest;
      await end;
    }
  };
  const others = computed(() => (there.value ?? []).filter((name) => !embeds.test(name)));
  const state = (/** @type {string} */ name) => {
    const now = pulls.value[name];
    if (!lacking.value.includes(name)) return h("p", { class: "is-good" }, `✓ ${t("start.model.there")}`);
    if (queue.value.includes(name)) return h("p", { class: "hint" }, t("start.model.next"));
    if (now?.error) return [h("p", { class: "is-bad", role: "alert" }, t("start.pull.failed", { reason: now.error })), h("p", { class: "hint" }, t("start.pull.help")), command(`ollama pull ${plain(name)}`)];
    if (!now) return h("p", { class: "hint" }, t("start.model.missing"));
    return bar(t("models.pull.of", { model: name }), () => now.completed ?? 0, () => now.total ?? 0, () => (now.total ? t("start.pull.part", { done: size(now.completed ?? 0), total: size(now.total) }) : now.status ?? ""));
  };
  const row = (/** @type {string} */ name, /** @type {string} */ what) => (name ? h("li", { class: "model" }, h("div", {}, h("p", {}, h("strong", { dir: "ltr" }, plain(name))), h("p", { class: "hint" }, t(what))), h("div", { class: "model-state" }, () => state(name))) : null);
  const select = () => h("select", { class: "input", id: "start-model", onchange: (/** @type {any} */ event) => choose({ model: event.target.value }) },
    h("option", { value: "", selected: wanted.value.answers === wanted.value.usual }, t("start.model.usual", { model: plain(wanted.value.usual) })), others.value.filter((name) => plain(name) !== plain(wanted.value.usual)).map((name) => h("option", { value: name, selected: wanted.value.answers === name }, plain(name))));
  return [() => h("ul", { class: "rows", role: "list" }, row(wanted.value.answers, "start.model.answers"), row(wanted.value.embeds, "start.model.embeds")),
    () => (others.value.length > 0 && (lackingOf([wanted.value.usual], there.value).length > 0) ? h("div", { class: "field" }, h("label", { for: "start-model" }, t("start.model.other")), select(), h("p", { class: "hint" }, t("start.model.other.hint"))) : null),
    () => (due.value.length > 0 ? h("div", { class: "row" }, h("button", { class: "button primary", type: "button", "data-key": "pull", onclick: () => void all() }, t(pulls.value[due.value[0]]?.error ? "start.pull.again" : "start.pull", { model: due.value.map(plain).join(", ") })), h("p", { class: "hint" }, t("start.pull.hint"))) : null)];
}
