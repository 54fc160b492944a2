// What is proposed for threads: a name, why, the notes, and a person's decision.
import { call, forgets } from "../net/api.js";
import { each, h } from "../kit/dom.js";
import { address } from "../kit/router.js";
import { signal } from "../kit/signal.js";
import { toast } from "../kit/toast.js";
import { exact, onDay, t } from "../kit/words.js";

/** @type {import("../kit/signal.js").Signal<any>} */
const found = signal(/** @type {any} */ (null));

forgets(() => { found.value = null; });

async function load(more = false) {
  const old = more ? found.peek() : null;
  try {
    const page = await call("GET", `api/threads/proposals${old?.next ? `?cursor=${encodeURIComponent(old.next)}` : ""}`);
    found.value = { proposals: [...(old?.proposals ?? []), ...page.proposals], next: page.next_cursor ?? null };
  } catch {
    // The list of threads says what is wrong.
  }
}

/**
 * @param {any} proposal @param {"accept" | "decline"} decision
 * @param {() => void} changed
 */
async function decide(proposal, decision, changed) {
  try {
    await call("POST", `api/threads/proposals/${proposal.id}/${decision}`);
    toast(t(`proposal.${decision}.done`, { name: proposal.name }));
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error));
  }
  document.getElementById("proposals")?.focus();
  await load();
  changed();
}

/** @param {any} note */
const line = (note) => h("li", {}, h("a", { class: "item", href: address("notes", String(note.id)) }, h("span", { dir: "auto" }, note.title || t("untitled")), h("time", { class: "hint", datetime: note.created_at, title: exact(note.created_at) }, onDay(note.created_at.slice(0, 10)))));

/** @param {any} part @param {boolean} isNamed */
const partView = (part, isNamed) => h("details", {}, h("summary", { dir: "auto" }, isNamed ? `${part.name} · ` : "", t("notes.n", { n: part.count })), h("ul", { class: "rows", role: "list" }, part.notes.map(line)));

/**
 * What the notes say: a model's sentences with their notes, or the days of the notes.
 * @param {any} proposal
 */
function said(proposal) {
  const sentences = proposal.phrasing?.sentences ?? [];
  const notes = [...new Set(sentences.flatMap((/** @type {any} */ one) => one.notes))];
  const mark = (/** @type {number} */ id) => h("a", { href: address("notes", String(id)), "aria-label": t("proposal.source", { n: notes.indexOf(id) + 1 }) }, `[${notes.indexOf(id) + 1}]`);
  return h("p", { class: "said", dir: "auto" }, sentences.length > 0 ? sentences.map((/** @type {any} */ one) => [one.text, " ", one.notes.map(mark), " "]) : proposal.summary);
}

/** @param {any} proposal @param {() => void} changed */
function card(proposal, changed) {
  const press = (/** @type {"accept" | "decline"} */ decision) => h("button", {
    class: decision === "accept" ? "button" : "quiet", type: "button", "aria-label": `${t(`proposal.${decision}`)}: ${proposal.name}`,
    onclick: (/** @type {any} */ event) => { event.currentTarget.disabled = true; void decide(proposal, decision, changed); },
  }, t(`proposal.${decision}`));
  return h("li", { class: "briefing-card" }, h("p", { class: "label" }, t(`proposal.${proposal.kind}`)), h("h2", { dir: "auto" }, proposal.name || t("untitled")), said(proposal), h("p", { class: "hint", dir: "auto" }, proposal.why),
    proposal.phrasing?.withheld > 0 ? h("p", { class: "hint" }, t("proposal.withheld", { n: proposal.phrasing.withheld, model: proposal.phrasing.model })) : null,
    proposal.parts.map((/** @type {any} */ part) => partView(part, proposal.parts.length > 1)),
    h("div", { class: "row" }, press("accept"), press("decline")));
}

/**
 * The section of proposals, nothing while there are none.
 * @param {() => void} changed called after a decision
 */
export function proposals(changed) {
  void load();
  return h("section", { id: "proposals", tabindex: "-1", "aria-label": t("proposals") },
    each("ul", { class: "rows", role: "list" }, () => found.value?.proposals ?? [], (one) => one.id, (item) => card(item(), changed)),
    () => (found.value?.next ? h("button", { class: "quiet", type: "button", onclick: () => void load(true) }, t("more")) : null));
}
