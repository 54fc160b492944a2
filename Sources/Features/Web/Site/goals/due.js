// What is due of the goals today, for the page of today; and what all pages of goals need before they are shown.
import { call } from "../net/api.js";
import { query } from "../net/source.js";
import { style } from "../kit/dom.js";
import { ready as shared } from "../kit/library.js";
import { addWords } from "../kit/words.js";
import { zone } from "./data.js";
import { goalRow } from "./rows.js";

export const ready = Promise.all([shared, style(new URL("../css/goals.css", import.meta.url).href),
  addWords({ en: () => import("../words/goals-en.js"), de: () => import("../words/goals-de.js") })]);

/** The goals of today, and how many things wait for an answer. */
export const ask = () => call("GET", `api/goals/today?${query({ zone })}`);

/** @param {any} goal */
export const isDue = ({ progress }) => progress?.is_due && !progress.is_done;

/** @param {any} today */
export const rows = (today) => today.goals.filter(isDue).map((/** @type {any} */ one) => goalRow(one));
