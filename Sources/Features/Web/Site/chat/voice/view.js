// Speaking instead of typing: press and hold, or press once and once more. What was heard lands in the composer, unsent.
import { call } from "../../net/api.js";
import { where } from "../../net/remedy.js";
import { upload } from "../../net/upload.js";
import { fill, h, icon } from "../../kit/dom.js";
import { effect, signal } from "../../kit/signal.js";
import { addWords, t } from "../../kit/words.js";
import { record } from "./recorder.js";

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
