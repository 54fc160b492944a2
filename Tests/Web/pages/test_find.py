"""The box that finds anything: commands and places at once, notes, books, threads, goals and pages of the console as they come."""

import unittest

from browser import PHONE, PageTest, expect


class FindTest(PageTest):
    def find(self, text=""):
        self.loaded("shell/keys.js")
        self.page.keyboard.press("Control+k")
        expect(self.page.get_by_role("combobox", name="Search")).to_be_focused()
        self.page.keyboard.type(text)

    def group(self, name):
        return self.page.get_by_role("group", name=name, exact=True).get_by_role("option")

    def chosen(self):
        return self.page.get_by_role("listbox", name="Search").get_by_role("option", selected=True)


class Find(FindTest):
    def test_notes_books_threads_goals_and_the_console(self):
        page = self.page
        self.find("tide")
        expect(self.group("Notes").first).to_contain_text("Spring tide at the pier")
        expect(self.group("Books")).to_have_text(["The Keeper of the Tides"])
        expect(self.group("Threads")).to_have_text(["Tide gauge"])
        expect(self.group("Chats").first).to_contain_text("When is the tide hig")
        # The page behind has a list of kinds.
        expect(page.get_by_role("listbox", name="Search").get_by_role("option").last).to_have_text("Search all notes for “tide”")
        page.keyboard.press("ArrowUp")
        expect(self.chosen()).to_have_text("Search all notes for “tide”")
        page.keyboard.press("Enter")
        expect(page).to_have_url(self.gateway.url + "#/notes?q=tide")
        expect(page.get_by_label("Search notes")).to_have_value("tide")
        self.find("run")
        self.group("Goals").filter(has_text="Run 300 km").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Run 300 km")
        self.find("model")
        expect(self.group("Console").first).to_have_text("Models")
        self.find_asks_little()

    def find_asks_little(self):
        asked = [path for method, path in self.gateway.requests if path.startswith("/api/notes/retrieve")]
        self.assertLessEqual(len(asked), 6, "a word that is being typed is not asked for letter by letter")

    def test_notes_of_one_title_are_chosen_one_by_one(self):
        page = self.page
        page.route("**/api/notes/retrieve", lambda route: route.fulfill(json={"results": [{"id": number, "title": "Same", "snippet": f"No. {number}"} for number in (12, 15)]}))
        self.find("zz")
        expect(self.group("Notes")).to_have_count(2)
        expect(self.chosen()).to_contain_text("No. 12")
        page.keyboard.press("ArrowDown")
        expect(self.chosen()).to_contain_text("No. 15")
        page.keyboard.press("ArrowDown")
        expect(self.chosen()).to_contain_text("Search all notes")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Neap tides")

    def test_a_slow_gateway_keeps_nobody_waiting(self):
        page = self.page
        held = []
        for path in ("notes/retrieve", "books*", "goals*"):
            page.route(f"**/api/{path}", lambda route: held.append(route))
        self.find("to")
        expect(self.group("Go to").first).to_have_text("Today")
        expect(page.get_by_role("status").filter(has_text="Searching")).to_be_visible()
        self.until(lambda: held)
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Today")
        # What an outdated word would find is not shown.
        for route in held:
            try:
                route.continue_()
            except Exception:  # noqa: BLE001 the page cancelled it
                pass

    def test_without_the_gateway(self):
        page = self.page
        self.loaded("shell/keys.js")
        self.gateway.is_down = True
        self.find("notes")
        expect(self.chosen()).to_have_text("Notes")
        expect(page.get_by_text("Not everything could be searched.")).to_be_visible()
        page.keyboard.press("Enter")
        expect(page).to_have_url(self.gateway.url + "#/notes")

    def test_what_a_key_may_not_read_is_not_asked_for(self):
        page = self.page
        page.route("**/web/session", lambda route: route.fulfill(json={"signed_in": True, "needs_key": True, "key": {"name": "guest", "scopes": ["llm"], "models": []}}))
        page.reload()
        expect(page.get_by_role("navigation", name="Main").get_by_role("link", name="Library")).to_have_count(0)
        before = len(self.gateway.requests)
        self.find("zebra")
        expect(page.get_by_role("status").filter(has_text="Nothing matches.")).to_be_visible()
        self.assertEqual([path for _, path in self.gateway.requests[before:] if "/api/notes/retrieve" in path or "/api/books" in path], [])


class Phone(FindTest):
    viewport = PHONE
    context_options = {"has_touch": True, "locale": "de-DE"}

    def test_from_the_bar(self):
        page = self.page
        page.get_by_role("button", name="Suchen").tap()
        page.get_by_role("combobox", name="Suchen").fill("tide")
        expect(page.get_by_role("group", name="Notizen").get_by_role("option").first).to_be_visible()
        self.view("what was found on a phone")
        page.get_by_role("button", name="Schließen").tap()
        expect(page.get_by_role("dialog")).to_have_count(0)
        page.get_by_role("button", name="Suchen").tap()
        page.get_by_role("combobox", name="Suchen").fill("tide")
        page.get_by_role("option").filter(has_text="Spring tide").first.tap()
        expect(page.get_by_role("heading", level=1)).to_have_text("Spring tide at the pier")
        page.set_viewport_size({"width": 320, "height": 600})
        self.check_width("the bar in a small window")


if __name__ == "__main__":
    unittest.main()
