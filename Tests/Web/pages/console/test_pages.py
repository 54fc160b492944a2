"""The console's list of pages, wide and narrow, the twin on the command line, and times and words in the reader's language."""

import unittest

from browser import PHONE, expect
from console.test_console import ConsoleTest


class Pages(ConsoleTest):
    """The list of pages: beside the page in wide windows, else one menu."""

    groups = ["Status", "Access", "Models and search", "Settings"]

    def test_the_list_beside_the_page(self):
        page = self.page
        self.go()
        nav = page.get_by_role("navigation", name="Console")
        expect(nav.locator("p.label")).to_have_text(self.groups)
        expect(page.locator(".console-menu")).to_have_count(0)
        expect(nav.locator("[aria-current=page]")).to_have_text("Overview")
        self.choose("What failed")
        expect(page).to_have_url(f"{self.gateway.url}#/console/failed")
        expect(page.get_by_role("heading", level=1)).to_be_focused()
        expect(nav.locator("[aria-current=page]")).to_have_text("What failed")
        expect(nav.get_by_role("link", name="Schedules")).to_be_hidden()
        self.choose("Notifications")
        expect(nav.locator("[aria-current=page]")).to_have_text("Write")
        expect(nav.get_by_role("link", name="Write")).to_be_in_viewport(ratio=1)
        self.choose("Schedules")
        expect(page.get_by_role("heading", level=1)).to_have_text("Notifications: Schedules")
        # One way through all of it by keyboard.
        first = nav.get_by_role("link").first
        first.focus()
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Requests")
        # The title begins where its page does.
        left = lambda one: page.locator(one).first.evaluate("one => { const range = document.createRange(); range.selectNodeContents(one); return range.getBoundingClientRect().left; }")
        expect(page.locator("tbody tr").first).to_be_visible()
        self.assertAlmostEqual(left("main h1"), left("main h2"), delta=1)
        self.assertAlmostEqual(left("main h1"), left("tbody td"), delta=1)

    def test_every_page_is_in_the_list_and_has_its_address(self):
        page = self.page
        self.go("push")
        expect(page.locator(".push-preview")).to_be_visible()
        links = page.get_by_role("navigation", name="Console").get_by_role("link").evaluate_all("all => all.map(one => [one.textContent, one.hash])")
        self.assertEqual(len(links), 23)
        for name, address in links:
            page.evaluate("address => { location.hash = address; }", address)
            expect(page.get_by_role("heading", level=1)).to_have_text({"Write": "Notifications"}.get(name, f"Notifications: {name}" if "push/" in address else name))
            expect(page.locator("main .page .bones")).to_have_count(0)
            expect(page.get_by_text("could not be loaded")).to_have_count(0)

    def test_a_page_that_loads_slowly_has_its_title_at_once(self):
        page = self.page
        self.go()
        expect(page.locator(".figures")).to_be_visible()
        page.route("**/console/setup/view.js", lambda route: None)
        self.choose("Configuration")
        expect(page.get_by_role("heading", level=1)).to_have_text("Configuration")
        expect(page.locator("main .page .bones")).to_be_visible()
        before = page.locator("main h1").bounding_box()
        self.choose("Overview")
        expect(page.locator(".figures")).to_be_visible()
        self.assertEqual((before["x"], before["y"]), tuple(page.locator("main h1").bounding_box()[one] for one in "xy"))


class Narrow(ConsoleTest):
    viewport = PHONE

    def test_the_menu(self):
        page = self.page
        self.go("push/log")
        summary = page.locator(".console-menu > summary")
        nav = page.get_by_role("navigation", name="Console")
        expect(nav).to_have_count(0)
        summary.focus()
        page.keyboard.press("Enter")
        expect(nav.locator("p.label")).to_have_text(Pages.groups)
        expect(nav.locator("[aria-current=page]")).to_have_text("Log")
        self.view("the menu of the console")
        page.keyboard.press("Escape")
        expect(nav).to_have_count(0)
        expect(summary).to_be_focused()
        self.choose("Jobs")
        expect(page.get_by_role("heading", level=1)).to_have_text("Jobs")
        expect(nav).to_have_count(0)
        summary.click()
        page.keyboard.press("Shift+Tab")
        expect(nav).to_have_count(0)
        summary.click()
        expect(nav).to_have_count(1)
        page.get_by_role("heading", level=1).click()
        expect(nav).to_have_count(0)

    def test_rows_are_blocks_with_the_names_of_columns(self):
        self.go("keys")
        row = self.region("Keys").last.locator("tbody tr").first
        expect(row).to_be_visible()
        # Rows are drawn again with new figures, and one that is gone has no style.
        self.until(lambda: row.locator("td").nth(1).evaluate("one => getComputedStyle(one, '::before').content") == '"Scopes "')
        expect(self.page.get_by_role("cell", name="llm, notes:read")).to_be_visible()
        expect(row.get_by_role("button", name="Revoke phone")).to_be_in_viewport(ratio=1)


class Twin(ConsoleTest):
    def test_the_command_is_opened_and_copied(self):
        page = self.page
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.go("requests?status=5xx")
        button = page.get_by_role("button", name="The same on the command line: selene requests --status 5xx", exact=True)
        expect(page.get_by_text("selene requests --status 5xx")).to_be_hidden()
        button.focus()
        page.keyboard.press("Enter")
        shown = page.get_by_role("group", name="The same on the command line")
        expect(shown).to_contain_text("selene requests --status 5xx")
        expect(shown).to_be_in_viewport(ratio=1)
        self.view("the command")
        expect(shown.get_by_role("button", name="Copy")).to_be_focused()
        page.keyboard.press("Escape")
        expect(shown).to_be_hidden()
        expect(button).to_be_focused()
        button.click()
        shown.get_by_role("button", name="Copy").click()
        self.assertEqual(page.evaluate("navigator.clipboard.readText()"), "selene requests --status 5xx")
        expect(shown).to_be_hidden()


class Clock(ConsoleTest):
    """Times are in the reader's own format, whatever the language of the words."""

    def shown(self, locale):
        _, page = self.open("#/console", locale=locale, timezone_id="UTC")
        edge = page.locator(".traffic .edges span").first
        expect(edge).not_to_be_empty()
        return edge.inner_text()

    def test_24_or_12_hours(self):
        self.assertRegex(self.shown("en-GB"), r"^\d\d:\d\d$")
        self.assertRegex(self.shown("en-US"), r"^\d{1,2}:\d\d.(AM|PM)$")
        self.assertRegex(self.shown("de-DE"), r"^\d\d:\d\d$")


class German(ConsoleTest):
    context_options = {"locale": "de-DE"}

    def test_no_page_lacks_words(self):
        page = self.page
        self.go("push")
        expect(page.locator(".push-preview")).to_be_visible()
        for address in page.get_by_role("navigation").last.get_by_role("link").evaluate_all("all => all.map(one => one.hash)"):
            page.evaluate("address => { location.hash = address; }", address)
            expect(page.locator("main .page > *").first).to_be_attached()
            expect(page.locator("main .page .bones")).to_have_count(0)
            # A key without a word is shown as it is.
            self.assertNotRegex(page.locator("main").inner_text(), r"\b(console|keys|request|job|run|models|spaces|setup|push|filter)\.[a-z]+")


if __name__ == "__main__":
    unittest.main()
