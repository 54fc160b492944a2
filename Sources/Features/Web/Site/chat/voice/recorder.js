// Records the microphone. Nothing is kept but the sound in memory until it is sent or thrown away.
import { signal } from "../../kit/signal.js";
import { level, rate, resampler, wav } from "./wav.js";

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
