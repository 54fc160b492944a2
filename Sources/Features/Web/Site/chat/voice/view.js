// Speaking instead of typing: press and hold, or press once and once more. What was heard lands in the composer, unsent.
import { call } from "../../net/api.js";
import { where } from "../../net/remedy.js";
import { upload } from "../../net/save.js";
import { fill, h, icon } from "../../kit/dom.js";
import { effect, signal } from "../../kit/signal.js";
import { addWords, language, t } from "../../kit/words.js";

// Sound as a WAV file of 16 kHz, one channel, 16 bits: what every server for speech reads.

/** Samples a second of the file. */
export const rate = 16_000;

/**
 * Takes sound in parts and gives it at 16 kHz. Each sample of the result is the mean of the time that it stands for, which
 * also keeps high tones from turning into low ones.
 * @param {number} from samples a second of what comes
 */
function resampler(from) {
  const step = from / rate;
  let [sum, filled] = [0, 0];
  return (/** @type {Float32Array} */ part) => {
    const result = [];
    for (const value of part) {
      let rest = 1;
      while (filled + rest >= step) {
        const share = step - filled;
        result.push(whole((sum + value * share) / step));
        rest -= share;
        [sum, filled] = [0, 0];
      }
      sum += value * rest;
      filled += rest;
    }
    return Int16Array.from(result);
  };
}

/** @param {number} value from -1 to 1 */
function whole(value) {
  if (!Number.isFinite(value)) return 0;
  return Math.max(-32_768, Math.min(32_767, Math.round(value * 32_767)));
}

/**
 * A WAV file.
 * @param {Int16Array[]} parts
 */
export function wav(parts) {
  const count = parts.reduce((sum, part) => sum + part.length, 0);
  const view = new DataView(new ArrayBuffer(44 + count * 2));
  const text = (/** @type {number} */ at, /** @type {string} */ word) => [...word].forEach((letter, place) => view.setUint8(at + place, letter.charCodeAt(0)));
  text(0, "RIFF");
  view.setUint32(4, 36 + count * 2, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, rate * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, "data");
  view.setUint32(40, count * 2, true);
  let at = 44;
  for (const part of parts) for (const sample of part) { view.setInt16(at, sample, true); at += 2; }
  return new Uint8Array(view.buffer);
}

/**
 * How loud a part is, from 0 to 1: 0 is silence, 1 as loud as can be, by decibels from -60.
 * @param {Float32Array} part
 */
export function level(part) {
  let sum = 0;
  for (const value of part) sum += value * value;
  const power = Math.sqrt(sum / Math.max(1, part.length));
  return Math.max(0, Math.min(1, 1 + Math.log10(Math.max(power, 1e-6)) / 3));
}

// Records the microphone. Nothing is kept but the sound in memory until it is sent or thrown away.

/** The longest recording, in seconds. */
export const longest = 300;

/**
 * Starts to record and returns what ends it. Throws the browser's error when there is no microphone or it may not be used.
 * @param {() => void} full called when the recording is as long as it may be
 */
export async function record(full) {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true } });
  const context = new AudioContext();
  const close = () => {
    for (const track of stream.getTracks()) track.stop();
    void context.close().catch(() => {});
  };
  try {
    await context.audioWorklet.addModule(new URL("worklet.js", import.meta.url));
    await context.resume();
  } catch (error) {
    close();
    throw error;
  }
  const at16 = resampler(context.sampleRate);
  const loud = signal(0);
  const seconds = signal(0);
  let [count, parts] = [0, /** @type {Int16Array[]} */ ([])];
  const node = new AudioWorkletNode(context, "selene-recorder", { numberOfOutputs: 0 });
  node.port.onmessage = ({ data }) => {
    if (count >= longest * rate) return;
    const part = at16(data);
    parts.push(part);
    count += part.length;
    loud.value = level(data);
    seconds.value = Math.floor(count / rate);
    if (count >= longest * rate) full();
  };
  context.createMediaStreamSource(stream).connect(node);
  return {
    loud, seconds,
    /** Ends the recording and returns its file; nothing after `cancel`. */
    stop() {
      node.port.onmessage = null;
      close();
      return new Blob([wav(parts)], { type: "audio/wav" });
    },
    /** Ends the recording and throws it away. */
    cancel() {
      node.port.onmessage = null;
      parts = [];
      close();
    },
  };
}

// Reads an answer aloud, sentence by sentence, by a voice of this device. Nothing leaves it.

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
function hush() {
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

await addWords({ en: () => import("../../words/library-en.js"), de: () => import("../../words/library-de.js") });

/** How long a press is a hold, in ms. */
const hold = 600;

/** @param {number} seconds */
const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

/**
 * Why the microphone cannot be used, in words.
 * @param {any} error
 */
function why(error) {
  if (error?.name === "NotAllowedError" || error?.name === "SecurityError") return t("voice.denied");
  if (error?.name === "NotFoundError" || error?.name === "NotReadableError") return t("voice.missing");
  return error?.message || t("offline");
}

/**
 * Opens the recorder in a place and gives what was said to `put`.
 * @param {HTMLElement} place @param {(text: string) => void} put @param {() => void} done called when the place is free again
 * @param {Promise<number> | null} held how long the button was held, in ms; null when it was only clicked
 */
export function speak(place, put, done, held) {
  const state = signal("asking");
  const problem = signal(/** @type {any} */ (""));
  const ended = new AbortController();
  let recording = /** @type {Awaited<ReturnType<typeof record>> | null} */ (null);
  let sound = /** @type {Blob | null} */ (null);

  function leave() {
    ended.abort();
    recording?.cancel();
    recording = null;
    place.replaceChildren();
    done();
  }
  /** @param {any} text */
  const fail = (text) => { problem.value = text; state.value = "failed"; };

  async function begin() {
    if (!globalThis.isSecureContext || !navigator.mediaDevices?.getUserMedia || !globalThis.AudioWorkletNode) return fail(t("voice.insecure"));
    try {
      if (!(await call("GET", "api/llm/transcribe", undefined, { signal: ended.signal })).available) return fail([t("voice.none"), " ", where("transcribe_model")]);
      const one = await record(finish);
      if (ended.signal.aborted) return one.cancel();
      recording = one;
      state.value = "recording";
      meter();
      if (isReleased) void finish();
    } catch (error) {
      if (!ended.signal.aborted) fail(why(error));
    }
  }

  async function finish() {
    if (!recording) return;
    sound = recording.stop();
    recording = null;
    await hear();
  }

  async function hear() {
    if (!sound) return;
    state.value = "hearing";
    try {
      const { data } = await upload("api/llm/transcribe", sound, { signal: ended.signal });
      leave();
      if (data.text) put(data.text);
    } catch (error) {
      if (!ended.signal.aborted) fail(/** @type {Error} */ (error).message || t("offline"));
    }
  }

  let isReleased = false;
  void held?.then((time) => {
    if (time < hold) return;
    isReleased = true;
    void finish();
  });
  addEventListener("keydown", (event) => { if (event.key === "Escape") leave(); }, { signal: ended.signal });
  addEventListener("pagehide", leave, { signal: ended.signal });

  const bar = h("i");
  function meter() {
    const one = recording;
    if (one) effect(() => { bar.style.setProperty("transform", `scaleX(${one.loud.value})`); });
  }
  const button = (/** @type {string} */ word, /** @type {() => void} */ act) => h("button", { class: "quiet", type: "button", onclick: act }, word);
  fill(place, h("div", { class: "voice", role: "group", "aria-label": t("voice") },
    h("p", { role: "status" }, () => (state.value === "failed" ? problem.value : t(`voice.${state.value}`))),
    () => (state.value === "recording" ? [h("span", { class: "mono" }, () => clock(recording?.seconds.value ?? 0)), h("div", { class: "progress", "aria-hidden": "true" }, bar),
      h("button", { class: "round", type: "button", "aria-label": t("voice.stop"), title: t("voice.stop"), onclick: () => void finish() }, icon("stop"))] : null),
    () => (state.value === "failed" && sound ? button(t("retry"), () => void hear()) : null),
    () => button(t(state.value === "failed" ? "close" : "voice.cancel"), leave)));
  void begin();
}
