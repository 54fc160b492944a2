// What the console and the first steps need before they are shown: words and style.
import { style } from "../../kit/dom.js";
import { ready as shared } from "../../kit/library.js";
import { addWords } from "../../kit/words.js";

export const ready = Promise.all([shared, style(new URL("../../css/console.css", import.meta.url).href), style(new URL("../../css/console-start.css", import.meta.url).href),
  addWords({ en: () => import("../../words/console-en.js"), de: () => import("../../words/console-de.js") }), addWords({ en: () => import("../../words/console-start-en.js"), de: () => import("../../words/console-start-de.js") })]);
