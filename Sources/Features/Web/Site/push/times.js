// Times of day as people write them.
import { t } from "../kit/words.js";

/**
 * Text of times, such as "8:00, 18", as a list of HH:MM. Throws for what is no time of day.
 * @param {string[]} list
 */
export function times(list) {
  return list.map((text) => {
    const found = /^(\d{1,2})(?:[:.](\d{2}))?$/.exec(text);
    if (!found || Number(found[1]) > 23 || Number(found[2] ?? 0) > 59) throw new Error(t("rules.time.wrong", { text }));
    return `${found[1].padStart(2, "0")}:${found[2] ?? "00"}`;
  });
}
