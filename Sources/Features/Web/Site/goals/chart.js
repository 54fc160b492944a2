// The chart of a goal: what was done up to each day, the pace that it needs and where it will end; or each day's amount against
// the target. As wide as there is room. The figures stand in a table beside it.
import { h } from "../kit/dom.js";
import { cleanup } from "../kit/signal.js";

const height = 220;
const [top, bottom] = [14, 24];

/**
 * `days` holds the days with an entry, in order. `isTotal`: the amounts add up to `needed`; otherwise each day, or each `step` days, is judged by it.
 * `isOpen`: there is no last day, and so no pace.
 * @typedef {{ start: string, end: string, today: string, needed: number, isTotal: boolean, isOpen?: boolean, step: number, days: { day: string, amount: number }[],
 *   projection?: { estimate: number, lower?: number | null, upper?: number | null } | null }} Series
 */

/** @param {string} day */
export const dayNumber = (day) => Math.round(Date.parse(`${day}T00:00:00Z`) / 86_400_000);

/**
 * Round numbers from 0 up to at least `most`, five at most.
 * @param {number} most
 */
export function ticks(most) {
  if (!(most > 0 && most < Infinity)) return [0, 1];
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((one) => one * power >= rough * 0.999) ?? 10) * power;
  const found = [0];
  while (found[found.length - 1] < most * 0.999) found.push(Number((found.length * step).toPrecision(12)));
  return found;
}

/**
 * The running total as steps, and the amounts, in days since the start.
 * @param {Series} series
 */
export function course({ start, days }) {
  const first = dayNumber(start);
  let total = 0;
  return days.map(({ day, amount }) => ({ at: dayNumber(day) - first, amount, total: (total += amount) }));
}

/**
 * The figures of the chart. Weeks that are judged as a whole are drawn as one.
 * @param {any} goal @param {any} progress
 */
export function seriesOf(goal, progress) {
  const { kind, window } = goal.rule;
  const isTotal = kind === "sum" || kind === "count";
  const byDay = (progress.days ?? []).map((/** @type {any} */ one) => ({ day: one.day, amount: progress.unit || goal.target ? one.total : one.count }));
  const counts = (/** @type {any} */ one) => (kind === "count" ? one.count : one.total);
  const shared = { start: progress.start, end: progress.end, today: progress.day, isTotal, step: 1 };
  if (isTotal) return { ...shared, isOpen: !goal.target_date, needed: progress.needed, days: (progress.days ?? []).map((/** @type {any} */ one) => ({ day: one.day, amount: counts(one) })), projection: goal.target_date ? progress.projection : null };
  const needed = kind === "average" ? progress.needed : goal.target?.amount ?? 1;
  if (kind !== "each" || window !== "week") return { ...shared, needed, days: byDay };
  const first = dayNumber(progress.start);
  /** @type {Map<number, number>} */
  const weeks = new Map();
  for (const { day, amount } of byDay) {
    const week = Math.floor((dayNumber(day) - first) / 7);
    weeks.set(week, (weeks.get(week) ?? 0) + amount);
  }
  return { ...shared, needed, step: 7, days: [...weeks].map(([week, sum]) => ({ day: new Date((first + week * 7) * 86_400_000).toISOString().slice(0, 10), amount: sum })) };
}

/** @param {string} tag @param {Record<string, any>} attributes @param {any} [text] */
function shape(tag, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, typeof value === "number" ? String(Math.round(value * 10) / 10) : value);
  if (text !== undefined) element.textContent = text;
  return element;
}

/**
 * The shapes for a width in pixels.
 * @param {Series} series @param {number} width @param {{ number: (value: number) => string, day: (day: string) => string }} say
 */
function draw(series, width, say) {
  const { start, end, today, needed, isTotal, step, projection } = series;
  const points = course(series);
  const span = Math.max(1, dayNumber(end) - dayNumber(start) + (isTotal ? 0 : 1));
  const now = Math.min(span, Math.max(0, dayNumber(today) - dayNumber(start)));
  const done = points.length ? points[points.length - 1].total : 0;
  const scale = ticks(Math.max(needed, isTotal ? Math.max(done, projection?.upper ?? 0, projection?.estimate ?? 0) : Math.max(0, ...points.map((one) => one.amount))));
  const most = scale[scale.length - 1];
  const x = (/** @type {number} */ at) => (at / span) * (width - 2) + 1;
  const y = (/** @type {number} */ value) => height - bottom - (Math.min(value, most) / most) * (height - top - bottom);
  const line = (/** @type {string} */ name, /** @type {[number, number][]} */ ends) => shape("polyline", { class: name, points: ends.map(([at, value]) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(" ") });
  const parts = scale.map((value) => shape("line", { class: "grid", x1: 0, x2: width, y1: y(value), y2: y(value) }));
  if (isTotal) {
    const last = /** @type {[number, number]} */ ([now, done]);
    if (projection && now < span) {
      const { estimate, lower, upper } = projection;
      if (lower != null && upper != null) parts.push(shape("polygon", { class: "band", points: [last, [span, upper], [span, lower]].map(([at, value]) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(" ") }));
      parts.push(line("ahead", [last, [span, estimate]]));
    }
    parts.push(line("pace", [[0, series.isOpen ? needed : 0], [span, needed]]));
    /** @type {[number, number][]} */
    const steps = [[0, 0]];
    for (const { at, amount, total } of points) steps.push([at, total - amount], [at, total]);
    parts.push(line("done", [...steps, last]));
  } else {
    const wide = Math.max(1, Math.min(24, (width / span) * step * 0.7));
    for (const { at, amount } of points) parts.push(shape("rect", { class: "day", x: x(at + step / 2) - wide / 2, width: wide, y: y(amount), height: Math.max(1, height - bottom - y(amount)) }));
    parts.push(line("pace", [[0, needed], [span, needed]]));
  }
  if (now > 0 && now < span) parts.push(shape("line", { class: "now", x1: x(now), x2: x(now), y1: top, y2: height - bottom }));
  parts.push(...scale.slice(1).map((value) => shape("text", { x: 2, y: y(value) - 4 }, say.number(value))));
  parts.push(shape("text", { x: 2, y: height - 6 }, say.day(start)), shape("text", { x: width - 2, y: height - 6, "text-anchor": "end" }, say.day(end)));
  return parts;
}

/**
 * The chart, drawn again when its width changes.
 * @param {Series} series @param {string} label what it shows, for screen readers
 * @param {{ number: (value: number) => string, day: (day: string) => string }} say
 */
export function chart(series, label, say) {
  const picture = shape("svg", { class: "chart", role: "img", "aria-label": label, height });
  const holder = h("div", { class: "chart-holder" }, picture);
  let drawn = 0;
  const seen = new ResizeObserver(() => {
    const width = Math.round(holder.clientWidth);
    if (width < 40 || width === drawn) return;
    drawn = width;
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    picture.replaceChildren(...draw(series, width, say));
  });
  seen.observe(holder);
  cleanup(() => seen.disconnect());
  return holder;
}
