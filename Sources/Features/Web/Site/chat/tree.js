// The messages of a session as a tree: an edited question is another child of the same message. The oldest messages may be
// missing: a message whose parent is unknown begins a tree of its own. Pure.

/**
 * `parent` of a step is the key of its siblings: the parent's id, or "root".
 * @typedef {{ id: number | string, role: string, content: string, created_at?: string, parent_id?: number | string | null, run?: string | null }} Message
 * @typedef {{ message: Message, parent: number | string, siblings: Message[], index: number }} Step
 */

const root = "root";

/**
 * The key of each message's parent, in order. Sessions from before branches have no parents: they are one line.
 * @param {Message[]} messages @returns {(number | string)[]}
 */
function parentsOf(messages) {
  const hasParents = messages.some((one) => one.parent_id != null);
  let before = /** @type {Message | null} */ (null);
  return messages.map((message) => {
    const isLine = !hasParents || message.parent_id === undefined || (message.parent_id === null && message.role === "assistant");
    const parent = isLine ? before?.id ?? root : message.parent_id ?? root;
    before = message;
    return parent;
  });
}

/**
 * The branch to show, from the oldest message that is known: at each message the chosen child, else the one that the latest
 * message belongs to. So older messages that are added in front change nothing behind them.
 * @param {Message[]} messages in the order of their making
 * @param {Map<number | string, number | string>} [chosen] child by parent ("root" for the first)
 * @param {boolean} [isWhole] no older message is missing
 * @returns {Step[]}
 */
export function branch(messages, chosen = new Map(), isWhole = true) {
  const parents = parentsOf(messages);
  /** @type {Map<number | string, number[]>} */
  const children = new Map();
  /** @type {Map<number | string, number>} */
  const places = new Map();
  messages.forEach((message, place) => places.set(message.id, place));
  messages.forEach((_, place) => {
    if (isWhole && !places.has(parents[place])) parents[place] = root;
    const list = children.get(parents[place]);
    if (list) list.push(place);
    else children.set(parents[place], [place]);
  });
  // The latest message below each one; children come after their parents.
  const latest = messages.map((_, place) => place);
  for (let place = messages.length - 1; place >= 0; place -= 1) {
    const parent = places.get(parents[place]);
    if (parent !== undefined && latest[place] > latest[parent]) latest[parent] = latest[place];
  }
  /** @type {Step[]} */
  const steps = [];
  const seen = new Set();
  for (let parent = topOf(messages, parents, places); ;) {
    const list = children.get(parent);
    if (!list) return steps;
    const wish = chosen.get(parent);
    const found = list.findIndex((place) => messages[place].id === wish);
    const index = found >= 0 ? found : list.reduce((best, place, at) => (latest[place] >= latest[list[best]] ? at : best), 0);
    const message = messages[list[index]];
    if (seen.has(message.id)) return steps;
    seen.add(message.id);
    steps.push({ message, parent, siblings: list.map((place) => messages[place]), index });
    parent = message.id;
  }
}

/**
 * The key above the first known message of the latest message's branch.
 * @param {Message[]} messages @param {(number | string)[]} parents @param {Map<number | string, number>} places
 */
function topOf(messages, parents, places) {
  let place = messages.length - 1;
  for (let turns = messages.length; turns > 0; turns -= 1) {
    const above = places.get(parents[place]);
    if (above === undefined) return parents[place];
    place = above;
  }
  return root;
}
