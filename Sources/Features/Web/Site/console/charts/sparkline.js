// The course of a figure as a small line. Screen readers get the figure beside it.

const space = "http://www.w3.org/2000/svg";
const [width, height] = [96, 24];

/**
 * The points of a line through values, from the lowest to the highest one.
 * @param {number[]} values
 */
export function points(values) {
  const most = Math.max(...values, 0);
  const least = Math.min(...values, most);
  const range = most - least || 1;
  return values.map((value, index) => `${((index / Math.max(1, values.length - 1)) * width).toFixed(1)},${(height - 2 - ((value - least) / range) * (height - 4)).toFixed(1)}`).join(" ");
}

/** @param {number[]} values */
export function sparkline(values) {
  const svg = document.createElementNS(space, "svg");
  for (const [name, value] of Object.entries({ viewBox: `0 0 ${width} ${height}`, class: "sparkline", "aria-hidden": "true", fill: "none", stroke: "currentColor", "stroke-width": "1.5" })) svg.setAttribute(name, value);
  const line = document.createElementNS(space, "polyline");
  line.setAttribute("points", points(values));
  svg.append(line);
  return svg;
}
