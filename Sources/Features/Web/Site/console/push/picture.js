// A picture for a notification: a file of the person's, made small enough for a message.
import { h } from "../../kit/dom.js";
import { signal } from "../../kit/signal.js";
import { t } from "../../kit/words.js";

const most = 1 << 20;
const kinds = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/** Longest sides in pixels that are tried until the file is small enough. */
const sides = [1600, 1000, 640];

/**
 * @param {Blob} blob
 * @returns {Promise<string>}
 */
const base64 = (blob) => new Promise((resolve, reject) => {
  const reader = new FileReader();
  reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
  reader.onerror = () => reject(reader.error);
  reader.readAsDataURL(blob);
});

/**
 * The picture with fewer pixels, as JPEG; null when that does not help.
 * @param {Blob} file
 * @returns {Promise<Blob | null>}
 */
async function smaller(file) {
  const image = await createImageBitmap(file);
  try {
    for (const side of sides) {
      const scale = Math.min(1, side / Math.max(image.width, image.height));
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [Math.max(1, Math.round(image.width * scale)), Math.max(1, Math.round(image.height * scale))];
      canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
      const blob = await new Promise((/** @type {(blob: Blob | null) => void} */ resolve) => { canvas.toBlob(resolve, "image/jpeg", 0.85); });
      if (blob && blob.size <= most) return blob;
    }
  } finally { image.close(); }
  return null;
}

/** @param {File} file */
async function read(file) {
  if (!kinds.includes(file.type)) throw new Error(t("compose.image.wrong"));
  const blob = file.size <= most ? file : await smaller(file).catch(() => null);
  if (!blob) throw new Error(t("compose.image.wrong"));
  return { name: file.name, data: await base64(blob), url: URL.createObjectURL(blob) };
}

/**
 * A field that takes a file, and what it holds.
 * @param {(problem: string) => void} refuse
 */
export function pictureField(refuse) {
  const picture = signal(/** @type {{ name: string, data: string, url: string } | null} */ (null));
  const put = (/** @type {any} */ value) => {
    const old = picture.peek();
    picture.value = value;
    if (old) URL.revokeObjectURL(old.url);
  };
  const input = h("input", { type: "file", id: "field-image-file", class: "input", accept: kinds.join(","), onchange: async () => {
    const file = input.files?.[0];
    refuse("");
    try { put(file ? await read(file) : null); } catch (error) {
      input.value = "";
      put(null);
      refuse(/** @type {Error} */ (error).message);
    }
  } });
  const part = h("div", { class: "field" }, h("label", { for: input.id }, t("compose.image.file")), input,
    () => (picture.value ? h("button", { class: "quiet", type: "button", onclick: () => { input.value = ""; put(null); input.focus(); } }, t("compose.image.remove")) : null));
  return { picture, part };
}
