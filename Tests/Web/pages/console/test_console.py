"""The console: figures, tables that sort, jobs, answers, models, keys, the search lab; what a key without the scope sees."""

import re
import unittest

from browser import PHONE, PageTest, expect, hold
from stand_in_data import SAMPLE


class ConsoleTest(PageTest):
    def go(self, page=""):
        self.page.goto(f"{self.gateway.url}#/console{page and '/'}{page}")

    def region(self, name):
        return self.page.get_by_role("region", name=name, exact=True)

    def choose(self, page):
        """Goes to a page by the list of pages."""
        menu = self.page.locator(".console-menu > summary")
        if menu.count():
            menu.click()
        self.page.get_by_role("navigation", name="Console").get_by_role("link", name=page, exact=True).click()


class Console(ConsoleTest):
    def test_figures_tables_and_sorting(self):
        page = self.page
        page.goto(self.gateway.url + "#/settings")
        page.get_by_role("link", name="Console").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Overview")
        expect(page.get_by_text("Version 1.0, up for 1 d 2 h")).to_be_visible()
        expect(page.locator(".figures")).to_contain_text("3 failed")
        upstreams = page.get_by_role("region", name="Model servers")
        expect(upstreams).to_contain_text("unhealthy: connection refused")
        keys = page.get_by_role("region", name="Use of keys today")
        sort = keys.get_by_role("button", name="Requests")
        sort.click()
        expect(keys.locator("tbody tr").first).to_contain_text("backfill")
        expect(keys.get_by_role("columnheader", name="Requests")).to_have_attribute("aria-sort", "descending")
        before = self.gateway.asked
        self.until(lambda: self.gateway.asked > before)
        expect(sort).to_be_focused()
        sort.click()
        expect(keys.locator("tbody tr").first).to_contain_text("phone")
        self.choose("Jobs")
        expect(self.region("Jobs").last).to_contain_text("Embedding of notes")
        page.go_back()
        expect(page.locator(".sparkline")).to_have_count(4)
        self.assertEqual((self.gateway.console.streams, self.gateway.console.opened), (1, 1), "all pages read one stream")
        page.goto(f"{self.gateway.url}#/settings")
        self.until(lambda: self.gateway.console.streams == 0)
        page.go_back()
        self.until(lambda: self.gateway.console.streams == 1)

    def test_a_key_without_the_scope_and_a_gateway_that_is_away(self):
        self.gateway.is_admin = False
        self.go()
        expect(self.page.get_by_role("alert")).to_contain_text("scope admin")
        self.gateway.is_admin = True
        self.page.get_by_role("alert").get_by_role("button", name="Try again").click()
        expect(self.page.locator(".figures")).to_be_visible()


class Stream(ConsoleTest):
    def test_a_stream_that_breaks_is_opened_again_and_said(self):
        page, console = self.page, self.gateway.console
        self.go("jobs")
        table = self.region("Jobs").last
        expect(table).to_contain_text("Embedding of notes")
        console.refusal = (503, {"error": "not now", "code": "overloaded"})
        console.cut += 1
        expect(page.get_by_role("status").filter(has_text="broke off")).to_be_visible()
        # What was known stays.
        expect(table).to_contain_text("Embedding of notes")
        console.jobs[9]["state"] = "done"
        console.refusal = None
        expect(table.locator("tbody tr").filter(has_text="Embedding of notes")).to_contain_text("done")
        expect(page.get_by_text("broke off")).to_have_count(0)
        console.refusal = (403, {"error": "the key lacks the scope admin", "code": "forbidden"})
        console.cut += 1
        expect(page.get_by_role("alert")).to_contain_text("scope admin")
        console.refusal = None
        page.get_by_role("alert").get_by_role("button", name="Try again").click()
        expect(page.get_by_role("alert")).to_have_count(0)
        self.until(lambda: console.streams == 1)

    def test_a_topic_that_cannot_be_read(self):
        self.gateway.console.missing = ["jobs"]
        self.go("jobs")
        expect(self.page.get_by_role("alert")).to_contain_text("the database is locked")
        self.gateway.console.missing = []
        expect(self.region("Jobs").last).to_contain_text("Embedding of notes")
        expect(self.page.get_by_role("alert")).to_have_count(0)

    def test_a_hidden_page_reads_nothing(self):
        self.go()
        expect(self.page.locator(".figures")).to_be_visible()
        hide = "state => { Object.defineProperty(document, 'visibilityState', {value: state, configurable: true}); document.dispatchEvent(new Event('visibilitychange')); }"
        self.page.evaluate(hide, "hidden")
        self.until(lambda: self.gateway.console.streams == 0)
        self.page.evaluate(hide, "visible")
        self.until(lambda: self.gateway.console.streams == 1)


class Start(ConsoleTest):
    def test_the_overview_names_what_is_missing_and_leads_to_the_first_steps(self):
        page, console = self.page, self.gateway.console
        console.figures.update(available=False, notes=0, embedded_notes=0)
        console.models.pop("nomic-embed-text:latest")
        self.gateway.runs.clear()
        self.go()
        notice = page.get_by_role("status").filter(has_text="Still missing")
        expect(notice).to_contain_text("Ollama, Models, Notes, Embedding, A first question")
        notice.get_by_role("link", name="Show the steps").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("First steps")
        self.go()
        page.get_by_role("navigation", name="Console").get_by_role("link", name="First steps").click()
        expect(page.locator(".step")).to_have_count(6)
        # The address of before.
        self.go("start")
        expect(page.locator(".step")).to_have_count(6)
        self.assertTrue(page.url.endswith("#/start"), page.url)

    def test_nothing_is_said_when_all_is_there(self):
        self.ask("When is the tide highest?")
        self.answered()
        self.go()
        expect(self.page.locator(".figures")).to_be_visible()
        expect(self.page.get_by_text("Still missing")).to_have_count(0)


class Spaces(ConsoleTest):
    def test_switch_rollback_drop_and_tuning(self):
        page, console = self.page, self.gateway.console
        self.go("spaces")
        table = self.region("Spaces of vectors")
        row = lambda name: table.locator("tbody tr").filter(has_text=name)
        expect(row("bge-m3")).to_contain_text("answers")
        expect(row("llama3.2")).to_contain_text("118 of 120")
        switch = page.get_by_role("button", name="Switch: all-minilm:latest")
        switch.click()
        page.get_by_role("button", name="Switch for all: all-minilm:latest").click()
        expect(page.get_by_role("alert")).to_contain_text("lacks 80 of 120 notes")
        page.get_by_role("button", name="Back to the previous space: llama3.2:latest").click()
        self.assertTrue(console.spaces[1]["active"])
        page.get_by_role("button", name="Switch back for all: llama3.2:latest").click()
        expect(row("llama3.2")).to_contain_text("answers")
        expect(row("bge-m3")).to_contain_text("answered before")
        page.get_by_role("button", name="Delete: all-minilm:latest").click()
        page.get_by_role("button", name="Delete with its vectors: all-minilm:latest").click()
        expect(row("all-minilm")).to_have_count(0)
        expect(page.get_by_text("exact scan")).to_be_visible()
        page.get_by_role("button", name="Measure and choose").click()
        expect(page.get_by_text("int8: finds 99.8 % of the ten nearest (500 queries), 3.2 times as fast as exact")).to_be_visible()
        expect(page.get_by_text("done: int8 with 200 candidates")).to_be_visible()
        self.check_axe("spaces")


class Bench(ConsoleTest):
    def test_two_runs_side_by_side(self):
        page = self.page
        self.go("bench")
        page.get_by_role("button", name="Show: before the update").click()
        expect(page.locator(".leg")).to_have_count(1)
        expect(page.get_by_text("2 prompts, 3 runs each, 12 answers.")).to_be_visible()
        expect(page.get_by_label("llama3.2:latest").first).to_be_visible()
        page.get_by_role("button", name="Show: after the update").click()
        compared = self.region("A: before the update, B: after the update")
        speed = compared.locator("tbody tr").filter(has_text="llama3.2").filter(has_text="Tokens a second")
        expect(speed).to_contain_text("+30 %")
        expect(compared.locator("tbody tr").filter(has_text="qwen3").filter(has_text="First token")).to_contain_text("within the spread")
        expect(page.get_by_text("Interrupted")).to_be_visible()
        self.check_axe("stored runs")
        page.get_by_role("button", name="Delete: before the update").click()
        page.get_by_role("button", name="Delete: before the update").click()
        expect(self.region("Stored runs").locator("tbody tr")).to_have_count(1)
        expect(page.locator(".leg")).to_have_count(1)


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
        expect(charts).to_have_count(0)
        expect(page.get_by_text("No requests in this time.")).to_be_visible()

    def test_what_nothing_has_measured_is_not_shown(self):
        page, console = self.page, self.gateway.console
        console.has_answers = False
        self.go()
        expect(page.locator(".figures")).to_contain_text("Requests a second")
        expect(page.locator(".figures")).not_to_contain_text("Tokens a second")
        expect(page.locator("figure.traffic figcaption .label")).to_have_text(["Requests", "Wait for a place", "Memory"])
        expect(page.locator("main").get_by_text("Memory", exact=True)).to_have_count(1)
        console.has_answers = True
        expect(page.locator(".figures")).to_contain_text("Tokens a second")


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
        sheet = page.get_by_role("dialog", name="Filter")
        page.get_by_role("button", name="Filter").click()
        self.view("the filters")
        sheet.get_by_label("Status").select_option("5xx")
        sheet.get_by_role("button", name="Show", exact=True).click()
        expect(rows.first).to_contain_text("upstream_unreachable")
        expect(rows).to_have_count(21)
        expect(page).to_have_url(f"{self.gateway.url}#/console/requests?status=5xx")
        expect(page.get_by_role("button", name="The same on the command line: selene requests --status 5xx")).to_be_visible()
        page.get_by_role("button", name="Remove the filter Status: 5xx").click()
        expect(rows).to_have_count(50)
        expect(page.get_by_role("button", name="Filter", exact=True)).to_be_focused()
        page.keyboard.press("Enter")
        sheet.get_by_label("Key", exact=True).select_option("backfill")
        sheet.get_by_label("Text").fill("chat")
        page.keyboard.press("Enter")
        expect(rows.first).to_contain_text("overloaded")
        self.assertEqual({name: self.gateway.console.query.get(name) for name in ("key", "text", "status")}, {"key": "2", "text": "chat", "status": None})
        page.reload()
        expect(rows.first).to_contain_text("overloaded")
        expect(page.get_by_role("group", name="Filters in use").locator(".chip")).to_have_text(["Key: backfill", "Text: chat"])
        page.get_by_role("button", name="Filter", exact=True).click()
        expect(sheet.get_by_label("Key", exact=True)).to_have_value("2")
        sheet.get_by_label("Text").fill("nowhere")
        page.keyboard.press("Enter")
        expect(self.region("Finished")).to_have_count(0)
        expect(page.get_by_text("No requests that match.")).to_be_visible()
        page.get_by_role("button", name="Clear all").click()
        expect(rows).to_have_count(50)
        rows.nth(1).get_by_role("button", name="POST /api/chat").click()
        opened = page.get_by_role("dialog", name="POST /api/chat")
        expect(opened).to_contain_text("overloaded")
        expect(opened).to_contain_text("8f3a")
        self.view("a request")
        page.keyboard.press("Escape")
        console = self.gateway.console
        console.is_logging = False
        console.started["request_log"] = console.stored["request_log"] = "off"
        page.get_by_role("button", name="Look again").click()
        expect(page.get_by_text("Requests are not stored.")).to_be_visible()
        self.view("requests that are not stored")
        page.get_by_role("button", name="Store requests").click()
        expect(page.get_by_role("status").filter(has_text="counts after a restart")).to_be_visible()
        self.assertEqual(console.changes, [("request_log", "on")])

    def test_without_requests(self):
        self.gateway.console.log.clear()
        self.gateway.console.live.clear()
        self.go("requests")
        expect(self.page.get_by_text("No request is in flight.")).to_be_visible()
        expect(self.page.get_by_text("No requests yet.")).to_be_visible()
        self.view("no requests")


class Jobs(ConsoleTest):
    def test_pace_cancel_resume_and_start(self):
        self.gateway.console.step = 5
        self.go("jobs")
        table = self.region("Jobs").last
        row = table.locator("tbody tr").filter(has_text="Embedding of notes")
        expect(row).to_contain_text("/ 10,000")
        # 5 notes in each look of the stream.
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
        page.get_by_role("button", name="Download").click()
        expect(page.get_by_text("file does not exist")).to_be_visible()
        delete = page.get_by_role("button", name="Delete: gemma3:4b")
        delete.click()
        expect(delete).to_have_text("Delete for good")
        self.assertIn("gemma3:4b", self.gateway.console.models)
        delete.click()
        expect(self.region("On disk")).not_to_contain_text("gemma3:4b")


class Keys(ConsoleTest):
    def test_a_key_with_limits_is_shown_once_changed_and_revoked(self):
        page, console = self.page, self.gateway.console
        self.go("keys")
        keys = self.region("Keys").last
        expect(keys).to_contain_text("120,000")
        expect(keys.locator("tbody tr").filter(has_text="backfill")).to_contain_text("30 requests a minute")
        expect(page.locator("main form")).to_have_count(0)
        page.get_by_role("button", name="Make a key").click()
        form = page.get_by_role("dialog", name="Make a key")
        form.get_by_label("Name", exact=True).fill("door bell")
        form.get_by_role("button", name="Make the key").click()
        expect(form.get_by_role("alert")).to_contain_text("already")
        form.get_by_label("Name", exact=True).fill("garden")
        form.get_by_label("notes:write").uncheck()
        form.get_by_label("Requests a minute").fill("20")
        form.get_by_label("Requests at once").fill("2")
        form.get_by_label("Budget a month").fill("0.5")
        form.get_by_label("Priority").select_option("low")
        form.get_by_label("Models").fill("llama3.2, qwen3:14b")
        form.get_by_label("valid for").select_option("365d")
        form.get_by_role("button", name="Make the key").click()
        expect(page.get_by_text("slk_secret")).to_be_visible()
        self.assertEqual(console.made, {"name": "garden", "scopes": ["llm", "notes:read"], "expires": "365d", "requests_per_minute": 20, "requests_at_once": 2, "budget_per_month": 0.5, "priority": "low", "models": ["llama3.2", "qwen3:14b"]})
        page.get_by_role("button", name="Hide").click()
        expect(page.get_by_text("slk_secret")).to_have_count(0)
        expect(keys).to_contain_text("garden")
        for limit in ("2 at once", "0.50 EUR a month", "low priority"):
            expect(keys).to_contain_text(limit)
        page.get_by_role("button", name="Change backfill").click()
        sheet = page.get_by_role("dialog")
        sheet.get_by_label("Requests a minute").fill("")
        sheet.get_by_label("Tokens a day").fill("5")
        sheet.get_by_role("button", name="Save").click()
        expect(keys.locator("tbody tr").filter(has_text="backfill")).to_contain_text("5 tokens a day")
        self.assertEqual(console.changed, {"requests_per_minute": None, "tokens_per_day": 5})
        page.get_by_role("button", name="30 days: phone").click()
        expect(page.get_by_role("dialog", name="phone: requests of the last 30 days")).to_contain_text("refused by limits")
        expect(page.get_by_role("dialog", name="phone: requests of the last 30 days")).to_contain_text("Elsewhere it would have been")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Revoke garden").click()
        self.assertEqual(len(console.keys), 4)
        expect(page.get_by_role("button", name="Revoke garden for good")).to_be_focused()
        page.keyboard.press("Enter")
        expect(keys).not_to_contain_text("garden")
        self.assertEqual(len(console.keys), 3)
        self.check_axe("keys")

    def test_a_key_for_an_address_and_one_that_signs(self):
        page, console = self.page, self.gateway.console
        self.go("keys")
        keys = self.region("Keys").last
        line = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOmp5phtPW6nOeyBR3IkBAsNEfBLnDX2LuNSYXEcR9pJ"

        def make(name, place, public_key=None):
            page.get_by_role("button", name="Make a key").click()
            form = page.get_by_role("dialog", name="Make a key")
            form.get_by_label("Name", exact=True).fill(name)
            form.get_by_label("The app sends it").select_option(place)
            if public_key:
                form.get_by_label("Its public key").fill(public_key)
            else:
                expect(form.get_by_label("Its public key")).to_be_hidden()
            form.get_by_role("button", name="Make the key").click()

        make("tablet", "path")
        expect(page.locator(".secret")).to_have_text(re.compile(r"^http://127\.0\.0\.1:\d+/k/slk_secret$"))
        self.assertEqual(console.made, {"name": "tablet", "scopes": ["llm", "notes:read", "notes:write"], "expires": "never", "in_path": True})
        expect(keys.locator("tbody tr").filter(has_text="tablet")).to_contain_text("may stand in addresses")
        make("laptop", "signature", line)
        expect(page.locator(".secret")).to_contain_text("OLLAMA_AUTH=1")
        self.assertEqual(console.made["public_key"], line)
        self.assertNotIn("in_path", console.made)
        expect(keys.locator("tbody tr").filter(has_text="laptop")).to_contain_text("signs as ollama")
        self.check_axe("keys-places")

    def test_browsers_have_names(self):
        page = self.page
        self.go("browsers")
        browsers = self.region("Signed-in browsers")
        expect(browsers.locator("tbody tr")).to_have_count(2)
        expect(browsers.locator("tbody tr").first).to_contain_text("Chrome, Linux ● this one")
        expect(browsers.locator("tbody tr").last).to_contain_text("Safari, iPad")
        expect(browsers.get_by_role("button")).to_have_count(5)
        page.get_by_role("button", name="Sign out Safari, iPad of tablet").click()
        expect(page.get_by_role("button", name="Sign out Safari, iPad of tablet for good")).to_be_focused()
        self.check_axe("browsers")

    def test_a_device_is_invited(self):
        self.go("keys")
        self.page.get_by_role("button", name="Invite a device").click()
        form = self.page.get_by_role("dialog", name="Invite a device")
        form.get_by_label("Name", exact=True).fill("tablet")
        form.get_by_label("push:send").check()
        form.get_by_label("valid for").select_option("30d")
        form.get_by_role("button", name="Show a code").click()
        expect(self.page.get_by_text("BCDF-GHJK")).to_be_visible()
        self.until(lambda: self.page.get_by_role("img", name="The address as a QR code").evaluate("image => image.complete && image.naturalWidth > 0"))
        self.assertEqual(self.gateway.console.invited, {"name": "tablet", "scopes": ["llm", "notes:read", "notes:write", "push:receive", "push:send"], "expires": "30d"})


class Search(ConsoleTest):
    def test_both_legs_side_by_side_with_reasons(self):
        page = self.page
        self.go("search")
        page.get_by_label("Query").fill("spring tide")
        page.get_by_text("Options").click()
        page.get_by_label("Combined by").select_option("rrf")
        page.keyboard.press("Escape")
        page.get_by_role("main").get_by_role("button", name="Search", exact=True).click()
        found = self.region("Results")
        for name in ("Together", "By meaning", "By words"):
            expect(found.locator(".leg").filter(has=page.get_by_role("heading", name=name))).to_contain_text("Spring tide at the pier")
        found.get_by_text("Why?").first.click()
        expect(found).to_contain_text("rank 1, score 1, normalised 1 × 0.5")
        expect(page).to_have_url(self.gateway.url + "#/console/search?q=spring+tide")
        page.reload()
        expect(self.region("Results")).to_contain_text("Spring tide at the pier")
        self.gateway.fail("/api/notes/retrieve", 503, error="no model", times=20)
        page.get_by_role("main").get_by_role("button", name="Search", exact=True).click()
        expect(page.get_by_role("alert")).to_contain_text("no model")


class Signed(ConsoleTest):
    options = {"needs_key": True}

    def test_settings_offer_no_console_to_other_keys(self):
        self.page.get_by_label("Key", exact=True).fill("slk_test")
        self.page.keyboard.press("Enter")
        expect(self.page.get_by_label("Your question")).to_be_visible()
        self.page.goto(self.gateway.url + "#/settings")
        expect(self.page.get_by_text("tablet")).to_be_visible()
        expect(self.page.get_by_role("link", name="Console")).to_have_count(0)


class Looks:
    def test_views(self):
        page = self.page
        for address, there in (("", ".figures"), ("requests", "tbody tr"), ("setup", ".setting"), ("jobs", "tbody tr"), ("models", "tbody tr"), ("keys", "tbody tr"), ("browsers", "tbody tr"), ("audit", "tbody tr"), ("search?q=tide", ".hits li"), ("runs", ".hint")):
            self.go(address)
            expect(page.locator(f"main {there}").first).to_be_visible()
            if address == "keys":
                page.get_by_role("button", name="Make a key").click()
                expect(page.get_by_role("dialog")).to_be_visible()
                self.view("the form of a key")
                page.keyboard.press("Escape")
                page.get_by_role("button", name="Invite a device").click()
                page.get_by_role("dialog").get_by_label("Name", exact=True).fill("tablet")
                page.get_by_role("button", name="Show a code").click()
                expect(page.get_by_text("BCDF-GHJK")).to_be_visible()
            page.evaluate("for (const one of document.querySelectorAll('main .page details')) one.open = true")
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


class Smallest(Looks, ConsoleTest):
    viewport = {"width": 320, "height": 640}


if __name__ == "__main__":
    unittest.main()
