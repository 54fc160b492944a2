"""The console: figures, tables that sort, what a key without the scope sees."""

import unittest

from browser import PHONE, PageTest, expect


class ConsoleTest(PageTest):
    def go(self):
        self.page.goto(self.gateway.url + "#/console")


class Console(ConsoleTest):
    def test_figures_tables_and_sorting(self):
        page = self.page
        page.goto(self.gateway.url + "#/settings")
        page.get_by_role("link", name="Open the console").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Console")
        expect(page.get_by_text("Version 1.0, up for 1 d 2 h")).to_be_visible()
        expect(page.locator(".figures")).to_contain_text("3 failed")
        upstreams = page.get_by_role("region", name="Upstreams")
        expect(upstreams).to_contain_text("unhealthy: connection refused")
        keys = page.get_by_role("region", name="Keys")
        sort = keys.get_by_role("button", name="Requests")
        sort.click()
        expect(keys.locator("tbody tr").first).to_contain_text("backfill")
        expect(keys.get_by_role("columnheader", name="Requests")).to_have_attribute("aria-sort", "descending")
        before = self.gateway.asked
        self.until(lambda: self.gateway.asked > before)
        expect(sort).to_be_focused()
        sort.click()
        expect(keys.locator("tbody tr").first).to_contain_text("phone")
        expect(page.get_by_role("region", name="Jobs")).to_contain_text("4,200 / 10,000")
        expect(page.locator(".sparkline")).to_have_count(4)

    def test_a_key_without_the_scope_and_a_gateway_that_is_away(self):
        self.gateway.is_admin = False
        self.go()
        expect(self.page.get_by_role("alert")).to_contain_text("scope admin")
        self.gateway.is_admin = True
        self.page.get_by_role("alert").get_by_role("button", name="Try again").click()
        expect(self.page.locator(".figures")).to_be_visible()


class Signed(ConsoleTest):
    options = {"needs_key": True}

    def test_settings_offer_no_console_to_other_keys(self):
        self.page.get_by_label("Key", exact=True).fill("slk_test")
        self.page.keyboard.press("Enter")
        expect(self.page.get_by_label("Your question")).to_be_visible()
        self.page.goto(self.gateway.url + "#/settings")
        expect(self.page.get_by_text("tablet")).to_be_visible()
        expect(self.page.get_by_role("link", name="Open the console")).to_have_count(0)


class Looks:
    def test_views(self):
        self.go()
        expect(self.page.get_by_role("region", name="Jobs")).to_be_visible()
        self.still()
        self.check_axe("the console")
        self.check_width("the console")
        self.page.evaluate("document.documentElement.dir = 'rtl'")
        self.check_axe("the mirrored console")
        self.check_width("the mirrored console")


class Light(Looks, ConsoleTest):
    pass


class PhoneDark(Looks, ConsoleTest):
    viewport = PHONE
    scheme = "dark"


if __name__ == "__main__":
    unittest.main()
