// Files to the gateway and from it. Saves what a route answers as a file: a plain link could not send the header that a page's
// requests need.
import { ApiError, at, send, session } from "./api.js";
import { h } from "../kit/dom.js";
import { toast } from "../kit/toast.js";
import { t } from "../kit/words.js";

// Sends a file as the body of a request and says how far it is. `fetch` does not say it, so this is an XMLHttpRequest.

/**
 * Posts a file. Resolves with the status and the JSON of a success; throws ApiError, or an AbortError after `signal`.
 * @param {string} path @param {Blob} file @param {{ signal?: AbortSignal, onProgress?: (share: number) => void }} [options]
 * @returns {Promise<{ status: number, data: any }>}
 */
export function upload(path, file, options = {}) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", at(path));
    request.setRequestHeader("X-Selene", "1");
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("Content-Type", file.type || "application/octet-stream");
    request.upload.onprogress = (event) => { if (event.lengthComputable && event.total > 0) options.onProgress?.(event.loaded / event.total); };
    request.onload = () => {
      let data = /** @type {any} */ (null);
      try { data = JSON.parse(request.responseText); } catch { /* an answer without JSON is an error below */ }
      if (request.status >= 200 && request.status < 300 && data) { resolve({ status: request.status, data }); return; }
      const now = session.peek();
      if (request.status === 401 && now) session.value = { ...now, signed_in: false, needs_key: true };
      reject(new ApiError(request.status, data?.code ?? `http_${request.status}`, data?.error ?? request.statusText, data, Number(request.getResponseHeader("Retry-After")) || 0));
    };
    request.onerror = () => reject(new ApiError(0, "unreachable", ""));
    request.onabort = () => reject(new DOMException("", "AbortError"));
    options.signal?.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}

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
