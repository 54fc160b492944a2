// Tight and loose lists.
/** @typedef {import("./blocks.js").Block} Block */

/**
 * Whether no blank line is between the items of a list or their parts.
 * @param {Block} list
 */
export function isTight(list) {
  return list.kids.every((item, index) => {
    const isLast = index === list.kids.length - 1;
    if (!isLast && endsBlank(item)) return false;
    return item.kids.every((kid, place) => (isLast && place === item.kids.length - 1) || !endsBlank(kid));
  });
}

/** @param {Block | undefined} block */
function endsBlank(block) {
  for (let one = block; one; one = one.kids[one.kids.length - 1]) {
    if (one.endsBlank) return true;
    if (one.isChecked || (one.kind !== "list" && one.kind !== "item")) break;
    one.isChecked = true;
  }
  return false;
}
