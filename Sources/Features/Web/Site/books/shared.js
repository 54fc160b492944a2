// What another app shared with Selene: the service worker put it into a cache. It is read once.

const cacheName = "selene-shared";

/** @returns {Promise<{ file: File } | null>} */
export async function shared() {
  try {
    const cache = await caches.open(cacheName);
    const file = await cache.match("file");
    await caches.delete(cacheName);
    if (file) {
      const blob = await file.blob();
      return { file: new File([blob], decodeURIComponent(file.headers.get("X-Name") ?? "book"), { type: blob.type }) };
    }
    return null;
  } catch {
    return null;
  }
}
