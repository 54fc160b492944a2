"""Capture: writing a note, the outbox that delivers exactly once, sharing, signing out with notes that wait."""

import json
import unittest

from browser import PHONE, PageTest, expect

# Returns the rows of a store of the page's database. A database that the page has not made yet stays unmade.
ROWS = """name => new Promise(resolve => {
  const request = indexedDB.open("selene");
  request.onupgradeneeded = () => request.transaction.abort();
  request.onerror = () => resolve([]);
  request.onsuccess = () => {
    const base = request.result;
    if (!base.objectStoreNames.contains(name)) { base.close(); return resolve([]); }
    const all = base.transaction(name).objectStore(name).getAll();
    all.onsuccess = () => { base.close(); resolve(all.result); };
  };
})"""


def is_wiped(page):
    """Whether a browser that was signed out keeps nothing."""
    return all(page.evaluate(ROWS, name) == [] for name in ("outbox", "read")) and page.evaluate("localStorage.length") == 0


class CaptureTest(PageTest):
    def go(self, address="capture", page=None):
        (page or self.page).goto(f"{self.gateway.url}#/{address}")
        expect((page or self.page).get_by_role("heading", level=1)).not_to_have_text("New chat")

    def send_now(self):
        """Presses the button, unless the outbox was faster: it tries again by itself."""
        self.page.evaluate("[...document.querySelectorAll('button')].find(one => one.textContent === 'Send now')?.click()")

    def write(self, text, title="", tags="", page=None, button="Save the note"):
        page = page or self.page
        page.get_by_label("Note", exact=True).fill(text)
        if title:
            page.get_by_label("Title").fill(title)
        if tags:
            page.get_by_label("Tags").fill(tags)
        page.get_by_role("button", name=button).click()

    def waiting(self, page=None):
        return (page or self.page).get_by_role("list", name="Notes that wait").get_by_role("listitem")

    def rows(self, name="outbox", page=None):
        return (page or self.page).evaluate(ROWS, name)

    def arrived(self, number):
        self.until(lambda: len(self.gateway.written) == number)
        self.until(lambda: self.rows() == [])
        self.assertEqual(len(self.gateway.written), number)

    def contents(self):
        return [one["content"] for one in self.gateway.written.values()]


class Capture(CaptureTest):
    def test_a_note_is_written_and_arrives(self):
        page = self.page
        self.go("notes")
        page.get_by_role("link", name="New note").click()
        self.write("# Winch of the boat\n\nOil it in spring.", tags="#boat, pier boat")
        expect(page.get_by_text("Saved:")).to_be_visible()
        (note,) = self.gateway.written.values()
        self.assertEqual((note["title"], note["content"], note["tags"]), ("Winch of the boat", "# Winch of the boat\n\nOil it in spring.", ["boat", "pier"]))
        self.assertRegex(note["created_at"], r"^20\d\d-.*Z$")
        expect(page.get_by_label("Note", exact=True)).to_have_value("")
        page.get_by_role("link", name="Winch of the boat").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Winch of the boat")
        self.assertEqual(self.rows(), [])

    def test_the_draft_is_kept(self):
        page = self.page
        self.go()
        page.get_by_label("Note", exact=True).fill("half a thought")
        page.get_by_label("Tags").fill("draft")
        page.reload()
        expect(page.get_by_label("Note", exact=True)).to_have_value("half a thought")
        expect(page.get_by_label("Tags")).to_have_value("draft")
        self.assertEqual(self.gateway.tries, [])

    def test_by_keyboard(self):
        page = self.page
        self.loaded("shell/keys.js", "capture/outbox.js")
        page.keyboard.press("Alt+c")
        expect(page.get_by_label("Note", exact=True)).to_be_focused()
        page.keyboard.type("by keyboard")
        page.keyboard.press("Control+Enter")
        self.arrived(1)
        expect(page.get_by_label("Note", exact=True)).to_be_focused()

    def test_the_gateway_is_away_and_comes_back(self):
        page, gateway = self.page, self.gateway
        self.go()
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        gateway.is_down = True
        self.write("first")
        self.write("second", title="Two")
        expect(self.waiting()).to_have_count(2)
        expect(page.get_by_text("2 notes wait in this browser")).to_be_visible()
        gateway.is_down = False
        self.send_now()
        self.arrived(2)
        expect(self.waiting()).to_have_count(0)
        self.assertEqual(self.contents(), ["first", "second"])

    def test_what_waits_is_edited_and_discarded(self):
        page, gateway = self.page, self.gateway
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        self.go()
        gateway.is_down = True
        for text in ("one", "two", "three"):
            self.write(text)
        expect(self.waiting()).to_have_count(3)
        page.get_by_role("link", name="Edit two").click()
        expect(page.get_by_label("Note", exact=True)).to_have_value("two")
        self.write("two, better", title="Two", button="Save the change")
        expect(self.waiting().nth(1)).to_contain_text("Two")
        page.get_by_role("button", name="Discard one").click()
        page.get_by_role("button", name="Discard three").click()
        expect(self.waiting()).to_have_count(1)
        page.get_by_role("button", name="Undo").last.click()
        expect(self.waiting()).to_have_count(2)
        page.reload()
        expect(self.waiting()).to_have_count(2)
        gateway.is_down = False
        self.send_now()
        self.arrived(2)
        self.assertEqual(sorted(self.contents()), ["three", "two, better"])

    def test_a_lost_reply_makes_no_second_note(self):
        self.go()
        self.gateway.lost_replies = 2
        self.write("once")
        self.arrived(1)
        self.assertEqual(len({key for key, _ in self.gateway.tries}), 1)
        self.assertGreaterEqual(len(self.gateway.tries), 3)

    def test_a_note_edited_after_a_lost_reply_is_one_note_with_the_new_text(self):
        page, gateway = self.page, self.gateway
        self.go()
        # The browser itself repeats a request when a connection ends without a reply.
        gateway.lost_replies = 1000
        self.write("as sent", tags="a")
        self.until(lambda: len(gateway.tries) >= 1)
        page.get_by_role("link", name="Edit as sent").click()
        self.write("as changed", title="New", button="Save the change")
        gateway.lost_replies = 0
        self.send_now()
        self.arrived(1)
        (note,) = gateway.written.values()
        self.assertEqual((note["title"], note["content"], note["tags"]), ("New", "as changed", ["a"]))

    def test_a_note_that_is_refused_says_why_and_waits(self):
        page, gateway = self.page, self.gateway
        self.go()
        gateway.fail("POST /api/notes", 403, "forbidden", "the key lacks the scope notes:write")
        self.write("refused")
        expect(self.waiting()).to_contain_text("the key lacks the scope notes:write")
        self.write("not refused")
        self.until(lambda: len(gateway.written) == 1)
        expect(self.waiting()).to_have_count(1)
        self.waiting().get_by_role("button", name="Try again").click()
        self.arrived(2)

    def test_a_text_that_is_there_already_counts_as_arrived(self):
        self.go()
        self.write("the same", title="Same")
        self.arrived(1)
        self.write("the same", title="Same")
        self.until(lambda: len(self.gateway.tries) == 2)
        self.arrived(1)

    def test_two_tabs_deliver_once(self):
        page, gateway = self.page, self.gateway
        self.go()
        other = self.context.new_page()
        other.set_default_timeout(20_000)
        self.go(page=other)
        gateway.is_down = True
        for text in ("one", "two", "three"):
            self.write(text)
        # The other tab shows what waits without being asked.
        expect(self.waiting(other)).to_have_count(3)
        gateway.is_down = False
        for one in (page, other):
            one.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        self.arrived(3)
        self.assertEqual(len(gateway.tries), 3)
        expect(self.waiting(other)).to_have_count(0)

    def test_what_waits_survives_a_reload_and_goes_by_itself(self):
        self.go()
        self.gateway.is_down = True
        self.write("later")
        expect(self.waiting()).to_have_count(1)
        self.gateway.is_down = False
        self.page.goto(self.gateway.url + "#/chat")
        self.page.reload()
        self.arrived(1)

    def test_without_a_database_the_text_stays(self):
        _, page = self.open("#/chat", storage_state=None)
        page.add_init_script("Object.defineProperty(globalThis, 'indexedDB', {value: {open() { throw new DOMException('off', 'SecurityError'); }, databases: async () => []}})")
        page.reload()
        self.go(page=page)
        self.write("kept here", page=page)
        expect(page.get_by_role("alert")).to_contain_text("can keep nothing")
        expect(page.get_by_label("Note", exact=True)).to_have_value("kept here")


class Share(CaptureTest):
    def share(self, **fields):
        self.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        self.page.reload()
        expect(self.page.get_by_label("Your question")).to_be_visible()
        self.page.evaluate("""fields => {
          const form = document.body.appendChild(document.createElement('form'));
          Object.assign(form, {method: 'post', enctype: 'multipart/form-data', action: 'share'});
          for (const [name, value] of Object.entries(fields)) form.append(Object.assign(document.createElement('input'), {name, value}));
          form.submit();
        }""", fields)

    def test_what_another_app_shares_fills_the_form_and_is_sent_after_a_press(self):
        page = self.page
        self.share(title="Tides", text="Worth reading", url="https://example.org/tides")
        expect(page.get_by_label("Title")).to_have_value("Tides")
        expect(page.get_by_label("Note", exact=True)).to_have_value("Worth reading\n\nhttps://example.org/tides")
        self.assertEqual([path for method, path in self.gateway.requests if method == "POST"], [])
        page.get_by_role("button", name="Save the note").click()
        self.arrived(1)
        self.assertEqual(self.page.evaluate("caches.has('selene-shared')"), False)

    def test_a_shared_page_can_become_a_book(self):
        self.share(title="", text="https://example.org/long", url="")
        self.page.get_by_role("link", name="Add the page to the books").click()
        expect(self.page.get_by_role("dialog", name="Add a book").get_by_label("Or the address of a page")).to_have_value("https://example.org/long")

    def test_the_manifest_names_the_target_and_the_shortcut(self):
        self.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        session = self.context.new_cdp_session(self.page)
        found = session.send("Page.getAppManifest")
        self.assertEqual(found["errors"], [])
        manifest = json.loads(found["data"])
        self.assertEqual({name: manifest["share_target"]["params"][name] for name in ("title", "text", "url")}, {"title": "title", "text": "text", "url": "url"})
        self.assertIn("./#/capture", [one["url"] for one in manifest["shortcuts"]])


class SignedOut(CaptureTest):
    options = {"needs_key": True}

    def sign_in(self, page=None):
        page = page or self.page
        page.get_by_label("Key", exact=True).fill("slk_test")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("navigation", name="Main")).to_be_visible()

    def test_signing_out_wipes_what_waits_after_a_warning(self):
        page, gateway = self.page, self.gateway
        self.sign_in()
        self.go()
        gateway.fail("POST /api/notes", 503, times=100)
        self.write("secret plan")
        expect(self.waiting()).to_have_count(1)
        page.get_by_label("Note", exact=True).fill("a draft")
        self.go("settings")
        page.get_by_role("button", name="Sign out", exact=True).last.click()
        expect(page.get_by_role("alert")).to_contain_text("would be lost: 1")
        self.assertEqual(len(self.rows()), 1)
        self.sign_out()
        self.until(lambda: is_wiped(page))
        gateway.status.clear()
        self.sign_in()
        self.go()
        expect(page.get_by_label("Note", exact=True)).to_have_value("")
        self.assertEqual(gateway.written, {})

    def test_another_key_neither_sees_nor_sends_what_waits(self):
        page, gateway = self.page, self.gateway
        self.sign_in()
        self.go()
        gateway.fail("POST /api/notes", 503, times=100)
        self.write("of the phone")
        expect(self.waiting()).to_have_count(1)
        gateway.status.clear()
        gateway.cookies.clear()
        gateway.key_name = "tablet"
        page.reload()
        self.sign_in()
        self.go()
        self.write("of the tablet")
        self.until(lambda: len(gateway.written) == 1)
        expect(self.waiting()).to_have_count(0)
        self.assertEqual(self.contents(), ["of the tablet"])
        gateway.cookies.clear()
        gateway.key_name = "phone"
        page.reload()
        self.sign_in()
        self.arrived(2)


class Looks:
    """Every state of the view: no violation that axe finds, nothing that scrolls sideways."""

    def test_states(self):
        page, gateway = self.page, self.gateway
        self.go()
        self.view("an empty form")
        gateway.fail("POST /api/notes", 403, "forbidden", "the key lacks the scope notes:write")
        self.write("A thought of some length that has no title of its own, and goes on and on beyond what a row shows\n\nhttps://example.org/averylongaddresswithoutanyplacetobreak/" + "x" * 80)
        expect(self.waiting()).to_contain_text("lacks the scope")
        gateway.is_down = True
        self.write("It waits")
        expect(self.waiting()).to_have_count(2)
        page.get_by_role("link", name="Edit A thought").click()
        expect(page.get_by_role("link", name="Add the page to the books")).to_be_visible()
        self.view("notes that wait, one edited")
        self.shot("capture")
        page.evaluate("document.documentElement.dir = 'rtl'")
        self.view("notes that wait, mirrored")

    def shot(self, name):
        import os
        if os.environ.get("SHOTS"):
            self.page.screenshot(path=f"{os.environ['SHOTS']}/{name}-{self.viewport['width']}-{self.scheme}.png")


class Light(Looks, CaptureTest):
    pass


class PhoneDark(Looks, CaptureTest):
    viewport = PHONE
    scheme = "dark"


if __name__ == "__main__":
    unittest.main()
