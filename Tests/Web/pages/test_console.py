"""The console: figures, tables that sort, jobs, answers, models, keys, the playground of retrieval; what a key without the scope sees."""

import unittest

from browser import PHONE, PageTest, expect, hold
from stand_in_data import SAMPLE


class ConsoleTest(PageTest):
    def go(self, page=""):
        self.page.goto(f"{self.gateway.url}#/console{page and '/'}{page}")

    def region(self, name):
        return self.page.get_by_role("region", name=name, exact=True)


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
        page.get_by_role("navigation", name="Console").get_by_role("link", name="Jobs").click()
        expect(self.region("Jobs").last).to_contain_text("Embedding of notes")
        before = self.gateway.asked
        page.wait_for_timeout(6000)
        self.assertEqual(self.gateway.asked, before, "a page that was left asks no more")
        page.go_back()
        expect(page.locator(".sparkline")).to_have_count(4)

    def test_a_key_without_the_scope_and_a_gateway_that_is_away(self):
        self.gateway.is_admin = False
        self.go()
        expect(self.page.get_by_role("alert")).to_contain_text("scope admin")
        self.gateway.is_admin = True
        self.page.get_by_role("alert").get_by_role("button", name="Try again").click()
        expect(self.page.locator(".figures")).to_be_visible()


class Traffic(ConsoleTest):
    def test_hour_and_day(self):
        page = self.page
        self.go()
        charts = page.locator(".traffic")
        expect(charts).to_have_count(5)
        expect(page.get_by_role("img", name="First token: at most")).to_be_visible()
        expect(charts.filter(has_text="Memory")).to_contain_text("MB")
        day = page.get_by_role("button", name="Day", exact=True)
        expect(day).to_have_attribute("aria-pressed", "false")
        before = charts.first.locator(".bars").first.get_attribute("d")
        day.click()
        expect(day).to_have_attribute("aria-pressed", "true")
        self.until(lambda: self.gateway.console.spans[-1] == "day")
        expect(charts.first.locator(".bars").first).not_to_have_attribute("d", before)
        self.check_axe("traffic of a day")
        self.gateway.console.is_logging = False
        page.get_by_role("button", name="Hour", exact=True).click()
        expect(charts.filter(has_text="First token")).to_contain_text("none in this time")


class Requests(ConsoleTest):
    def test_one_in_flight_is_cancelled(self):
        self.go("requests")
        flight = self.region("In flight")
        expect(flight).to_contain_text("46.2/s")
        expect(flight.locator("tbody tr").filter(has_text="backfill")).to_contain_text("place 2")
        self.page.get_by_role("button", name="Cancel /api/chat", exact=True).click()
        expect(flight.locator("tbody tr")).to_have_count(1)
        self.assertEqual(list(self.gateway.console.live), [8])

    def test_the_log_with_filters(self):
        page = self.page
        self.go("requests")
        rows = self.region("Finished").locator("tbody tr")
        expect(rows).to_have_count(50)
        expect(page.get_by_text("Kept for 7 days")).to_be_visible()
        page.get_by_role("button", name="Show more").click()
        expect(rows).to_have_count(100)
        page.get_by_label("Status").select_option("5xx")
        page.get_by_role("button", name="Show", exact=True).click()
        expect(rows.first).to_contain_text("upstream_unreachable")
        expect(rows).to_have_count(21)
        expect(page).to_have_url(f"{self.gateway.url}#/console/requests?status=5xx")
        expect(page.get_by_text("selene requests --status 5xx")).to_be_visible()
        page.get_by_label("Status").select_option("")
        page.get_by_label("Key", exact=True).select_option("backfill")
        page.get_by_label("Text").fill("chat")
        page.keyboard.press("Enter")
        expect(rows.first).to_contain_text("overloaded")
        self.assertEqual({name: self.gateway.console.query.get(name) for name in ("key", "text", "status")}, {"key": "2", "text": "chat", "status": None})
        page.reload()
        expect(rows.first).to_contain_text("overloaded")
        expect(page.get_by_label("Key", exact=True)).to_have_value("2")
        page.get_by_label("Text").fill("nowhere")
        page.keyboard.press("Enter")
        expect(self.region("Finished")).to_have_count(0)
        self.gateway.console.is_logging = False
        page.get_by_role("button", name="Look again").click()
        expect(page.get_by_role("alert")).to_contain_text("SELENE_REQUEST_LOG=on")


class Setup(ConsoleTest):
    def test_settings_in_force_and_the_doctor(self):
        page = self.page
        self.go("setup")
        settings = self.region("Settings in force")
        expect(settings.locator("tbody tr")).to_have_count(4)
        expect(settings.locator("tbody tr").filter(has_text="log_level")).to_contain_text("applied by a reload")
        expect(settings.locator("tbody tr").filter(has_text="max_connections")).to_contain_text("needs a restart")
        expect(settings).to_contain_text("********")
        page.get_by_label("Also settings at their defaults").check()
        expect(settings.locator("tbody tr")).to_have_count(6)
        self.gateway.console.is_broken = True
        page.get_by_role("button", name="Look again").click()
        expect(page.get_by_role("alert")).to_contain_text("A reload would be refused")
        page.get_by_role("button", name="Examine", exact=True).click()
        expect(page.get_by_text("an examination runs already")).to_be_visible()
        page.get_by_role("button", name="Examine thoroughly").click()
        expect(page.get_by_text("1 problem, 1 warning")).to_have_count(0)
        expect(page.get_by_role("status")).to_contain_text("One problem, one warning")
        expect(self.region("Findings").locator("tbody tr")).to_have_count(3)
        expect(self.region("Findings")).to_contain_text("selene doctor --fix")
        self.assertEqual(self.gateway.console.examined, [False, True])


class Jobs(ConsoleTest):
    def test_pace_cancel_resume_and_start(self):
        self.go("jobs")
        table = self.region("Jobs").last
        row = table.locator("tbody tr").filter(has_text="Embedding of notes")
        expect(row).to_contain_text("/ 10,000")
        # 100 notes in each look, every 2 s.
        expect(row).to_contain_text(" min")
        cancel = self.page.get_by_role("button", name="Cancel: Embedding of notes")
        cancel.focus()
        done = self.gateway.console.jobs[9]["done"]
        self.until(lambda: self.gateway.console.jobs[9]["done"] > done)
        expect(cancel).to_be_focused()
        self.page.keyboard.press("Enter")
        expect(row).to_contain_text("cancelled")
        resume = self.page.get_by_role("button", name="Go on: Embedding of notes")
        expect(resume).to_be_focused()
        resume.click()
        expect(row).to_contain_text("running")
        self.page.get_by_role("button", name="Find similar notes").click()
        expect(table.locator("tbody tr").first).to_contain_text("Similar notes")
        self.page.get_by_role("button", name="Go on: Similar notes").click()
        expect(self.page.locator(".toast").last).to_contain_text("another job of this kind runs")
        expect(table.locator("tbody tr").filter(has_text="Import of a book")).to_contain_text("2 failed")


class Answers(ConsoleTest):
    def test_one_is_stopped(self):
        self.gateway.script = hold(SAMPLE, 60)
        self.ask("When is the tide highest?")
        expect(self.page.locator(".prose")).to_contain_text("highest tide")
        self.go("runs")
        live = self.region("Being written")
        expect(live).to_contain_text("When is the tide highest?")
        self.page.get_by_role("button", name="Stop: When is the tide highest?").click()
        expect(self.region("Latest")).to_contain_text("stopped")
        expect(live).to_have_count(0)


class Models(ConsoleTest):
    def test_load_unload_pull_and_delete(self):
        page = self.page
        self.go("models")
        expect(self.region("In memory")).to_contain_text("2.5 GB")
        page.get_by_role("button", name="Unload: llama3.2:latest").click()
        expect(self.region("In memory")).to_have_count(0)
        page.get_by_role("button", name="Load: qwen3:14b").click()
        expect(self.region("In memory")).to_contain_text("qwen3:14b")
        page.get_by_label("Name of a model").fill("gemma3:4b")
        page.keyboard.press("Enter")
        expect(page.get_by_text("gemma3:4b done")).to_be_visible()
        expect(self.region("On disk")).to_contain_text("gemma3:4b")
        page.get_by_label("Name of a model").fill("wombat")
        page.get_by_role("button", name="Pull").click()
        expect(page.get_by_text("file does not exist")).to_be_visible()
        delete = page.get_by_role("button", name="Delete: gemma3:4b")
        delete.click()
        expect(delete).to_have_text("Delete for good")
        self.assertIn("gemma3:4b", self.gateway.console.models)
        delete.click()
        expect(self.region("On disk")).not_to_contain_text("gemma3:4b")


class Keys(ConsoleTest):
    def test_a_key_is_shown_once_and_revoked(self):
        page = self.page
        self.go("keys")
        expect(self.region("Keys").last).to_contain_text("120,000")
        form = page.locator("form").filter(has_text="Make a key for notifications")
        form.get_by_label("Name").fill("door bell")
        form.get_by_role("button", name="Make the key").click()
        expect(form.get_by_role("alert")).to_contain_text("already")
        form.get_by_label("Name").fill("garden")
        form.get_by_role("button", name="Make the key").click()
        expect(page.get_by_text("slk_secret")).to_be_visible()
        page.get_by_role("button", name="Hide").click()
        expect(page.get_by_text("slk_secret")).to_have_count(0)
        expect(self.region("Keys").last).to_contain_text("garden")
        page.get_by_role("button", name="Revoke garden").click()
        self.assertEqual(len(self.gateway.console.keys), 4)
        expect(page.get_by_role("button", name="Revoke garden for good")).to_be_focused()
        page.keyboard.press("Enter")
        expect(self.region("Keys").last).not_to_contain_text("garden")
        self.assertEqual(len(self.gateway.console.keys), 3)

    def test_a_device_is_invited(self):
        self.go("keys")
        form = self.page.locator("form").filter(has_text="Invite a device")
        form.get_by_label("Name").fill("tablet")
        form.get_by_label("push:send").check()
        form.get_by_label("valid for").select_option("30d")
        form.get_by_role("button", name="Show a code").click()
        expect(self.page.get_by_text("BCDF-GHJK")).to_be_visible()
        self.assertTrue(self.page.get_by_role("img", name="The address as a QR code").evaluate("image => image.complete && image.naturalWidth > 0"))
        self.assertEqual(self.gateway.console.invited, {"name": "tablet", "scopes": ["llm", "notes:read", "notes:write", "push:send"], "expires": "30d"})


class Search(ConsoleTest):
    def test_both_legs_side_by_side_with_reasons(self):
        page = self.page
        self.go("search")
        page.get_by_label("Query").fill("spring tide")
        page.get_by_text("Options").click()
        page.get_by_label("Fusion").select_option("rrf")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Search", exact=True).click()
        found = self.region("Results")
        for name in ("Together", "By meaning", "By words"):
            expect(found.locator(".leg").filter(has=page.get_by_role("heading", name=name))).to_contain_text("Spring tide at the pier")
        found.get_by_text("Why?").first.click()
        expect(found).to_contain_text("rank 1, score 1, normalised 1 × 0.5")
        expect(page).to_have_url(self.gateway.url + "#/console/search?q=spring+tide")
        page.reload()
        expect(self.region("Results")).to_contain_text("Spring tide at the pier")
        self.gateway.fail("/api/notes/retrieve", 503, error="no model", times=20)
        page.get_by_role("button", name="Search", exact=True).click()
        expect(page.get_by_role("alert")).to_contain_text("no model")


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
    def view(self, name):
        self.still()
        self.check_axe(name)
        self.check_width(name)

    def test_views(self):
        page = self.page
        for address, there in (("", ".figures"), ("requests", "tbody tr"), ("setup", "tbody tr"), ("jobs", "tbody tr"), ("models", "tbody tr"), ("keys", "tbody tr"), ("search?q=tide", ".hits li"), ("runs", ".hint")):
            self.go(address)
            expect(page.locator(f"main {there}").first).to_be_visible()
            if address == "keys":
                expect(page.get_by_role("button", name="Show a code")).to_be_visible()
                page.locator("form").first.get_by_label("Name").fill("tablet")
                page.get_by_role("button", name="Show a code").click()
                expect(page.get_by_text("BCDF-GHJK")).to_be_visible()
            page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true")
            self.view(f"console/{address}")
        self.go()
        expect(page.locator(".figures")).to_be_visible()
        page.evaluate("document.documentElement.dir = 'rtl'")
        self.view("the mirrored console")

    def test_refused(self):
        self.gateway.is_admin = False
        for address in ("", "keys"):
            self.go(address)
            expect(self.page.get_by_role("alert").first).to_be_visible()
            self.view(f"console/{address}, refused")


class Light(Looks, ConsoleTest):
    pass


class PhoneDark(Looks, ConsoleTest):
    viewport = PHONE
    scheme = "dark"

    def test_the_tab_of_the_page_is_in_sight(self):
        self.go("push")
        tab = self.page.get_by_role("navigation", name="Console").get_by_role("link", name="Notifications")
        expect(tab).to_have_attribute("aria-current", "page")
        expect(tab).to_be_in_viewport(ratio=1)


if __name__ == "__main__":
    unittest.main()
