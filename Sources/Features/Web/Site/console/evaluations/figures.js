// What a report of retrieval says, and the chart of a comparison. Nothing here needs a page.

/** @typedef {{ mode: string, metrics: Record<string, number>, intervals?: Record<string, { low: number, high: number }>, latency_ms?: Record<string, number> }} Mode */

/**
 * The metrics that any mode has, in the order of the first.
 * @param {{ modes: Mode[] }} report
 */
export const metricsOf = (report) => [...new Set(report.modes.flatMap((mode) => Object.keys(mode.metrics)))];

/**
 * The metrics and modes that both means have.
 * @param {Record<string, Record<string, number>>} first @param {Record<string, Record<string, number>>} second
 */
export function shared(first, second) {
  const modes = { before: Object.keys(first), after: Object.keys(second) };
  const names = (/** @type {Record<string, Record<string, number>>} */ means) => new Set(Object.values(means).flatMap((one) => Object.keys(one)));
  const others = names(second);
  return { modes, metrics: [...names(first)].filter((one) => others.has(one)) };
}

/**
 * What the figures of a comparison say: better, worse, or nothing beyond chance.
 * @param {{ difference: number, p_value: number }} found @returns {"better" | "worse" | "chance"}
 */
export const verdict = ({ difference, p_value: p }) => (p >= 0.05 || difference === 0 ? "chance" : difference > 0 ? "better" : "worse");

/**
 * The paths of bars above and below a middle line.
 * @param {number[]} values from the largest to the smallest @param {number} width @param {number} height
 */
export function differencePaths(values, width, height) {
  const most = Math.max(...values.map(Math.abs), 0) || 1;
  const [step, middle] = [width / Math.max(1, values.length), height / 2];
  const bar = (/** @type {number} */ value, /** @type {number} */ place) => `M${(place * step).toFixed(1)} ${middle}v${(-value / most * (middle - 2)).toFixed(1)}h${Math.max(0.4, step * 0.85).toFixed(1)}V${middle}z`;
  const path = (/** @type {(value: number) => boolean} */ isWanted) => values.map((value, place) => (isWanted(value) ? bar(value, place) : "")).join("");
  return { up: path((value) => value > 0), down: path((value) => value < 0), most };
}
