"""Without the gateway: notes and chats that were read open again, marked with their time; bounded, and gone after signing out."""

import unittest

from browser import PHONE, PageTest, expect
from test_capture import ROWS, is_wiped


class OfflineTest(PageTest):
    def go(self, address):
        self.page.goto(f"{self.gateway.url}#/{address}")

    def title(self, text):
        expect(self.page.get_by_role("heading", level=1)).to_have_text(text)

    def rows(self):
        return self.page.evaluate(ROWS, "read")

    def kept(self, number):
        self.until(lambda: len(self.rows()) == number)

    def install(self):
        self.page.wait_for_load_state("networkidle")
        self.page.evaluate("navigator.serviceWorker.ready.then(() => true)")

    def read(self):
        """Reads a note and a chat, then the gateway goes away and the page is opened anew."""
        self.install()
        self.go("notes/12")
        self.title("Spring tide at the pier")
        self.go("chat/chat-tides")
        expect(self.page.locator(".prose").first).to_contain_text("spring tide")
        self.kept(2)
        self.gateway.is_down = True


class Offline(OfflineTest):
    def test_a_note_and_a_chat_open_again_and_say_of_when_they_are(self):
        page = self.page
        self.read()
        self.go("notes/12")
        page.reload()
        self.title("Spring tide at the pier")
        expect(page.locator("main").get_by_role("status").filter(has_text="This is as you read it")).to_be_visible()
        expect(page.locator(".note-text")).to_contain_text("reached 4.1 m")
        self.go("chat/chat-tides")
        expect(page.locator("main").get_by_role("status").filter(has_text="This is as you read it")).to_be_visible()
        expect(page.locator(".prose").first).to_contain_text("spring tide")
        self.gateway.is_down = False
        page.locator("main").get_by_role("status").filter(has_text="This is as you read it").get_by_role("button", name="Try again").click()
        expect(page.locator("main").get_by_text("This is as you read it")).to_have_count(0)
        self.go("notes/12")
        expect(page.get_by_role("heading", name="Near in meaning")).to_be_visible()
        expect(page.locator("main").get_by_text("This is as you read it")).to_have_count(0)

    def test_the_settings_list_what_is_kept_and_delete_it(self):
        page = self.page
        self.read()
        self.go("settings")
        kept = page.locator("section").filter(has=page.get_by_role("heading", name="Without the gateway"))
        kept.get_by_text("1 note", exact=True).click()
        kept.get_by_text("1 chat", exact=True).click()
        expect(kept.get_by_role("link", name="When is the tide highest?")).to_be_visible()
        self.view("what is kept")
        kept.get_by_role("link", name="Spring tide at the pier").click()
        self.title("Spring tide at the pier")
        self.go("settings")
        kept.get_by_role("button", name="Delete these copies").click()
        expect(kept.get_by_text("Nothing is kept yet.")).to_be_visible()
        self.assertEqual(self.rows(), [])

    def test_words_of_a_chosen_language_and_the_console_are_there_once_they_were_used(self):
        page = self.page
        page.evaluate("localStorage.setItem('selene.language', 'de')")
        page.reload()
        expect(page.get_by_label("Deine Frage")).to_be_visible()
        self.install()
        self.go("console")
        expect(page.get_by_role("heading", level=1)).to_have_text("Überblick")
        kept = "caches.keys().then(names => caches.open(names.find(name => name.startsWith('selene-shell-')))).then(cache => cache.keys()).then(all => all.map(one => new URL(one.url).pathname.split('/').slice(3).join('/')))"
        self.until(lambda: {"words/de.js", "words/console-de.js", "console/view.js"} <= set(page.evaluate(kept)))
        self.assertIn("words/en.js", page.evaluate(kept), "the browser's own language")
        self.gateway.is_down = True
        page.reload()
        expect(page.get_by_role("heading", level=1)).to_have_text("Überblick")

    def test_what_was_not_used_is_not_loaded(self):
        self.install()
        kept = self.page.evaluate("caches.keys().then(names => caches.open(names.find(name => name.startsWith('selene-shell-')))).then(cache => cache.keys()).then(all => all.map(one => one.url))")
        self.assertEqual([url for url in kept if "console" in url or url.endswith(("/de.js", "-de.js"))], [])

    def test_the_lists_are_of_what_was_read(self):
        page = self.page
        self.read()
        self.go("notes")
        page.reload()
        expect(page.locator(".entry")).to_have_count(1)
        expect(page.locator("main").get_by_text("This is as you read it")).to_be_visible()
        expect(page.locator("selene-sessions .session")).to_have_count(1)
        expect(page.get_by_role("link", name="When is the tide highest?")).to_be_visible()
        page.get_by_label("Search notes").fill("PIER spring")
        expect(page.locator(".entry")).to_have_count(1)
        page.get_by_label("Search notes").fill("garden")
        expect(page.get_by_role("alert")).to_contain_text("cannot be reached")

    def test_what_was_not_read_is_not_there(self):
        self.read()
        self.go("notes/15")
        expect(self.page.get_by_role("alert")).to_contain_text("cannot be reached")

    def test_a_note_that_is_gone_is_forgotten(self):
        self.go("notes/12")
        self.kept(1)
        self.go("notes")
        expect(self.page.locator(".entry").first).to_be_visible()
        self.gateway.fail("GET /api/notes/12", 404, "not_found", "there is no note 12")
        self.go("notes/12")
        expect(self.page.get_by_role("alert").first).to_contain_text("no longer there")
        self.kept(0)

    def test_no_more_than_200_notes_and_20_chats_are_kept(self):
        self.loaded("net/base.js")
        self.page.evaluate("""async path => {
          const { reading } = await import(path);
          // Each a moment later than the one before, whatever the machine's clock does.
          let now = Date.now();
          Date.now = () => (now += 1);
          for (let n = 0; n < 205; n += 1) await reading("note", n, async () => ({ id: n, title: `n${n}`, content: "" }));
          for (let n = 0; n < 23; n += 1) await reading("session", `s${n}`, async () => ({ messages: [], session: { id: `s${n}` } }));
          await reading("note", "large", async () => ({ id: 1, title: "", content: "x".repeat(1_000_001) }));
        }""", f"{self.gateway.url}app/{self.gateway.site.hash}/net/base.js")
        self.kept(220)
        kinds = {kind: sorted(row["data"]["title"] if kind == "note" else row["data"]["session"]["id"] for row in self.rows() if row["kind"] == kind) for kind in ("note", "session")}
        self.assertEqual((len(kinds["note"]), len(kinds["session"])), (200, 20))
        self.assertFalse({"n0", "n4"} & set(kinds["note"]) or {"s0", "s2"} & set(kinds["session"]))


class OfflineKeys(OfflineTest):
    options = {"needs_key": True}

    def sign_in(self):
        self.page.get_by_label("Key", exact=True).fill("slk_test")
        self.page.get_by_role("button", name="Sign in").click()
        expect(self.page.get_by_role("navigation", name="Main")).to_be_visible()

    def test_signing_out_wipes_it_and_another_key_never_sees_it(self):
        page, gateway = self.page, self.gateway
        self.sign_in()
        self.read()
        self.go("notes/12")
        page.reload()
        self.title("Spring tide at the pier")
        gateway.is_down = False
        # The session ends elsewhere: what was read goes, too.
        gateway.cookies.clear()
        page.reload()
        expect(page.get_by_label("Key", exact=True)).to_be_visible()
        self.kept(0)
        self.sign_in()
        self.go("notes/12")
        self.kept(1)
        gateway.key_name = "tablet"
        page.reload()
        self.title("Spring tide at the pier")
        self.kept(2)
        self.go("settings")
        self.sign_out()
        self.until(lambda: is_wiped(page))


class Looks:
    def test_states(self):
        page = self.page
        self.read()
        for address, text in (("notes/12", "This is as you read it"), ("notes", "This is as you read it"), ("chat/chat-tides", "This is as you read it")):
            self.go(address)
            expect(page.locator("main").get_by_text(text)).to_be_visible()
            self.still()
            self.check_axe(address)
            self.check_width(address)
            import os
            if os.environ.get("SHOTS"):
                page.screenshot(path=f"{os.environ['SHOTS']}/offline-{address.replace('/', '-')}-{self.viewport['width']}-{self.scheme}.png")


class Light(Looks, OfflineTest):
    pass


class PhoneDark(Looks, OfflineTest):
    viewport = PHONE
    scheme = "dark"


if __name__ == "__main__":
    unittest.main()
