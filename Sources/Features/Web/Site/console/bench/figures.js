// Figures of playground runs: what a report says of a model, and what has changed between two reports. Nothing here needs a page.

/** @typedef {{ name: string, read: (summary: any) => number | null, spread?: (summary: any) => number, isShare?: boolean, isLess?: boolean }} Measure */

const number = (/** @type {any} */ value) => (typeof value === "number" && Number.isFinite(value) ? value : null);
/** @param {string} key @param {boolean} [isLess] whether less is better @returns {Measure} */
const mean = (key, isLess) => ({ name: key, read: (one) => number(one[key]?.mean), spread: (one) => number(one[key]?.deviation) ?? 0, isLess });
/** @param {string} key @param {boolean} [isLess] @returns {Measure} */
const share = (key, isLess) => ({ name: key, read: (one) => number(one[key]), isShare: true, isLess });

/** The figures, in their order. */
export const measures = [mean("first_token_ms", true), mean("tokens_per_second"), share("supported"), share("cites"), share("invents", true), share("calls_tools"), share("valid_calls")];

/**
 * What has changed by model and figure. A difference within both deviations is noise.
 * @param {any} first @param {any} second
 */
export function comparisonOf(first, second) {
  const names = [...new Set([...first.models, ...second.models].map((one) => one.model))];
  return names.flatMap((model) => measures.map((measure) => {
    const [a, b] = [first, second].map((report) => report.models.find((/** @type {any} */ one) => one.model === model));
    const [one, two] = [a ? measure.read(a) : null, b ? measure.read(b) : null];
    const change = one !== null && two !== null && one !== 0 ? (two - one) / one : null;
    const room = a && b && measure.spread ? measure.spread(a) + measure.spread(b) : 0;
    return { model, name: measure.name, isShare: measure.isShare === true, first: one, second: two, change, isNoise: one === null || two === null || Math.abs(two - one) <= room, isBetter: one !== null && two !== null && (measure.isLess ? two < one : two > one) };
  })).filter((row) => row.first !== null || row.second !== null);
}
