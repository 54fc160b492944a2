// A new chat of a gateway without notes: what to do before there is anything to ask about.
import { call, mayAdminister, session } from "../net/api.js";
import { fill, h, icon } from "../kit/dom.js";
import { t } from "../kit/words.js";
import { home, setHome } from "./state.js";

/**
 * Replaces the welcome if there are no notes. Once there are some, nothing is asked again in this browser.
 * @param {Element} place @param {() => boolean} isShown whether the new chat is still there
 */
export async function empty(place, isShown) {
  const found = await call("GET", "api/notes?limit=1&content=false").catch(() => null);
  if (!found) return;
  if (found.notes.length > 0) {
    if (home.peek() !== "steps" && home.peek() !== "asking") setHome("chat");
    return;
  }
  // Whose browser this is may be known later than that there are no notes.
  while (session.peek() === null) await new Promise((resolve) => { setTimeout(resolve, 50); });
  if (!isShown()) return;
  const isOwner = mayAdminister();
  fill(place, h("div", { class: "blank welcome" }, h("h2", {}, t("empty")), h("p", {}, t("empty.text"), " ", t(isOwner ? "empty.owner" : "empty.other")),
    h("div", { class: "row" }, isOwner ? h("a", { class: "button primary", href: "#/start" }, t("empty.steps")) : null, h("a", { class: "button", href: "#/capture" }, icon("plus"), t("capture")))));
}
