// Reads an answer aloud, sentence by sentence, by a voice of this device. Nothing leaves it.
import { signal } from "../../kit/signal.js";
import { language } from "../../kit/words.js";

/** The text that is being read; empty for none. */
export const reading = signal("");

/** A voice of this device for the language of the page; null when it has none. */
function voice() {
  const own = globalThis.speechSynthesis?.getVoices().filter((one) => one.localService) ?? [];
  return own.find((one) => one.lang.slice(0, 2) === language) ?? own[0] ?? null;
}

/**
 * The sentences of an answer without its markup and its citations.
 * @param {string} text @returns {string[]}
 */
export function sentences(text) {
  const plain = text.replace(/```[\s\S]*?(```|$)/g, " ").replace(/ *\[\d+(, *\d+)*\]/g, "").replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[*_`#>|]+/g, "").replace(/[ \t]+/g, " ");
  const parts = new Intl.Segmenter(language, { granularity: "sentence" }).segment(plain);
  return [...parts].map((part) => part.segment.trim()).filter((part) => /[\p{L}\p{N}]/u.test(part));
}

/** Ends the reading. */
export function hush() {
  reading.value = "";
  globalThis.speechSynthesis?.cancel();
}

/**
 * Reads a text, or stops when it is the one that is read. Returns false when this device has no voice of its own.
 * @param {string} text
 */
export async function toggle(text) {
  const isSame = reading.peek() === text;
  hush();
  if (isSame) return true;
  const synthesis = globalThis.speechSynthesis;
  if (!synthesis) return false;
  // Browsers load their voices at the first question for them.
  if (!voice()) await new Promise((resolve) => { synthesis.addEventListener("voiceschanged", resolve, { once: true }); setTimeout(resolve, 1000); });
  const one = voice();
  if (!one) return false;
  reading.value = text;
  const rest = sentences(text);
  const next = () => {
    const sentence = rest.shift();
    if (reading.peek() !== text) return;
    if (sentence === undefined) { reading.value = ""; return; }
    const said = new SpeechSynthesisUtterance(sentence);
    Object.assign(said, { voice: one, lang: one.lang, onend: next, onerror: () => { if (reading.peek() === text) reading.value = ""; } });
    synthesis.speak(said);
  };
  next();
  return true;
}
globalThis.addEventListener?.("pagehide", hush);
