// Adding books: files that are dropped, picked or shared, and addresses. Each import is a row until the gateway has it.
import { ApiError, call } from "../net/api.js";
import { upload } from "../net/save.js";
import { h } from "../kit/dom.js";
import { sheet } from "../kit/sheet.js";
import { computed, effect, signal } from "../kit/signal.js";
import { toast } from "../kit/toast.js";
import { size, t } from "../kit/words.js";
import { put } from "./data.js";

/** The formats that the file picker offers. The gateway looks at the content. */
export const accepted = ".pdf,.epub,.docx,.html,.htm,.md,.markdown,.txt,application/pdf,application/epub+zip,text/html,text/markdown,text/plain";

/** @typedef {{ key: number, name: string, file: File | null, isPrivate: boolean, share: number, error: any, control: AbortController }} Import */

/** @type {import("../kit/signal.js").Signal<Import[]>} */
export const imports = signal(/** @type {any[]} */ ([]));
let made = 0;
let isSending = false;

/** @param {number} key @param {Partial<Import>} fresh */
function change(key, fresh) {
  imports.value = imports.peek().map((one) => (one.key === key ? { ...one, ...fresh } : one));
}

/**
 * Adds files.
 * @param {Iterable<File>} files @param {boolean} isPrivate
 */
export function addFiles(files, isPrivate) {
  for (const file of files) imports.value = [...imports.peek(), { key: made += 1, name: file.name, file, isPrivate, share: 0, error: null, control: new AbortController() }];
  void work();
}

/**
 * Adds an address. Throws ApiError.
 * @param {string} url @param {boolean} isPrivate
 */
export async function addAddress(url, isPrivate) {
  put(await call("POST", "api/books", { url, private: isPrivate }));
}

/** Sends one file after the other: two at once only make each other slow. */
async function work() {
  if (isSending) return;
  isSending = true;
  for (let one = waiting(); one; one = waiting()) {
    const { key, file, name, isPrivate, control } = one;
    if (!file) break;
    try {
      const { status, data } = await upload(`api/books?name=${encodeURIComponent(name)}&private=${isPrivate}`, file, {
        signal: control.signal, onProgress: (share) => change(key, { share }) });
      drop(key);
      put(data);
      if (status === 200) toast(t("import.known", { title: data.title || name }));
    } catch (error) {
      if (control.signal.aborted) drop(key);
      else change(key, { error });
    }
  }
  isSending = false;
}

const waiting = () => imports.peek().find((one) => one.error === null);
/** @param {number} key */
const drop = (key) => { imports.value = imports.peek().filter((one) => one.key !== key); };

/**
 * What went wrong with an import, in words.
 * @param {any} error
 */
export function importError(error) {
  const known = ["too_large", "unknown_format", "no_space", "unreachable", "private_address", "not_text"];
  if (error instanceof ApiError && error.status === 0) return t("import.unreachable");
  return known.includes(error?.code) ? t(`import.${error.code}`) : error?.message || error?.error || t("error");
}

/**
 * The row of an import.
 * @param {() => Import} item
 */
export function importRow(item) {
  const now = signal(item());
  const { key, name, file, control } = now.peek();
  const moved = h("i");
  effect(() => moved.style.setProperty("transform", `scaleX(${Math.max(0.02, now.value.share)})`));
  const again = () => { change(key, { error: null, share: 0 }); void work(); };
  const cancel = () => { control.abort(); drop(key); };
  const isFailed = computed(() => now.value.error !== null);
  return h("li", { class: "book", onupdate: () => { now.value = item(); } }, h("div", { class: "cover", "aria-hidden": "true" }, h("span", {}, "↑")), h("div", { class: "book-text" },
    h("p", { class: "book-title", dir: "auto" }, name),
    () => (isFailed.value ? h("p", { class: "notice bad", role: "alert" }, importError(now.peek().error)) : [h("p", { class: "hint" }, t("import.sending", { size: size(file?.size ?? 0) })),
      h("div", { class: "progress", role: "progressbar", "aria-label": name, "aria-valuemin": "0", "aria-valuemax": "100", "aria-valuenow": () => String(Math.round(now.value.share * 100)) }, moved)]),
    h("div", { class: "row" }, () => (isFailed.value ? h("button", { class: "quiet", type: "button", onclick: again }, t("retry")) : null),
      h("button", { class: "quiet", type: "button", onclick: cancel }, () => t(isFailed.value ? "import.dismiss" : "cancel")))));
}

/**
 * The sheet that adds a book. `offered` is a file or an address that another app shared: nothing is added without a press.
 * @param {{ file?: File, url?: string }} [offered]
 */
export function openAdd(offered = {}) {
  const problem = signal("");
  const busy = signal(false);
  const isPrivate = h("input", { type: "checkbox" });
  const file = h("input", { type: "file", id: "book-file", class: "unseen-input", multiple: true, accept: accepted,
    onchange: () => { if (file.files?.length) { addFiles(file.files, isPrivate.checked); close(); } } });
  const url = h("input", { class: "input", id: "book-url", type: "url", inputmode: "url", autocomplete: "off", placeholder: t("import.url.hint"), value: offered.url ?? "",
    oninput: () => { problem.value = ""; } });
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!url.value.trim() || busy.peek()) return;
    busy.value = true;
    try {
      await addAddress(url.value.trim(), isPrivate.checked);
      close();
    } catch (error) {
      problem.value = importError(error);
    }
    busy.value = false;
  };
  const one = offered.file;
  const close = sheet(t("import"), h("div", { class: "stack" },
    one ? h("div", { class: "notice" }, h("p", { dir: "auto" }, t("import.shared", { name: one.name, size: size(one.size) })),
      h("button", { class: "button primary", type: "button", onclick: () => { addFiles([one], isPrivate.checked); close(); } }, t("import.add"))) : null,
    h("div", {}, file, h("label", { class: "button pick", for: "book-file" }, t("import.pick")), h("p", { class: "hint" }, t("import.formats"))),
    h("form", { class: "field", onsubmit: submit }, h("label", { for: "book-url" }, t("import.url")),
      h("div", { class: "row" }, url, h("button", { class: "button", type: "submit", disabled: () => busy.value }, t("import.add"))),
      () => (problem.value ? h("p", { class: "notice bad", role: "alert" }, problem.value) : null)),
    h("label", { class: "check" }, isPrivate, h("span", {}, t("book.private.help")))));
}

/**
 * What another app shared: the service worker put it into a cache. It is read once.
 * @returns {Promise<{ file: File } | null>}
 */
export async function shared() {
  try {
    const cache = await caches.open("selene-shared");
    const file = await cache.match("file");
    await caches.delete("selene-shared");
    if (file) {
      const blob = await file.blob();
      return { file: new File([blob], decodeURIComponent(file.headers.get("X-Name") ?? "book"), { type: blob.type }) };
    }
    return null;
  } catch {
    return null;
  }
}
