"""Notifications in the client: switching them on, the worker, rules, what came and why, other devices."""

import json
import unittest

from browser import PHONE, PageTest, expect
from stand_in_push import Push

# Headless Chromium has no push service and shows nothing: the browser's half is a subscription that stays until it is ended,
# and a list of what would be shown.
SUBSCRIBE = """(() => {
  const name = 'test.endpoint', make = () => ({ endpoint: localStorage.getItem(name), options: {}, toJSON: () => ({ endpoint: localStorage.getItem(name), keys: { p256dh: 'p', auth: 'a' } }),
    unsubscribe: async () => { localStorage.removeItem(name); return true; } });
  Object.defineProperty(Notification, 'permission', { get: () => 'granted' });
  Notification.requestPermission = async () => 'granted';
  PushManager.prototype.getSubscription = async () => localStorage.getItem(name) ? make() : null;
  PushManager.prototype.subscribe = async options => { if (globalThis.failing) throw new DOMException('no service', 'AbortError'); globalThis.asked = options.applicationServerKey.length; localStorage.setItem(name, 'https://push.example/1'); return make(); };
})()"""

RECORD = """() => {
  if (self.list) return;
  self.list = [];
  self.registration.showNotification = async (title, options) => {
    // What the browser itself would refuse.
    if (options.renotify && !options.tag) throw new TypeError('renotify without a tag');
    const notification = { data: structuredClone(options.data), close: () => { self.list = self.list.filter(one => one.notification !== notification); } };
    self.list = [...self.list.filter(one => !options.tag || one.options.tag !== options.tag), { title, options, notification }];
  };
}"""


class PushTest(PageTest):

    def setUp(self):
        super().setUp()
        self.push = self.gateway.push

    def open(self, path="", **options):
        if path == "" and not hasattr(self, "page"):
            path = "#/settings"
        context, page = super().open(path, **options)
        context.add_init_script(SUBSCRIBE)
        page.reload()
        return context, page

    def go(self, address="notifications"):
        self.page.goto(f"{self.gateway.url}#/{address}")

    def section(self, title):
        return self.page.locator("section").filter(has=self.page.get_by_role("heading", name=title, level=2, exact=True))

    def toast(self):
        return self.page.locator(".toast").last

    def worker(self):
        """The active worker, once it has taken over."""
        self.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        return self.context.service_workers[0] if self.context.service_workers else self.context.wait_for_event("serviceworker")

    def turn_on(self):
        self.worker()
        self.go()
        self.page.get_by_label("Name of this browser").fill("desk browser")
        self.page.get_by_role("button", name="Turn on").click()
        expect(self.page.get_by_text("This browser is called “desk browser”.")).to_be_visible()
        return next(one for one in self.push.devices.values() if one["channel"] == "web_push")

    def deliver(self, message):
        """As a push service does it."""
        self.worker().evaluate(RECORD)
        self.dispatch("new PushEvent('push', { data })", data=message if isinstance(message, str) else json.dumps(message))

    def dispatch(self, event, **values):
        """An event in the worker, until what it waits for is done."""
        self.worker().evaluate("""async ({ values: { data, action } }) => {
          const event = %s;
          let done;
          event.waitUntil = promise => { done = promise; };
          self.dispatchEvent(event);
          await Promise.resolve(done).catch(error => { self.failed = String(error); });
        }""" % event, {"values": values})

    def shown(self):
        return self.worker().evaluate("self.list.map(({ title, options }) => ({ title, ...options }))")

    def press(self, action=""):
        """A press on the latest notification."""
        self.dispatch("Object.assign(new ExtendableEvent('notificationclick'), { notification: self.list.at(-1).notification, action })", action=action)


def message(title, id="l-1", **more):
    own = more.pop("data", {})
    return {"web_push": 8030, "notification": {"title": title, "tag": id, "navigate": "http://gateway.example/?push=" + id, "data": {"id": id, **own}, **more}}


class TurningOn(PushTest):
    def test_on_a_test_off_and_after_a_reload(self):
        page = self.page
        page.get_by_role("link", name="Notifications").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Notifications")
        made = self.turn_on()
        self.assertEqual(page.evaluate("globalThis.asked"), 65, "the gateway's key, decoded")
        self.assertTrue(made["settings"]["zone"])
        page.reload()
        expect(page.get_by_text("Notifications are on.")).to_be_visible()
        page.get_by_role("button", name="Send a test").click()
        expect(page.get_by_role("status").filter(has_text="Handed over")).to_be_visible()
        self.assertEqual(self.push.last["devices"], [made["id"]])
        page.get_by_role("button", name="Turn off").click()
        expect(page.get_by_role("button", name="Turn on")).to_be_visible()
        self.assertNotIn(made["id"], self.push.devices)
        self.assertIsNone(page.evaluate("localStorage.getItem('test.endpoint')"))

    def test_what_stands_against_it_is_said(self):
        page = self.page
        self.worker()
        self.push.has_key = False
        self.go()
        page.get_by_role("button", name="Turn on").click()
        expect(page.get_by_role("alert")).to_contain_text("On its machine: selene config set push_vapid_key FILE")
        self.push.has_key = True
        page.evaluate("globalThis.failing = true")
        page.get_by_role("button", name="Turn on").click()
        expect(page.get_by_role("alert")).to_contain_text("could not reach its push service")
        page.evaluate("globalThis.failing = false")
        self.gateway.fail("/api/v1/devices", 507, error="the disk is full")
        page.get_by_role("button", name="Turn on").click()
        expect(page.get_by_role("alert")).to_contain_text("the disk is full")
        page.get_by_role("button", name="Turn on").click()
        expect(page.get_by_text("Notifications are on.")).to_be_visible()

    def test_a_test_that_is_held_says_why(self):
        self.turn_on()
        self.push.outcome = "dropped"
        self.page.get_by_role("button", name="Send a test").click()
        expect(self.page.get_by_text("It was not shown at once.")).to_be_visible()
        self.page.get_by_role("status").get_by_role("button", name="Why?").click()
        expect(self.page.get_by_role("dialog", name="Why?")).to_contain_text("less urgent than high")

    def test_by_keyboard(self):
        self.worker()
        self.go()
        self.page.get_by_label("Name of this browser").press("Enter")
        expect(self.page.get_by_text("Notifications are on.")).to_be_visible()
        change = self.page.get_by_role("button", name="Add quiet hours")
        change.focus()
        self.page.keyboard.press("Enter")
        expect(self.page.get_by_role("dialog")).to_be_visible()
        self.page.keyboard.press("Escape")
        expect(change).to_be_focused()


class Refused(PushTest):
    def test_a_browser_that_says_no(self):
        self.worker()
        self.page.add_init_script("Notification.requestPermission = async () => 'denied'")
        self.page.reload()
        self.go()
        self.page.get_by_role("button", name="Turn on").click()
        expect(self.page.get_by_role("alert")).to_contain_text("blocks notifications")


class Signed(PushTest):
    options = {"needs_key": True}

    def sign_in(self):
        self.page.get_by_label("Key", exact=True).fill("slk_test")
        self.page.keyboard.press("Enter")
        expect(self.page.get_by_role("heading", level=1)).to_be_visible()

    def test_a_key_without_the_scope(self):
        self.sign_in()
        self.go()
        expect(self.page.get_by_text("adds the scope push:receive")).to_be_visible()

    def test_others_are_told_whom_to_ask(self):
        self.gateway.scopes = ["push:send"]
        self.sign_in()
        self.worker()
        self.push.has_key = False
        self.go()
        self.page.get_by_role("button", name="Turn on").click()
        expect(self.page.get_by_role("alert")).to_have_text("This gateway sends nothing to browsers yet. Ask the gateway’s owner.")

    def test_signing_out_ends_the_device(self):
        self.gateway.scopes = ["push:send"]
        self.sign_in()
        made = self.turn_on()
        self.deliver(message("High water"))
        self.until(lambda: len(self.push.receipts) == 1)

        def came():
            # The worker says that it came before it keeps it; the page reads what is kept when it is opened.
            self.go("settings")
            self.go()
            self.page.wait_for_timeout(500)
            return "High water" in self.section("What came").inner_text()

        self.until(came)
        self.assertNotIn(("GET", "/api/v1/log"), self.gateway.requests, "the log is for other keys")
        self.go("settings")
        self.sign_out()
        self.assertNotIn(made["id"], self.push.devices)
        self.sign_in()
        self.go()
        expect(self.section("What came")).to_contain_text("Nothing yet.")


class Worker(PushTest):
    def test_a_message_is_shown_acknowledged_and_kept(self):
        self.turn_on()
        self.deliver(message("High water", body="at 18:40", silent=True, actions=[{"action": "chart", "title": "Chart", "navigate": "https://tides.example/chart"}], data={"actions": [{"id": "chart", "title": "Chart", "type": "open", "url": "https://tides.example/chart"}]}))
        self.until(lambda: self.push.receipts)
        self.assertEqual(self.push.receipts, [("l-1", {"event": "delivered"})])
        [shown] = self.shown()
        self.assertEqual((shown["title"], shown["body"], shown["tag"]), ("High water", "at 18:40", "l-1"))
        self.assertEqual([one["action"] for one in shown["actions"]], ["chart"])
        self.deliver(message("Higher water", body="at 18:50"))
        self.until(lambda: [one["title"] for one in self.shown()] == ["Higher water"])

    def test_a_message_that_cannot_be_read_shows_too(self):
        self.turn_on()
        for data in ("no JSON", "[1]", '{"notification": {"title": 7}}'):
            self.deliver(data)
            self.until(lambda: any(one["title"] == "Selene" for one in self.shown()))
        self.assertEqual(self.push.receipts, [])

    def test_a_press_opens_the_page_at_the_message_and_buttons_are_told(self):
        self.turn_on()
        buttons = [{"id": "done", "title": "Done", "type": "acknowledge"}, {"id": "light", "title": "Light", "type": "server", "action": "light"}]
        self.deliver(message("High water", data={"actions": buttons, "url": "javascript:alert(1)"}, actions=[{"action": one["id"], "title": one["title"], "navigate": "http://x/"} for one in buttons]))
        self.until(lambda: self.push.receipts)
        self.press()
        expect(self.page).to_have_url(self.gateway.url + "#/notifications?came=l-1")
        self.until(lambda: ("l-1", {"event": "opened"}) in self.push.receipts)
        for action, event in (("done", {"event": "acknowledged"}), ("light", {"event": "action", "action": "light"})):
            self.deliver(message("Again", data={"actions": buttons}))
            self.until(lambda: [one["title"] for one in self.shown()] == ["Again"])
            self.press(action)
            self.until(lambda: ("l-1", event) in self.push.receipts)
            self.until(lambda: self.shown() == [])

    def test_a_browser_that_shows_messages_itself_reports_by_the_address(self):
        self.page.goto(f"{self.gateway.url}?push=l-1&action=chart")
        expect(self.page).to_have_url(self.gateway.url + "#/notifications?came=l-1")
        self.until(lambda: ("l-1", {"event": "action", "action": "chart"}) in self.push.receipts)

    def test_a_replaced_subscription_reaches_the_device(self):
        made = self.turn_on()
        self.dispatch("Object.assign(new ExtendableEvent('pushsubscriptionchange'), { newSubscription: { toJSON: () => ({ endpoint: 'https://push.example/2', keys: {} }) } })")
        self.until(lambda: self.push.devices[made["id"]]["endpoint"] == "https://push.example/2")


class Rules(PushTest):
    def setUp(self):
        super().setUp()
        self.go("notifications/d-0")
        self.settings = lambda: self.push.devices["d-0"]["settings"]
        self.rules = self.section("When it may disturb")

    def save(self):
        self.page.get_by_role("dialog").get_by_role("button", name="Save").click()
        expect(self.page.get_by_role("dialog")).to_have_count(0)

    def test_quiet_hours(self):
        page = self.page
        expect(self.rules).to_contain_text("22:00–07:00, every day · high and emergency come through")
        page.get_by_role("button", name="Change: Quiet hours").click()
        page.get_by_label("From").fill("23:30")
        for day in ("Sat", "Sun"):
            page.get_by_role("dialog").get_by_label(day).uncheck()
        page.get_by_label("Comes through").select_option("none")
        self.save()
        expect(self.rules).to_contain_text("23:30–07:00, Mon, Tue, Wed, Thu, Fri · nothing comes through")
        self.assertEqual(self.settings()["quietHours"], {"windows": [{"start": "23:30", "end": "07:00", "weekdays": ["mon", "tue", "wed", "thu", "fri"]}], "breakThrough": "none"})
        self.toast().get_by_role("button", name="Undo").click()
        expect(self.rules).to_contain_text("22:00–07:00, every day")
        page.get_by_role("button", name="Add quiet hours").click()
        page.get_by_label("From").fill("13:00")
        page.get_by_label("To", exact=True).fill("13:00")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("another end")
        page.get_by_label("To", exact=True).fill("14:00")
        self.save()
        expect(self.rules).to_contain_text("13:00–14:00")
        page.get_by_role("button", name="Change: Quiet hours 22:00").click()
        page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        expect(self.rules).not_to_contain_text("22:00")
        self.assertEqual([one["start"] for one in self.settings()["quietHours"]["windows"]], ["13:00"])
        self.assertEqual(self.settings()["mutes"], [{"topic": "noise", "until": None}], "other rules stay")

    def test_digest_rate_and_zone(self):
        page = self.page
        page.get_by_role("button", name="Change: Digest").click()
        page.get_by_label("Collect what is not urgent").check()
        page.get_by_label("At these times").fill("8, 25:00")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("“25:00” is no time of day")
        page.get_by_label("At these times").fill("8, 18.30")
        page.get_by_label("up to this priority").select_option("normal")
        self.save()
        expect(self.rules).to_contain_text("at 08:00, 18:30, every day, up to normal")
        page.get_by_role("button", name="Change: Not too many").click()
        page.get_by_label("Limit how many come").check()
        page.get_by_label("At most").fill("3")
        page.get_by_label("In how many minutes").fill("5")
        self.save()
        expect(self.rules).to_contain_text("at most 3 in 5 min · high and emergency come through")
        self.assertEqual(self.settings()["rate"], {"burst": 3, "seconds": 300, "breakThrough": "high"})
        page.get_by_role("button", name="Change: Digest").click()
        page.get_by_label("Collect what is not urgent").uncheck()
        self.save()
        self.assertIsNone(self.settings()["digest"])
        page.get_by_role("button", name="Change: Time zone").click()
        page.get_by_role("dialog").get_by_label("Time zone").fill("Atlantis")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("no zone Atlantis")

    def test_mutes(self):
        page = self.page
        expect(self.rules).to_contain_text("Muted: noise")
        page.get_by_role("button", name="Unmute: Muted: noise").click()
        expect(self.rules).not_to_contain_text("Muted: noise")
        page.get_by_role("button", name="Mute something").click()
        page.get_by_label("For how long").select_option("1")
        self.save()
        expect(self.rules).to_contain_text("Muted: everything")
        self.assertRegex(self.settings()["mutes"][0]["until"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:00Z$")


class Came(PushTest):
    def test_the_log_explains_and_pages(self):
        self.go("notifications/d-0")
        log = self.section("What came")
        expect(log.locator("li")).to_have_count(20)
        self.page.get_by_role("button", name="Show more").click()
        expect(log.locator("li")).to_have_count(30)
        log.get_by_role("button", name="Why?").first.click()
        dialog = self.page.get_by_role("dialog", name="Why?")
        expect(dialog).to_contain_text("Held until")
        expect(dialog).to_contain_text("quiet hours: 22:00 to 07:00")
        expect(dialog).to_contain_text("held: until 07:00")
        self.page.keyboard.press("Escape")
        expect(log.get_by_role("button", name="Why?").first).to_be_focused()

    def test_another_device_is_removed_after_two_presses(self):
        self.go()
        self.page.get_by_role("link", name="door bell").click()
        expect(self.page.get_by_role("heading", level=1)).to_have_text("door bell")
        expect(self.page.get_by_text("No longer reachable: 410 Gone")).to_be_visible()
        remove = self.page.get_by_role("button", name="Remove the device")
        remove.click()
        expect(self.page.get_by_text("Remove door bell?")).to_be_visible()
        self.assertIn("d-2", self.push.devices)
        remove.click()
        expect(self.page.get_by_role("heading", level=1)).to_have_text("Notifications")
        expect(self.page.get_by_role("link", name="door bell")).to_have_count(0)

    def test_a_gateway_that_is_away(self):
        self.worker()
        self.gateway.is_down = True
        self.go()
        expect(self.page.get_by_role("alert")).to_contain_text("cannot be reached")
        self.gateway.is_down = False
        self.page.get_by_role("alert").get_by_role("button", name="Try again").click()
        expect(self.page.get_by_role("link", name="door bell")).to_be_visible()
        self.go("notifications/none")
        expect(self.page.get_by_role("alert")).to_contain_text("no longer there")


class Looks:
    def test_views(self):
        page = self.page
        self.go()
        expect(page.get_by_role("link", name="door bell")).to_be_visible()
        self.view("off")
        self.turn_on()
        page.get_by_role("button", name="Send a test").click()
        expect(page.get_by_text("Handed over")).to_be_visible()
        self.view("on")
        self.go("notifications/d-0")
        expect(self.section("What came").locator("li").first).to_be_visible()
        self.view("a device")
        self.section("What came").get_by_role("button", name="Why?").first.click()
        expect(page.get_by_role("dialog")).to_contain_text("What happened")
        self.view("an explanation")
        page.keyboard.press("Escape")
        for button in ("Add quiet hours", "Change: Digest", "Change: Not too many", "Mute something"):
            page.get_by_role("button", name=button).click()
            expect(page.get_by_role("dialog")).to_be_visible()
            self.view(button)
            page.keyboard.press("Escape")
        page.evaluate("document.documentElement.dir = 'rtl'")
        self.view("a device, mirrored")

    def test_empty_and_long(self):
        self.gateway.push = self.push = Push(False)
        self.turn_on()
        expect(self.section("What came")).to_contain_text("Nothing yet.")
        self.view("empty")
        made = next(iter(self.push.devices.values()))
        made["name"] = "A browser with a name without end " * 6
        made["settings"]["mutes"] = [{"topic": "T" * 64, "until": "2030-01-01T00:00:00Z"}] * 3
        for number in range(25):
            self.push.delivery(f"x-{number}", made["id"], "Verylongwordwithoutanyspace" * 8, "failed")
        self.page.reload()
        expect(self.section("What came").locator("li").first).to_be_visible()
        self.view("long")


class Light(Looks, PushTest):
    pass


class PhoneDark(Looks, PushTest):
    viewport = PHONE
    scheme = "dark"


if __name__ == "__main__":
    unittest.main()
