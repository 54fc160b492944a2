// Models: those in memory, those on disk; loading, unloading, pulling with progress, deleting.
import { call, send } from "../../net/api.js";
import { attempt, source } from "../../net/source.js";
import { h } from "../../kit/dom.js";
import { computed, signal } from "../../kit/signal.js";
import { size, t } from "../../kit/words.js";
import { heading, twin, when } from "../parts.js";
import { pulling } from "./pull.js";
import { live } from "../stream.js";
import { table } from "../table.js";

/**
 * The view.
 * @type {import("../view.js").Page}
 */
export function models(head) {
  const machines = live("upstreams");
  // What is in memory is asked again when an upstream's models have changed.
  const inMemory = computed(() => JSON.stringify(machines.value?.upstreams.map((/** @type {any} */ one) => [one.name, one.in_order, one.loaded]) ?? []));
  const { found, view, load: look } = source(async () => {
    void inMemory.value;
    const [loaded, known] = await Promise.all([call("GET", "api/ps"), call("GET", "api/tags")]);
    return { loaded: loaded.models ?? [], known: known.models ?? [] };
  });
  const busy = signal("");
  const sure = signal("");
  const load = (/** @type {string} */ name, /** @type {boolean} */ isOn) => attempt(async () => {
    busy.value = name;
    try { await call("POST", "api/generate", { model: name, stream: false, ...(isOn ? {} : { keep_alive: 0 }) }); await look(); } finally { busy.value = ""; }
  });
  const remove = (/** @type {string} */ name) => attempt(async () => {
    if (sure.peek() !== name) { sure.value = name; return; }
    sure.value = "";
    await send("DELETE", "api/delete", { model: name });
    await look();
  });
  const { pull, progress } = pulling(() => void look());
  const name = h("input", { class: "input mono", id: "pull", required: true, autocomplete: "off", autocapitalize: "off", placeholder: "llama3.2", dir: "ltr" });
  const button = (/** @type {string} */ label, /** @type {string} */ long, /** @type {() => void} */ run) => h("button", { class: "quiet", type: "button", "data-key": long, "aria-label": long, disabled: () => busy.value !== "", onclick: run }, label);
  head(twin("ollama ps"));
  return [view(() => null), h("div", { hidden: () => !found.value?.known },
    table(t("models.loaded"), () => found.value?.loaded ?? [], [
      { name: t("model"), value: (one) => one.name }, { name: t("models.memory"), value: (one) => one.size_vram ?? one.size ?? 0, show: (one) => size(one.size_vram ?? one.size ?? 0), isNumber: true },
      { name: t("models.until"), value: (one) => one.expires_at ?? "", show: (one) => when(one.expires_at) }, { name: t("console.do"), value: () => "", isPlain: true, show: (one) => button(t("models.unload"), `${t("models.unload")}: ${one.name}`, () => void load(one.name, false)) },
    ], { none: t("models.loaded.none") }),
    table(t("models.known"), () => found.value?.known ?? [], [
      { name: t("model"), value: (one) => one.name }, { name: t("models.size"), value: (one) => one.size ?? 0, show: (one) => (one.size ? size(one.size) : "–"), isNumber: true },
      { name: t("models.kind"), value: (one) => [one.details?.parameter_size, one.details?.quantization_level].filter(Boolean).join(" ") }, { name: t("models.changed"), value: (one) => one.modified_at ?? "", show: (one) => when(one.modified_at) },
      { name: t("console.do"), value: () => "", isPlain: true, show: (one) => [button(t("models.load"), `${t("models.load")}: ${one.name}`, () => void load(one.name, true)), button(t(sure.value === one.name ? "models.delete.sure" : "delete"), `${t("delete")}: ${one.name}`, () => void remove(one.name))] },
    ], { none: t("models.known.none") }),
    h("section", {}, heading(t("models.pull")), h("form", { class: "row", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); void pull(name.value.trim()); } }, h("label", { class: "unseen", for: "pull" }, t("models.name")), name, h("button", { class: "button", type: "submit" }, t("models.pull"))),
      progress))];
}
