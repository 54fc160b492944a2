// What views that read and change rows of the gateway share: asking, asking again after a change, lists in pages, telling failures.
import { call } from "./api.js";
import { h } from "../kit/dom.js";
import { bones, failure } from "../kit/library.js";
import { effect, signal } from "../kit/signal.js";
import { toast } from "../kit/toast.js";
import { t } from "../kit/words.js";

/** Counts what this page changed; every view asks again then. */
export const changed = signal(0);
/** @param {Record<string, any>} values those that are not empty, as a query */
export const query = (values) => new URLSearchParams(Object.entries(values).filter(([, value]) => value !== "" && value != null).map(([name, value]) => [name, String(value)])).toString();

/**
 * What a route answers: null at first, then the answer or the error. Asked again when something has changed; a failure then keeps
 * what is shown.
 * @param {() => Promise<any>} ask reads the signals that it depends on before it waits
 */
export function source(ask) {
  const found = signal(/** @type {any} */ (null));
  let turn = 0;
  const load = async () => {
    const mine = (turn += 1);
    try {
      const answer = await ask();
      if (mine === turn) found.value = answer;
    } catch (error) {
      if (mine === turn && (found.peek() === null || found.peek() instanceof Error || /** @type {any} */ (error).status !== 0)) found.value = error;
    }
  };
  effect(() => { void changed.value; void load(); });
  const again = () => { found.value = null; void load(); };
  const view = (/** @type {(data: any) => any} */ render) => () => {
    const key = document.activeElement?.getAttribute("data-key");
    // What is drawn again gets the focus back.
    if (key) queueMicrotask(() => { if (document.activeElement === document.body) /** @type {HTMLElement | null} */ (document.querySelector(`[data-key="${CSS.escape(key)}"]`) ?? document.getElementById("main"))?.focus(); });
    return found.value === null ? bones() : found.value instanceof Error ? failure(found.value, again) : render(found.value);
  };
  return { found, view, load };
}

/** @param {any} page its cursor, in the form of either half of the API */
const nextOf = (page) => page?.next_cursor ?? page?.nextCursor;

/**
 * A list in pages: `ask` gets the cursor of the page.
 * @param {string} name of the list in the answer @param {(cursor: string) => string} path
 */
export function paged(name, path) {
  const list = source(() => call("GET", path("")));
  const more = () => attempt(async () => {
    const old = list.found.peek();
    const page = await call("GET", path(nextOf(old)));
    if (list.found.peek() === old) list.found.value = { ...page, [name]: [...old[name], ...page[name]] };
  });
  return { ...list, more: () => (nextOf(list.found.value) ? h("button", { class: "quiet", type: "button", onclick: () => void more() }, t("more")) : null) };
}

/**
 * Does something and tells when it fails.
 * @param {() => Promise<any>} act
 */
export async function attempt(act) {
  try {
    return await act();
  } catch (error) {
    toast(/** @type {Error} */ (error).message || t("library.offline"));
    return undefined;
  }
}

/**
 * Changes something; every view asks again.
 * @param {string} method @param {string} path @param {any} [body]
 */
export async function write(method, path, body) {
  const answer = await call(method, path, body);
  changed.value = changed.peek() + 1;
  return answer;
}
