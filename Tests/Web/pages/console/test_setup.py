"""The console's page of settings: what is changed in it, what is changed elsewhere, and the doctor. And what is switched on from an empty view."""

import unittest

from browser import PHONE, PageTest, expect


class SetupTest(PageTest):
    def setUp(self):
        super().setUp()
        self.console = self.gateway.console
        self.page.goto(f"{self.gateway.url}#/console/setup")

    def row(self, key):
        """The row of a setting that is changed here."""
        return self.page.locator(".setting").filter(has=self.page.locator(f"code:text-is('{key}')"))


class Setup(SetupTest):
    def test_those_of_the_own_machine_and_the_doctor(self):
        page = self.page
        others = page.get_by_role("region", name="Changed on the gateway's own machine")
        expect(others.locator("tbody tr")).to_have_count(3)
        expect(others.locator("tbody tr").filter(has_text="max_connections")).to_contain_text("needs a restart")
        expect(others.locator("tbody tr").filter(has_text="host")).to_contain_text("Set by a flag")
        token = others.locator("tbody tr").filter(has_text="api_token")
        expect(token).to_contain_text("********")
        expect(token.get_by_text("SELENE_API_TOKEN")).to_be_visible()
        page.get_by_label("Also settings at their defaults").check()
        expect(others.locator("tbody tr")).to_have_count(5)
        self.console.is_broken = True
        page.get_by_role("button", name="Look again").click()
        expect(page.get_by_role("alert")).to_contain_text("A reload would be refused")
        page.get_by_role("button", name="Examine", exact=True).click()
        expect(page.get_by_text("an examination runs already")).to_be_visible()
        page.get_by_role("button", name="Examine thoroughly").click()
        expect(page.get_by_text("1 problem, 1 warning")).to_have_count(0)
        expect(page.get_by_role("status")).to_contain_text("One problem, one warning")
        expect(page.get_by_role("region", name="Findings").locator("tbody tr")).to_have_count(3)
        expect(page.get_by_role("region", name="Findings")).to_contain_text("selene doctor --fix")
        self.assertEqual(self.console.examined, [False, True])

    def test_a_value_is_saved_and_goes_back(self):
        page = self.page
        headings = page.locator("main h2").all_inner_texts
        expect(page.get_by_role("heading", name="Chat and memories")).to_be_visible()
        self.assertLess(headings().index("Models"), headings().index("Logs and notifications"))
        field, row = page.get_by_label("Model for answers", exact=True), self.row("generate_model")
        expect(field).to_have_value("llama3.2:latest")
        save = row.get_by_role("button", name="Save")
        expect(save).to_be_hidden()
        field.fill("gemma3")
        expect(save).to_be_visible()
        row.get_by_role("button", name="The same on the command line").click()
        expect(page.get_by_text("selene config set generate_model gemma3")).to_be_visible()
        page.keyboard.press("Escape")
        field.focus()
        page.keyboard.press("Escape")
        expect(field).to_have_value("llama3.2:latest")
        expect(save).to_be_hidden()
        self.assertEqual(self.console.changes, [])
        field.fill("gemma3")
        page.keyboard.press("Enter")
        expect(page.locator(".toast")).to_contain_text("Saved: Model for answers.")
        expect(save).to_be_hidden()
        expect(field).to_be_focused()
        expect(row).not_to_contain_text("Waits")
        back = row.get_by_role("button", name="Back to the default")
        back.click()
        expect(field).to_have_value("llama3.2:latest")
        expect(back).to_be_hidden()
        expect(field).to_be_focused()
        page.locator(".toast").last.get_by_role("button", name="Undo").click()
        expect(field).to_have_value("gemma3")
        self.assertEqual(self.console.changes, [("generate_model", "gemma3"), ("generate_model", None), ("generate_model", "gemma3")])

    def test_a_refusal_stays_at_its_field(self):
        page = self.page
        field, row = page.get_by_label("Length of a chat, in tokens", exact=True), self.row("chat_context")
        expect(field).to_have_attribute("type", "number")
        field.fill("12")
        page.keyboard.press("Enter")
        expect(row.get_by_role("alert")).to_have_text('"chat_context" is 12, but 512 or more is expected')
        expect(field).to_have_value("12")
        expect(field).to_have_attribute("aria-invalid", "true")
        expect(field).to_be_focused()
        self.view("a refused setting")
        page.keyboard.press("Escape")
        expect(row.get_by_role("alert")).to_have_count(0)
        expect(field).to_have_value("8192")
        self.gateway.fail("/api/admin/config", 409, error='"chat_context" cannot be changed here: a flag sets it', code="fixed_setting")
        field.fill("4096")
        row.get_by_role("button", name="Save").click()
        expect(row.get_by_role("alert")).to_contain_text("a flag sets it")
        row.get_by_role("button", name="Save").click()
        expect(row).to_contain_text("Waits for a restart: 8192 → 4096")
        expect(page.locator(".toast")).to_contain_text("after a restart of the gateway")

    def test_switches_times_and_choices(self):
        page = self.page
        memories = page.get_by_role("switch", name="Memories", exact=True)
        expect(memories).to_be_checked()
        memories.focus()
        page.keyboard.press("Space")
        expect(self.row("memories")).to_contain_text("Waits for a restart: on → off")
        expect(memories).not_to_be_checked()
        expect(memories).to_be_focused()
        page.get_by_role("switch", name="Make new notes findable by meaning").click()
        expect(self.row("backfill")).to_contain_text("Waits for a restart: auto → off")
        time = page.get_by_label("Time of the daily work", exact=True)
        expect(time).to_have_attribute("type", "time")
        time.fill("06:30")
        self.row("briefing_at").get_by_role("button", name="Save").click()
        expect(self.row("briefing_at").get_by_role("button", name="Back to the default")).to_be_visible()
        page.get_by_label("First day of the week", exact=True).select_option("sunday")
        self.row("week_start").get_by_role("button", name="Save").click()
        expect(self.row("week_start").get_by_role("button", name="Back to the default")).to_be_visible()
        self.assertEqual(self.console.changes, [("memories", "off"), ("backfill", "off"), ("briefing_at", "06:30"), ("week_start", "sunday")])
        self.gateway.fail("/api/admin/config", 503, error="not now")
        page.get_by_role("switch", name="Finish loading models").click()
        expect(self.row("load_shield").get_by_role("alert")).to_have_text("not now")
        expect(page.get_by_role("switch", name="Finish loading models")).not_to_be_checked()

    def test_a_list_is_check_boxes(self):
        page, row = self.page, self.row("workflows")
        group = page.get_by_role("group", name="Daily work on the notes", exact=True)
        tasks = group.get_by_role("checkbox", name="Find tasks in notes")
        for box in group.get_by_role("checkbox").all():
            expect(box).to_be_checked()
        expect(tasks).to_have_accessible_description("Reads new and changed notes. You confirm each task.")
        save = row.get_by_role("button", name="Save")
        expect(save).to_be_hidden()
        tasks.focus()
        page.keyboard.press("Space")
        expect(save).to_be_visible()
        self.view("a list of check boxes")
        page.keyboard.press("Escape")
        expect(tasks).to_be_checked()
        expect(tasks).to_be_focused()
        expect(save).to_be_hidden()
        self.assertEqual(self.console.changes, [])
        tasks.uncheck()
        page.keyboard.press("Enter")
        expect(page.locator(".toast")).to_contain_text("Saved: Daily work on the notes.")
        expect(tasks).not_to_be_checked()
        for name in ("Make a briefing", "Propose threads"):
            group.get_by_role("checkbox", name=name).uncheck()
        row.get_by_role("button", name="The same on the command line").click()
        expect(page.get_by_text("selene config set workflows off")).to_be_visible()
        page.keyboard.press("Escape")
        self.gateway.fail("/api/admin/config", 503, error="not now")
        save.click()
        expect(row.get_by_role("alert")).to_have_text("not now")
        save.click()
        expect(save).to_be_hidden()
        expect(group.get_by_role("checkbox", name="Make a briefing")).not_to_be_checked()
        row.get_by_role("button", name="Back to the default").click()
        expect(tasks).to_be_checked()
        self.assertEqual([value for _, value in self.console.changes], ["briefing,threads", "off", None])

    def test_what_is_fixed_and_the_filter(self):
        page = self.page
        expect(self.row("mcp")).to_contain_text("Set in the environment of the gateway; it is changed there: SELENE_MCP")
        expect(self.row("fusion")).to_contain_text("Set by a flag")
        expect(self.row("mcp").locator("input")).to_have_count(0)
        page.get_by_label("Find a setting").fill("chat tokens")
        expect(page.locator(".setting:visible")).to_have_count(1)
        page.get_by_label("Find a setting").fill("port")
        expect(page.locator(".setting:visible")).to_have_count(0)
        expect(page.locator("tbody tr:visible")).to_have_count(2)
        page.get_by_label("Find a setting").fill("nothing such")
        expect(page.get_by_text("No setting matches.")).to_be_visible()
        page.get_by_label("Find a setting").fill("")
        expect(page.locator(".setting:visible")).not_to_have_count(0)

    def test_an_older_gateway_changes_nothing(self):
        self.console.is_older = True
        self.page.get_by_role("button", name="Look again").click()
        expect(self.page.locator(".setting")).to_have_count(0)
        expect(self.page.locator("tbody tr").filter(has_text="embed_model")).to_be_visible()


class German(SetupTest):
    context_options = {"locale": "de-DE"}
    viewport = PHONE

    def test_names_and_results(self):
        page = self.page
        page.get_by_label("Modell für Antworten", exact=True).fill("gemma3")
        self.row("generate_model").get_by_role("button", name="Speichern").click()
        expect(page.locator(".toast")).to_contain_text("Gespeichert: Modell für Antworten.")
        page.get_by_role("switch", name="Erinnerungen", exact=True).click()
        expect(self.row("memories")).to_contain_text("Wartet auf einen Neustart: on → off")
        expect(self.row("mcp")).to_contain_text("Gesetzt in der Umgebung")
        # What a setting does is in German; what a newer gateway knows is in its English.
        expect(self.row("memories").get_by_text("Chats merken sich, was du über dich schreibst")).not_to_have_attribute("lang", "en")
        expect(page.get_by_role("group", name="Tägliche Arbeit an den Notizen").get_by_role("checkbox", name="Fäden vorschlagen")).to_be_checked()
        self.console.settings["moon_phase"] = "full"
        page.get_by_role("button", name="Neu laden").click()
        page.get_by_label("Auch Einstellungen mit Vorgabewert").check()
        expect(page.locator("[lang=en]")).to_have_text(["what moon_phase is for"])
        page.get_by_label("Einstellung finden").fill("merken")
        expect(page.locator(".setting:visible")).to_have_count(1)
        page.get_by_label("Einstellung finden").fill("")
        # A key without a word is shown as it is.
        self.assertNotRegex(page.locator("main").inner_text(), r"\b(setup|setting|library)\.[a-z]+")
        self.view("settings on a phone, in German")


class Remedies(PageTest):
    def go(self):
        self.gateway.memories.update(rows=[], is_on=False)
        self.page.goto(f"{self.gateway.url}#/memories")

    def test_memories_are_switched_on(self):
        page = self.page
        self.gateway.console.started["memories"] = self.gateway.console.stored["memories"] = "off"
        self.go()
        button = page.get_by_role("button", name="Switch memories on")
        expect(page.get_by_text("Counts after a restart of the gateway.")).to_be_visible()
        self.view("memories that are off")
        self.gateway.fail("/api/admin/config", 503, error="not now")
        button.click()
        expect(page.get_by_role("alert")).to_have_text("not now")
        button.focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("status").filter(has_text="It is switched on")).to_be_visible()
        expect(button).to_have_count(0)
        self.assertEqual(self.gateway.console.changes[-1], ("memories", "on"))

    def test_a_workflow_is_added_to_the_others(self):
        page, console = self.page, self.gateway.console
        console.stored["workflows"] = "briefing"
        self.gateway.tasks.update(drafts=[], tasks=[])
        page.goto(f"{self.gateway.url}#/tasks")
        page.get_by_role("button", name="Find tasks in notes").click()
        expect(page.get_by_role("status").filter(has_text="It is switched on.")).to_be_visible()
        self.assertEqual(console.changes, [("workflows", "briefing,actions")])
        self.view("tasks that are found from now on")

    def test_only_administrators_see_it(self):
        self.gateway.is_admin = False
        self.go()
        expect(self.page.get_by_text("Chats remember nothing")).to_be_visible()
        expect(self.page.get_by_role("button", name="Switch memories on")).to_have_count(0)


if __name__ == "__main__":
    unittest.main()
