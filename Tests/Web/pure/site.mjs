// Where the client's modules are, for the tests.
export const site = new URL("../../../Sources/Features/Web/Site/", import.meta.url);
/** @param {string} path */
export const load = (path) => import(new URL(path, site).href);
