// The threads: the list by momentum, or one thread, as the address says.
import { define } from "../kit/dom.js";
import { route } from "../kit/router.js";
import { computed, effect } from "../kit/signal.js";
import { threadView } from "./thread.js";
import { threadsList } from "./list.js";
import { swap } from "../kit/library.js";
export { ready } from "../kit/library.js";

define("selene-threads", (element) => {
  element.className = "library";
  const thread = computed(() => (route.value.view === "threads" ? Number(route.value.id ?? 0) || 0 : null));
  effect(() => {
    if (thread.value === null) return;
    swap(element, thread.value > 0 ? threadView(thread.value) : threadsList());
  });
});
