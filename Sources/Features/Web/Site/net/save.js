// Saves what a route answers as a file. A plain link could not send the header that a page's requests need.
import { send } from "./api.js";
import { h } from "../kit/dom.js";
import { toast } from "../kit/toast.js";
import { t } from "../kit/words.js";

/** @param {string} path @param {string} name */
export async function save(path, name) {
  try {
    const response = await send("GET", path, undefined, { headers: { Accept: "*/*" } });
    saveText(await response.blob(), name);
  } catch (error) {
    toast(/** @type {Error} */ (error).message || t("library.offline"));
  }
}

/** @param {Blob} blob @param {string} name */
export function saveText(blob, name) {
  const url = URL.createObjectURL(blob);
  const link = h("a", { href: url, download: name.replace(/[\\/:*?"<>|\u0000-\u001f]+/g, " ").trim().slice(0, 120) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
