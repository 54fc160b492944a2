// Charts of figures over time: bars or lines, with the largest value and the time at the edges. What they show is also said.
import { h } from "../../kit/dom.js";

const space = "http://www.w3.org/2000/svg";
const [width, height, top] = [300, 72, 4];

/**
 * A value above all values that is good to read: 1, 2 or 5 with zeros.
 * @param {number} most
 */
export function ceiling(most) {
  if (!(most > 0)) return 1;
  const ten = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 5, 10].map((one) => one * ten).find((one) => one >= most * 0.999_999) ?? most;
}

/**
 * The path of a line through the values; gaps where there is none.
 * @param {(number | null)[]} values @param {number} most
 */
export function line(values, most) {
  let isDrawn = false;
  return values.map((value, place) => {
    if (value === null) { isDrawn = false; return ""; }
    const point = `${isDrawn ? "L" : "M"}${((place + 0.5) / values.length * width).toFixed(1)} ${(height - value / most * (height - top)).toFixed(1)}`;
    // A point alone is a short stroke, else nobody would see it.
    const isAlone = !isDrawn && (values[place + 1] ?? null) === null;
    isDrawn = true;
    return isAlone ? `${point}h2` : point;
  }).join("");
}

/**
 * The path of bars.
 * @param {(number | null)[]} values @param {number} most
 */
export function bars(values, most) {
  const step = width / values.length;
  return values.map((value, place) => (value ? `M${(place * step).toFixed(1)} ${height}v${(-Math.max(1, value / most * (height - top))).toFixed(1)}h${(step * 0.8).toFixed(1)}V${height}z` : "")).join("");
}

/** @param {string} name @param {Record<string, any>} attributes @param {...Element} children */
export function svg(name, attributes, ...children) {
  const element = document.createElementNS(space, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/**
 * A chart with its name, its figure and its edges.
 * @param {{ name: string, now: string, says: string, form: "bars" | "line", series: { kind: string, values: (number | null)[] }[], write: (value: number) => string, from: string, to: string }} chart
 */
export function chart({ name, now, says, form, series, write, from, to }) {
  const largest = Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const most = ceiling(largest);
  const draw = form === "bars" ? bars : line;
  return h("figure", { class: "traffic" }, h("figcaption", {}, h("span", { class: "label" }, name), h("span", { class: "figure" }, now)),
    svg("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": `${name}: ${says}` },
      svg("path", { class: "edge", d: `M0 ${top}H${width}M0 ${height}H${width}` }), ...series.map(({ kind, values }) => svg("path", { class: `${form} ${kind}`, d: draw(values, most) }))),
    h("p", { class: "hint edges", "aria-hidden": "true" }, h("span", {}, from), h("span", {}, largest > 0 ? `↑ ${write(most)}` : ""), h("span", {}, to)), h("p", { class: "hint" }, says));
}
