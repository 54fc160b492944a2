// The files of a ZIP archive, read in the browser: the list at its end first, each file when it is needed. Nothing grows beyond a note's size.
import { largest } from "./files.js";

/** @typedef {import("./files.js").Found} Found */

/** Bytes at an archive's end that may hold its last record: the record and the longest comment. */
const tail = 22 + 65_535;
const [ends, lists, begins] = [0x06054b50, 0x02014b50, 0x04034b50];

/** @param {Uint8Array} bytes */
function named(bytes) {
  try { return new TextDecoder("utf-8", { fatal: true }).decode(bytes); } catch { return new TextDecoder("windows-1252").decode(bytes); }
}

/**
 * What a stream gives, at most as much as a note may have.
 * @param {ReadableStream<Uint8Array>} stream
 */
async function bounded(stream) {
  const reader = stream.getReader();
  const parts = [];
  for (let size = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts).arrayBuffer();
    size += value.length;
    if (size > largest) { await reader.cancel(); throw new Error("larger than its list says"); }
    parts.push(/** @type {any} */ (value));
  }
}

/**
 * The files of an archive. Throws for one that is damaged, of more than 4 GB or 65,534 files.
 * @param {Blob} archive @returns {Promise<{ found: Found[], left: { path: string, why: string }[] }>}
 */
export async function unzip(archive) {
  const from = Math.max(0, archive.size - tail);
  const last = new DataView(await archive.slice(from).arrayBuffer());
  let end = last.byteLength - 22;
  while (end >= 0 && last.getUint32(end, true) !== ends) end -= 1;
  if (end < 0) throw new Error("no archive");
  const [count, size, start] = [last.getUint16(end + 10, true), last.getUint32(end + 12, true), last.getUint32(end + 16, true)];
  if (count === 0xffff || start === 0xffffffff || start + size > archive.size) throw new Error("an archive of another form");
  const bytes = await archive.slice(start, start + size).arrayBuffer();
  const list = new DataView(bytes);
  /** @type {Found[]} */
  const found = [];
  /** @type {{ path: string, why: string }[]} */
  const left = [];
  for (let at = 0, number = 0; number < count; number += 1) {
    if (at + 46 > size || list.getUint32(at, true) !== lists) throw new Error("a damaged list");
    const [flags, method, time, date] = [8, 10, 12, 14].map((place) => list.getUint16(at + place, true));
    const [packed, whole, place] = [20, 24, 42].map((where) => list.getUint32(at + where, true));
    const [name, extra, comment] = [28, 30, 32].map((where) => list.getUint16(at + where, true));
    const path = named(new Uint8Array(bytes, at + 46, name)).replace(/\\/g, "/").split("/").filter((one) => one && one !== "." && one !== "..").join("/");
    const isFolder = list.getUint8(at + 45 + name) === 0x2f;
    at += 46 + name + extra + comment;
    if (isFolder || !path) continue;
    if (flags & 1 || (method !== 0 && method !== 8)) { left.push({ path, why: "locked" }); continue; }
    const lastModified = new Date(1980 + (date >> 9), ((date >> 5) & 15) - 1, date & 31, time >> 11, (time >> 5) & 63, (time & 31) * 2).getTime();
    const arrayBuffer = async () => {
      const head = new DataView(await archive.slice(place, place + 30).arrayBuffer());
      if (head.byteLength < 30 || head.getUint32(0, true) !== begins) throw new Error("a damaged file");
      const begin = place + 30 + head.getUint16(26, true) + head.getUint16(28, true);
      const data = archive.slice(begin, begin + packed);
      return method === 0 ? data.arrayBuffer() : bounded(data.stream().pipeThrough(new /** @type {any} */ (globalThis).DecompressionStream("deflate-raw")));
    };
    found.push({ path, file: async () => /** @type {any} */ ({ size: whole, lastModified, arrayBuffer }) });
  }
  return { found, left };
}

/**
 * What is found, with the files of archives in their place.
 * @param {{ found: Found[], left: { path: string, why: string }[] }} all
 */
export async function opened({ found, left }) {
  const [files, rest] = [/** @type {Found[]} */ ([]), [...left]];
  for (const one of found) {
    if (!/\.zip$/i.test(one.path) || one.path.split("/").some((part) => part.startsWith("."))) { files.push(one); continue; }
    try {
      const inside = await unzip(await one.file());
      files.push(...inside.found);
      rest.push(...inside.left);
    } catch { rest.push({ path: one.path, why: "zip" }); }
  }
  return { found: files, left: rest };
}
