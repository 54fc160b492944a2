// A notification that was pressed, in a browser that shows them without the worker: the address has its delivery and button.
import { call, session } from "../net/api.js";
import { address, go } from "../kit/router.js";

/** Tells the gateway, then leads to the notification. */
export async function report() {
  const query = new URLSearchParams(location.search);
  const [id, action] = [query.get("push"), query.get("action")];
  history.replaceState(null, "", location.pathname + location.hash);
  if (!id || (session.peek()?.needs_key && !session.peek()?.signed_in)) return;
  go(address("notifications", null, { came: id }), { replace: true });
  await call("POST", `api/v1/deliveries/${encodeURIComponent(id)}/receipts`, action ? { event: "action", action } : { event: "opened" }).catch(() => {});
}
