// Pulling models, with progress.
import { send } from "../../net/api.js";
import { h } from "../../kit/dom.js";
import { signal } from "../../kit/signal.js";
import { size, t } from "../../kit/words.js";
import { lines } from "../reading.js";

/**
 * What is being pulled.
 * @param {() => void} after called when a model is there
 */
export function pulling(after) {
  const pulls = signal(/** @type {Record<string, any>} */ ({}));
  const put = (/** @type {string} */ name, /** @type {any} */ now) => { pulls.value = { ...pulls.peek(), [name]: now }; };
  const pull = async (/** @type {string} */ name) => {
    put(name, { status: t("models.pull.begins") });
    try {
      const response = await send("POST", "api/pull", { model: name }, { headers: { Accept: "application/x-ndjson" } });
      if (!response.body) throw new Error(t("error"));
      let problem = "";
      await lines(response.body, (value) => { if (value.error) problem = value.error; put(name, value); });
      if (problem) throw new Error(problem);
      put(name, { status: t("models.pull.done"), isOver: true });
      after();
    } catch (error) { put(name, { error: /** @type {Error} */ (error).message || t("library.offline"), isOver: true }); }
  };
  const progress = h("ul", { class: "rows", role: "list", "aria-live": "polite" }, () => Object.entries(pulls.value).map(([model, now]) => h("li", {}, h("p", {}, h("strong", { dir: "ltr" }, model), " ", now.error ? h("span", { class: "is-bad" }, now.error) : [now.status, now.total ? ` · ${size(now.completed ?? 0)} / ${size(now.total)}` : ""]),
    now.total && !now.isOver ? h("progress", { max: String(now.total), value: String(now.completed ?? 0), "aria-label": t("models.pull.of", { model }) }) : null)));
  return { pulls, pull, progress };
}
