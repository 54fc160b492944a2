// Values that know who reads them. An effect runs again when a signal that it read has changed. Effects run in the order
// in which they were made, once per batch, and belong to the scope in which they were made.

/** @template T @typedef {{ value: T, peek(): T }} Signal */
/** @typedef {{ run: () => void, sources: Set<Set<Job>>, order: number, isOver: boolean }} Job */

/** @type {Job | null} */
let reader = null;
/** @type {(() => void)[] | null} */
let owner = null;
let depth = 0;
let made = 0;
/** @type {Set<Job>} */
let due = new Set();

/**
 * A value to read and write through `.value`. Writing the same value (`Object.is`) tells nobody.
 * @template T @param {T} first @returns {Signal<T>}
 */
export function signal(first) {
  let now = first;
  /** @type {Set<Job>} */
  const readers = new Set();
  return {
    get value() {
      if (reader) {
        readers.add(reader);
        reader.sources.add(readers);
      }
      return now;
    },
    set value(next) {
      if (Object.is(now, next)) return;
      now = next;
      for (const job of readers) due.add(job);
      if (depth === 0) flush();
    },
    peek: () => now,
  };
}

/**
 * A read-only signal that is computed from others.
 * @template T @param {() => T} compute @returns {Signal<T>}
 */
export function computed(compute) {
  const result = signal(/** @type {any} */ (undefined));
  effect(() => { result.value = compute(); });
  return result;
}

/**
 * Runs `body` now and whenever a signal that it read changes. What `body` returns is called before the next run and at
 * the end. Returns a function that ends the effect.
 * @param {() => void | (() => void)} body @returns {() => void}
 */
export function effect(body) {
  /** @type {(() => void)[]} */
  let inner = [];
  const end = () => {
    for (const source of job.sources) source.delete(job);
    job.sources.clear();
    const cleanups = inner;
    inner = [];
    for (const cleanup of cleanups) cleanup();
  };
  /** @type {Job} */
  const job = {
    sources: new Set(), order: made++, isOver: false,
    run() {
      end();
      const outer = [reader, owner];
      reader = job;
      owner = inner;
      try {
        const cleanup = body();
        if (typeof cleanup === "function") inner.push(cleanup);
      } finally {
        [reader, owner] = /** @type {any} */ (outer);
      }
    },
  };
  const stop = () => { job.isOver = true; due.delete(job); end(); };
  owner?.push(stop);
  job.run();
  return stop;
}

/**
 * Runs `body`; effects wait until it returns.
 * @template T @param {() => T} body @returns {T}
 */
export function batch(body) {
  depth += 1;
  try {
    return body();
  } finally {
    depth -= 1;
    if (depth === 0) flush();
  }
}

/**
 * Runs `body` and returns a function that ends every effect made in it.
 * @param {() => void} body
 */
export function scope(body) {
  /** @type {(() => void)[]} */
  const ends = [];
  const outer = [reader, owner];
  reader = null;
  owner = ends;
  try {
    body();
  } finally {
    [reader, owner] = /** @type {any} */ (outer);
  }
  return () => { for (const end of ends.splice(0)) end(); };
}

/**
 * Calls `end` when the current scope or effect ends.
 * @param {() => void} end
 */
export function cleanup(end) { owner?.push(end); }

/**
 * Reads signals without depending on them.
 * @template T @param {() => T} body @returns {T}
 */
export function untracked(body) {
  const outer = reader;
  reader = null;
  try { return body(); } finally { reader = outer; }
}

function flush() {
  for (let round = 0; due.size > 0; round += 1) {
    if (round > 100) { due.clear(); throw new Error("effects change what they read"); }
    const jobs = [...due].sort((a, b) => a.order - b.order);
    due = new Set();
    depth += 1;
    try {
      for (const job of jobs) if (!job.isOver) job.run();
    } finally {
      depth -= 1;
    }
  }
}
