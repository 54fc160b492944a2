// The page of the first run: the six steps, their progress, and what to do next.
import { h } from "../../kit/dom.js";
import { t } from "../../kit/words.js";
import { topic } from "../parts.js";
import { pulling } from "../models/pull.js";
import { row, steps } from "./steps.js";

/** The view. */
export function start() {
  const { state } = topic("figures");
  const { now, look } = steps();
  const { pull, progress } = pulling(look);
  const summary = () => {
    const wanted = now.value?.filter((one) => !one.isOptional) ?? [];
    const done = wanted.filter((one) => one.isDone).length;
    return now.value ? h("p", { role: "status" }, done === wanted.length ? t("start.all") : t("start.some", { n: done, of: wanted.length })) : null;
  };
  return [state, h("section", {}, summary, h("ol", { class: "steps", role: "list" }, () => now.value?.map((step, place) => row(step, place, (name) => void pull(name)))), progress)];
}
