// Keeps the composer above a phone's keyboard where the browser does not do so itself (iOS).

const view = globalThis.visualViewport;
const root = document.documentElement;

/** A keyboard takes a third of the screen; bars of the browser take less. */
function changed() {
  if (!view) return;
  const isOpen = view.scale === 1 && view.height < globalThis.innerHeight * 0.75;
  root.classList.toggle("keyboard-open", isOpen);
  if (isOpen) root.style.setProperty("--view-height", `${view.height}px`);
  else root.style.removeProperty("--view-height");
  if (isOpen && view.offsetTop > 0) scrollTo(0, 0);
}

/** Follows the part of the page that is seen. */
export function watchViewport() {
  view?.addEventListener("resize", changed);
  view?.addEventListener("scroll", changed);
  changed();
}
