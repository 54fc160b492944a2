// What another app shared with Selene: the service worker put it into a cache. It is read once.

const cacheName = "selene-shared";

/** @returns {Promise<{ file?: File, url?: string } | null>} */
export async function shared() {
  try {
    const cache = await caches.open(cacheName);
    const [file, text] = [await cache.match("file"), await cache.match("text")];
    await caches.delete(cacheName);
    if (file) {
      const blob = await file.blob();
      return { file: new File([blob], decodeURIComponent(file.headers.get("X-Name") ?? "book"), { type: blob.type }) };
    }
    const url = /https?:\/\/\S+/.exec(text ? await text.text() : "")?.[0];
    return url ? { url } : null;
  } catch {
    return null;
  }
}
