// The messages of a session as a tree: an edited question is another child of the same message. Pure.

/**
 * @typedef {{ id: number | string, role: string, content: string, created_at?: string, parent_id?: number | string | null, run?: string | null }} Message
 * @typedef {{ message: Message, siblings: Message[], index: number }} Step
 */

const root = "root";

/**
 * The children of each message, in order. Sessions from before branches have no parents: they are one line.
 * @param {Message[]} messages @returns {Map<number | string, Message[]>}
 */
export function childrenOf(messages) {
  const hasParents = messages.some((one) => one.parent_id != null);
  const known = new Set(messages.map((one) => one.id));
  /** @type {Map<number | string, Message[]>} */
  const children = new Map();
  let before = /** @type {Message | null} */ (null);
  for (const message of messages) {
    const isLine = !hasParents || (message.parent_id === undefined || (message.parent_id === null && message.role === "assistant"));
    let parent = isLine ? before?.id ?? root : message.parent_id ?? root;
    if (parent !== root && !known.has(parent)) parent = root;
    const list = children.get(parent);
    if (list) list.push(message);
    else children.set(parent, [message]);
    before = message;
  }
  return children;
}

/**
 * The branch to show: at each message the chosen child, else the latest.
 * @param {Message[]} messages @param {Map<number | string, number | string>} [chosen] child by parent ("root" for the first)
 * @returns {Step[]}
 */
export function branch(messages, chosen = new Map()) {
  const children = childrenOf(messages);
  /** @type {Step[]} */
  const steps = [];
  const seen = new Set();
  for (let at = /** @type {number | string} */ (root); ;) {
    const siblings = children.get(at);
    if (!siblings) return steps;
    const wish = chosen.get(at);
    const found = siblings.findIndex((one) => one.id === wish);
    const index = found >= 0 ? found : siblings.length - 1;
    const message = siblings[index];
    if (seen.has(message.id)) return steps;
    seen.add(message.id);
    steps.push({ message, siblings, index });
    at = message.id;
  }
}

/**
 * The key of a message's parent in `chosen`.
 * @param {Message} message @param {Step[]} steps
 */
export function parentKey(message, steps) {
  const place = steps.findIndex((step) => step.message === message);
  return place > 0 ? steps[place - 1].message.id : root;
}
