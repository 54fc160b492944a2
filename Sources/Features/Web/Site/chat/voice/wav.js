// Sound as a WAV file of 16 kHz, one channel, 16 bits: what every server for speech reads.

/** Samples a second of the file. */
export const rate = 16_000;

/**
 * Takes sound in parts and gives it at 16 kHz. Each sample of the result is the mean of the time that it stands for, which
 * also keeps high tones from turning into low ones.
 * @param {number} from samples a second of what comes
 */
export function resampler(from) {
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
