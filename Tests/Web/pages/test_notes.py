"""Notes and threads: lists, search and filters, reading, chats that begin in a thread, saving as a file."""

import pathlib
import re
import unittest

from browser import PHONE, PageTest, expect
from stand_in_data import LATER, VAULT


class NotesTest(PageTest):
    def go(self, address):
        self.page.goto(f"{self.gateway.url}#/{address}")

    def entry(self, title):
        return self.page.locator(".entry").filter(has_text=title)

    def saved(self, button):
        with self.page.expect_download() as download:
            button.click()
        return download.value


class Notes(NotesTest):
    def test_the_latest_are_listed_and_more_on_demand(self):
        self.go("notes")
        expect(self.page.locator(".entry")).to_have_count(50)
        self.page.get_by_role("button", name="Show more").click()
        expect(self.page.locator(".entry")).to_have_count(62)

    def test_search_as_one_types_narrowed_by_tag_and_kept_in_the_address(self):
        self.go("notes")
        expect(self.page.locator(".entry")).to_have_count(50)
        self.page.get_by_label("Search notes").press_sequentially("spring")
        expect(self.page.locator(".entry")).to_have_count(1)
        expect(self.entry("Spring tide at the pier")).to_contain_text("Spring tide on 14 March")
        expect(self.page).to_have_url(re.compile("q=spring$"))
        self.page.get_by_label("Search notes").fill("water")
        self.page.get_by_label("Tag").fill("#tide")
        self.page.keyboard.press("Enter")
        expect(self.page.locator(".entry")).to_have_count(21)
        self.page.reload()
        expect(self.page.get_by_label("Tag")).to_have_value("tide")
        expect(self.page.locator(".entry")).to_have_count(21)
        self.page.get_by_label("Search notes").fill("nothing like it")
        self.page.get_by_label("Tag").fill("none")
        self.page.keyboard.press("Enter")
        expect(self.page.get_by_text("No note matches.")).to_be_visible()

    def test_a_search_as_one_types_shows_all_that_it_found_and_marks_the_words_of_now(self):
        self.go("notes")
        expect(self.page.locator(".entry")).to_have_count(50)
        self.page.get_by_label("Search notes").press_sequentially("water")
        expect(self.page.locator(".entry").filter(has=self.page.locator("mark", has_text=re.compile("^water$")))).to_have_count(50)
        self.page.get_by_label("Search notes").fill("tide")
        expect(self.entry("Spring tide").locator(".entry-title mark")).to_have_text("tide")
        expect(self.page.locator("mark", has_text="water")).to_have_count(0)

    def test_words_are_marked_by_their_beginnings(self):
        self.go("notes")
        expect(self.page.locator(".entry").first).to_be_visible()
        marks = self.page.evaluate("""async ([path, cases]) => {
          const { marked } = await import(path);
          return cases.map(([text, ...terms]) => marked(text, terms).map(one => one instanceof Element ? `<${one.textContent}>` : one).join(''));
        }""", [f"{self.gateway.url}app/{self.gateway.site.hash}/notes/list.js", [
            ["Drains, a drain; Drained!", "drains"], ["Die Küche und Küchenzeile, Kuchen", "kuche"], ["it is in Italy", "it"], ["<b>tide</b>", "tide"], ["Ebbe", "flut"], ["no terms"], ["cafe\u0301s", "café"]]])
        self.assertEqual(marks, ["<Drains>, a <drain>; <Drained>!", "Die <Küche> und <Küchenzeile>, <Kuchen>", "<it> is in Italy", "<b><tide></b>", "Ebbe", "no terms", "<cafe\u0301s>"])

    def test_a_search_that_takes_long_says_so(self):
        self.go("notes")
        expect(self.page.locator(".entry")).to_have_count(50)
        expect(self.page.get_by_text("Searching the notes")).to_have_count(0)
        self.gateway.search_time = 3
        self.page.get_by_label("Search notes").fill("spring")
        expect(self.page.get_by_text("Searching the notes")).to_be_visible()
        expect(self.page.locator(".entries[aria-busy]")).to_have_count(1)
        expect(self.page.locator(".entry")).to_have_count(1)
        expect(self.page.get_by_text("Searching the notes")).to_have_count(0)
        expect(self.page.locator(".entries[aria-busy]")).to_have_count(0)

    def test_what_is_only_near_in_meaning_is_said(self):
        self.go("notes?q=xyzzy tide")
        expect(self.page.get_by_text("Nothing has these words. Near in meaning:")).to_be_visible()
        self.view("near in meaning")
        self.page.get_by_label("Search notes").fill("tide")
        expect(self.page.get_by_text("Nothing has these words. Near in meaning:")).to_have_count(0)
        expect(self.page.get_by_text("similar in meaning")).to_have_count(0)

    def test_thread_and_time_narrow_the_list(self):
        self.go("notes")
        self.page.get_by_label("Thread").select_option(label="Tide gauge")
        expect(self.page.locator(".entry")).to_have_count(21)
        self.page.get_by_label("Thread").select_option("")
        self.page.get_by_label("Time").select_option(label="Last 7 days")
        expect(self.page.get_by_text("No note matches.")).to_be_visible()

    def test_a_fallback_to_words_is_said(self):
        self.gateway.retrieval = "keyword_fallback"
        self.go("notes?q=spring")
        expect(self.page.get_by_text("Found by words only")).to_be_visible()

    def test_a_note_is_read_leads_on_and_the_list_keeps_its_place(self):
        page = self.page
        self.go("notes")
        self.entry("Entry 30").get_by_role("link").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Entry 30")
        expect(page.locator(".note-text strong")).to_have_text("lit")
        page.get_by_role("link", name="Neap tides").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Neap tides")
        page.go_back()
        expect(page.get_by_role("heading", level=1)).to_have_text("Entry 30")
        page.go_back()
        expect(self.entry("Entry 30")).to_be_in_viewport()
        self.go("notes/12")
        page.get_by_role("link", name="#tide", exact=True).click()
        expect(page.get_by_label("Tag")).to_have_value("tide")
        self.go("notes/12")
        file = self.saved(page.get_by_role("button", name="Save as a file"))
        self.assertEqual(file.suggested_filename, "Spring tide at the pier.md")
        self.assertIn("reached 4.1 m", pathlib.Path(file.path()).read_text(encoding="utf-8"))

    def test_what_is_missing_and_a_gateway_that_is_away(self):
        self.go("notes/999")
        expect(self.page.get_by_role("alert").first).to_contain_text("no longer there")
        self.go("notes")
        expect(self.page.locator(".entry").first).to_be_visible()
        self.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        self.gateway.is_down = True
        self.page.get_by_label("Search notes").fill("spring")
        expect(self.page.get_by_role("alert")).to_contain_text("cannot be reached")
        self.gateway.is_down = False
        self.page.get_by_role("alert").get_by_role("button", name="Try again").click()
        expect(self.page.locator(".entry")).to_have_count(1)

    def test_no_notes_and_no_threads(self):
        self.gateway.has_notes = False
        self.go("notes")
        expect(self.page.get_by_text("No notes yet.")).to_be_visible()
        self.go("threads")
        expect(self.page.get_by_text("No threads yet.")).to_be_visible()

    def test_a_cited_note_opens(self):
        self.gateway.script = LATER
        self.ask("When?")
        self.answered()
        self.page.locator("button.cite").first.click()
        self.page.locator(".passage.chosen").get_by_role("link", name="Open the note").click()
        expect(self.page.get_by_role("heading", level=1)).to_have_text("Spring tide at the pier")


class Beside(NotesTest):
    """List and note side by side."""

    def box(self, selector):
        return self.page.locator(selector).first.bounding_box()

    def test_a_note_opens_beside_the_list_which_keeps_its_place_and_its_search(self):
        page = self.page
        self.go("notes?q=water")
        expect(page.get_by_text("Choose a note from the list.")).to_be_visible()
        expect(page.locator(".entry")).to_have_count(50)
        self.view("a list beside nothing")
        self.entry("Entry 30").get_by_role("link").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Entry 30")
        self.assertTrue(page.url.endswith("#/notes/130?q=water"), page.url)
        expect(self.entry("Entry 30")).to_be_in_viewport()
        expect(page.locator(".entry [aria-current]")).to_contain_text("Entry 30")
        edges = [self.box(one)["x"] for one in ("#note-search", ".entry-title")], [self.box(one)["x"] for one in ("h1", ".note-text", ".near h2")]
        self.assertEqual([len(set(one)) for one in edges], [1, 1], edges)
        self.assertEqual(self.box("#note-search")["x"] - self.box(".side")["width"], self.box("h1")["x"] - self.box(".beside > :last-child")["x"])
        self.view("a note beside the list")
        # Links between notes and another search leave the other side as it is.
        page.get_by_role("link", name="Neap tides").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Neap tides")
        self.assertTrue(page.url.endswith("#/notes/15?q=water"), page.url)
        expect(self.entry("Entry 30")).to_be_in_viewport()
        page.get_by_label("Search notes").fill("spring")
        expect(page.locator(".entry")).to_have_count(1)
        expect(page.get_by_role("heading", level=1)).to_have_text("Neap tides")
        self.assertTrue(page.url.endswith("#/notes/15?q=spring"), page.url)
        page.get_by_role("link", name="Earlier versions").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Earlier versions")
        expect(page.locator(".entry")).to_have_count(1)
        page.reload()
        expect(page.get_by_role("heading", level=1)).to_have_text("Earlier versions")
        expect(page.get_by_label("Search notes")).to_have_value("spring")

    def test_arrow_keys_go_through_the_list_and_enter_into_the_note(self):
        page = self.page
        self.go("notes?q=tide")
        expect(page.locator(".entry").first).to_be_visible()
        page.get_by_label("Search notes").press("ArrowDown")
        expect(page.get_by_role("heading", level=1)).to_have_text("Spring tide at the pier")
        page.keyboard.press("ArrowDown")
        expect(page.get_by_role("heading", level=1)).to_have_text("Neap tides")
        expect(page.locator(".entry a").nth(1)).to_be_focused()
        page.keyboard.press("ArrowUp")
        expect(page.get_by_role("heading", level=1)).to_have_text("Spring tide at the pier")
        page.keyboard.press("Enter")
        expect(page.get_by_role("region", name="Note", exact=True)).to_be_focused()
        page.locator(".entry a").nth(2).focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Entry 1")
        expect(page.get_by_role("region", name="Note", exact=True)).to_be_focused()

    def test_what_becomes_of_a_note_is_seen_in_the_list(self):
        page = self.page
        self.go("notes?q=spring")
        self.entry("Spring tide").get_by_role("link").click()
        page.get_by_role("button", name="Edit").click()
        page.get_by_label("Title").fill("High water")
        page.locator("#note-text").press("Control+Enter")
        expect(self.entry("High water")).to_be_visible()
        page.get_by_role("button", name="Delete", exact=True).click()
        expect(page.get_by_text("Choose a note from the list.")).to_be_visible()
        expect(page.locator(".entry")).to_have_count(0)
        self.assertTrue(page.url.endswith("#/notes?q=spring"), page.url)

    def test_a_narrow_window_shows_one_of_them_and_the_way_back_keeps_the_search(self):
        page = self.page
        self.go("notes/12?q=spring")
        expect(page.locator(".entry")).to_have_count(1)
        page.set_viewport_size({"width": 1099, "height": 800})
        expect(page.locator(".entry")).to_have_count(0)
        expect(page.get_by_role("heading", level=1)).to_have_text("Spring tide at the pier")
        page.get_by_role("main").get_by_role("link", name="Notes", exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Notes")
        expect(page.get_by_label("Search notes")).to_have_value("spring")
        expect(page.locator(".entry")).to_have_count(1)
        page.set_viewport_size({"width": 1100, "height": 800})
        expect(page.get_by_text("Choose a note from the list.")).to_be_visible()


class Vault(NotesTest):
    """What notes hold beside Markdown: links, callouts, check boxes."""

    def setUp(self):
        super().setUp()
        self.gateway.written[500] = self.of(VAULT)

    def of(self, content):
        return {"id": 500, "title": "Kitchen renovation", "content": content, "created_at": "2026-08-16T10:00:00Z", "concepts": [], "tags": [], "threads": []}

    def open_note(self):
        self.go("notes/500")
        expect(self.page.locator(".note-text")).to_contain_text("An ordinary quote")

    def test_links_lead_to_notes_and_say_where_they_come_from(self):
        page = self.page
        self.open_note()
        text = page.locator(".note-text")
        expect(text.get_by_role("link", name="the wind")).to_have_attribute("href", "#/notes/12")
        expect(text.get_by_title("There is no such note")).to_have_text("Nowhere")
        expect(text.get_by_role("link")).to_have_count(3)
        expect(text.locator("p").first).to_have_text("The worktop of Neap tides is cheaper; see the wind, Nowhere and plan.png. [[code]] stays. #home")
        self.view("a note of a vault")
        text.get_by_role("link", name="Neap tides").first.click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Neap tides")
        linked = page.locator("section").filter(has=page.get_by_role("heading", name="Linked from"))
        expect(linked.get_by_role("link")).to_contain_text("The worktop of Neap tides")
        expect(linked.get_by_role("link")).to_contain_text("16 Aug 2026")
        linked.get_by_role("link").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Kitchen renovation")
        expect(page.get_by_role("heading", name="Linked from")).to_have_count(0)

    def test_a_gateway_that_knows_no_links_shows_the_note_as_it_is_written(self):
        self.gateway.has_links = False
        self.open_note()
        expect(self.page.locator(".note-text p").first).to_contain_text("The worktop of [[Neap tides]] is cheaper; see [[Spring tide at the pier#Wind|the wind]]")
        expect(self.page.get_by_role("heading", name="Linked from")).to_have_count(0)

    def test_the_title_is_shown_once_and_headings_go_down_by_one(self):
        self.open_note()
        expect(self.page.get_by_text("Kitchen renovation", exact=True)).to_have_count(1)
        expect(self.page.locator(".note-text").get_by_role("heading", level=2)).to_have_text("Open")

    def test_callouts(self):
        self.open_note()
        callouts = self.page.locator(".callout")
        expect(callouts).to_have_count(3)
        expect(callouts.nth(0)).to_contain_text("Warning Mind the gas")
        expect(callouts.nth(0).locator("em")).to_have_text("gas")
        expect(callouts.nth(1).get_by_text("Twice.")).to_be_hidden()
        callouts.nth(1).locator("summary").press("Enter")
        expect(callouts.nth(1).get_by_text("Twice.")).to_be_visible()
        expect(callouts.nth(2)).to_contain_text("Zettel")
        expect(self.page.locator(".note-text blockquote")).to_have_text("An ordinary quote")

    def test_a_box_changes_its_line_and_nothing_else(self):
        self.gateway.written[500] = self.of(VAULT.replace("\n", "\r\n"))
        self.open_note()
        plumber = self.page.get_by_role("checkbox", name="Call the plumber about Neap tides")
        expect(self.page.get_by_role("checkbox")).to_have_count(3)
        expect(self.page.get_by_role("checkbox", name="Order tiles")).to_be_checked()
        plumber.focus()
        plumber.press("Space")
        spare = self.page.get_by_role("checkbox", name="and a spare box")
        spare.check()
        now = VAULT.replace("[ ]", "[x]").replace("\n", "\r\n")
        self.until(lambda: self.gateway.written[500]["content"] == now)
        plumber.uncheck()
        self.until(lambda: self.gateway.written[500]["content"] == now.replace("[x] Call", "[ ] Call"))
        expect(plumber).to_be_focused()
        self.page.reload()
        expect(spare).to_be_checked()
        expect(plumber).not_to_be_checked()

    def test_a_box_of_a_note_that_changed_elsewhere_is_not_ticked(self):
        self.open_note()
        self.gateway.written[500] = self.of("- [ ] Call the baker\n\nAn ordinary quote")
        self.page.get_by_role("checkbox", name="Call the plumber").click()
        expect(self.page.locator(".toast")).to_contain_text("nothing was ticked")
        expect(self.page.get_by_role("checkbox", name="Call the baker")).not_to_be_checked()
        self.page.get_by_role("checkbox", name="Call the baker").check()
        self.until(lambda: self.gateway.written[500]["content"].startswith("- [x] Call the baker"))

    def test_without_the_gateway_a_box_goes_back(self):
        self.open_note()
        self.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        self.gateway.is_down = True
        box = self.page.get_by_role("checkbox", name="Call the plumber")
        box.click()
        expect(self.page.locator(".toast")).to_contain_text("cannot be reached")
        expect(box).not_to_be_checked()
        self.page.reload()
        expect(box).to_be_disabled()
        self.gateway.is_down = False


class VaultOnAPhone(NotesTest):
    viewport = PHONE
    scheme = "dark"

    def test_a_note_of_a_vault(self):
        self.gateway.written[500] = {"id": 500, "title": "Kitchen renovation", "content": VAULT, "created_at": "2026-08-16T10:00:00Z", "concepts": [], "tags": [], "threads": []}
        self.go("notes/500")
        expect(self.page.get_by_role("checkbox")).to_have_count(3)
        self.view("a note of a vault")


class Editing(NotesTest):
    def edit(self):
        self.go("notes/12")
        self.page.get_by_role("button", name="Edit").click()
        return self.page.get_by_label("Note", exact=True).and_(self.page.get_by_role("textbox"))

    def test_a_note_is_changed_and_the_change_undone(self):
        page = self.page
        text = self.edit()
        expect(text).to_be_focused()
        self.view("a note that is edited")
        page.get_by_label("Title").fill("Spring tide")
        page.get_by_label("Tags").fill("#tide, pier")
        text.fill("It reached **4.2 m**.")
        text.press("Control+Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Spring tide")
        expect(page.locator(".note-text strong")).to_have_text("4.2 m")
        expect(page.get_by_role("link", name="#pier", exact=True)).to_be_visible()
        self.assertEqual((self.gateway.written[12]["title"], self.gateway.written[12]["tags"]), ("Spring tide", ["tide", "pier"]))
        page.locator(".toast").get_by_role("button", name="Undo").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Spring tide at the pier")
        expect(page.locator(".note-text")).to_contain_text("reached 4.1 m")

    def test_a_draft_stays_until_it_is_saved_or_dropped(self):
        page = self.page
        self.edit().fill("half a thought")
        self.go("notes")
        expect(page.locator(".entry").first).to_be_visible()
        page.reload()
        self.go("notes/12")
        expect(page.locator("#note-text")).to_have_value("half a thought")
        page.get_by_role("button", name="Cancel").click()
        expect(page.locator(".note-text")).to_contain_text("reached 4.1 m")
        expect(page.get_by_role("button", name="Edit")).to_be_focused()
        page.get_by_role("button", name="Edit").click()
        expect(page.locator("#note-text")).to_have_value(self.page.evaluate("document.querySelector('#note-text').value"))
        self.assertIn("reached 4.1 m", page.locator("#note-text").input_value())

    def conflict(self):
        text = self.edit()
        text.fill("mine")
        self.gateway.written[12] = {"id": 12, "title": "Spring tide at the pier", "content": "theirs <b>", "created_at": "2026-03-14T10:00:00Z", "concepts": [], "tags": [], "threads": []}
        self.page.get_by_role("button", name="Save", exact=True).click()
        alert = self.page.get_by_role("alert")
        expect(alert).to_contain_text("was changed elsewhere")
        self.assertEqual(self.gateway.written[12]["content"], "theirs <b>", "nothing was overwritten")
        alert.get_by_text("As it is now").click()
        expect(alert).to_contain_text("theirs <b>")
        self.view("a conflict")
        return alert

    def test_a_note_that_changed_meanwhile_is_not_overwritten_unless_one_says_so(self):
        self.conflict().get_by_role("button", name="Save mine over it").click()
        expect(self.page.locator(".note-text")).to_have_text("mine")
        self.assertEqual(self.gateway.written[12]["content"], "mine")

    def test_theirs_is_taken(self):
        self.conflict().get_by_role("button", name="Drop mine").click()
        expect(self.page.locator(".note-text")).to_have_text("theirs <b>")
        self.page.reload()
        expect(self.page.locator(".note-text")).to_have_text("theirs <b>")

    def test_without_the_gateway_the_change_stays(self):
        text = self.edit()
        text.fill("written on a train")
        self.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        self.gateway.is_down = True
        self.page.get_by_role("button", name="Save", exact=True).click()
        expect(self.page.get_by_role("alert")).to_contain_text("Your change is kept in this browser")
        self.gateway.is_down = False
        self.page.get_by_role("button", name="Save", exact=True).click()
        expect(self.page.locator(".note-text")).to_have_text("written on a train")


class Threads(NotesTest):
    def test_a_thread_is_read_and_a_chat_begins_in_it(self):
        page = self.page
        self.go("threads")
        expect(self.entry("Tide gauge")).to_contain_text("22 notes · heating up")
        self.entry("Tide gauge").get_by_role("link").click()
        expect(page.get_by_text("Heights at the pier since January")).to_be_visible()
        expect(page.get_by_text("Clean the float")).to_be_visible()
        expect(page.locator(".entry")).to_have_count(21)
        page.get_by_role("button", name="Deep dive").click()
        expect(page.get_by_label("Kind of answer")).to_have_value("deep_dive")
        self.ask("What is open?")
        self.answered()
        body = next(iter(self.gateway.runs.values())).body
        self.assertEqual((body["kind"], body["scope"]), ("deep_dive", {"thread": "4"}))
        self.go("threads/4")
        page.get_by_role("button", name="Work on a thread").click()
        expect(page.get_by_label("Kind of answer")).to_have_value("thread_workspace")
        page.get_by_role("button", name="Tide gauge").click()
        page.get_by_role("button", name="Use all notes").click()
        expect(page.get_by_label("Kind of answer")).to_have_value("ask")

    def test_a_thread_is_saved_with_all_its_notes(self):
        self.go("threads/4")
        file = self.saved(self.page.get_by_role("button", name="Save as a file"))
        text = pathlib.Path(file.path()).read_text(encoding="utf-8")
        self.assertEqual(text.count("\n## "), 21)

    def test_a_thread_without_notes_and_one_that_is_gone(self):
        self.go("threads/5")
        expect(self.page.get_by_text("This thread has no notes.")).to_be_visible()
        self.go("threads/77")
        expect(self.page.get_by_role("alert")).to_contain_text("no longer there")

    def test_by_keyboard_through_the_palette(self):
        page = self.page
        self.loaded("shell/keys.js")
        page.keyboard.press("Control+k")
        page.keyboard.type("threads")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Threads")
        expect(self.entry("Tide gauge")).to_be_visible()
        expect(page.locator("#main")).to_be_focused()
        for _ in range(8):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.matches('.item')"):
                break
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Tide gauge")
        expect(page.locator("#main")).to_be_focused()


class Looks:
    """Every view in every state: no violation that axe finds, nothing that scrolls sideways."""

    def test_views(self):
        for address, there, name in (("threads", ".entry", "threads"), ("threads/4", ".entry", "a thread"), ("threads/77", "[role=alert]", "a missing thread"),
                                     ("notes", ".entry", "notes"), ("notes?q=water", ".entry", "found notes"), ("notes?q=xyzzy", ".blank", "no found notes"),
                                     ("notes/12", ".rows .item", "a note")):
            self.go(address)
            expect(self.page.locator(f"main {there}").first).to_be_visible()
            self.view(name)
        self.page.evaluate("document.documentElement.dir = 'rtl'")
        self.view("a note, mirrored")


class Light(Looks, NotesTest):
    pass


class PhoneDark(Looks, NotesTest):
    viewport = PHONE
    scheme = "dark"


if __name__ == "__main__":
    unittest.main()


class Past(NotesTest):
    """Deleted notes and earlier versions."""

    def past(self, title):
        return self.page.locator(".past").filter(has_text=title)

    def test_a_note_is_deleted_and_the_deletion_undone(self):
        page = self.page
        self.go("notes/12")
        page.get_by_role("button", name="Delete", exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Notes")
        expect(page.locator(".entry").first).to_be_visible()
        expect(self.entry("Spring tide at the pier")).to_have_count(0)
        self.assertEqual(self.gateway.deleted, ["12"])
        page.locator(".toast").get_by_role("button", name="Undo").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Spring tide at the pier")
        self.assertEqual(self.gateway.deleted, [])

    def test_a_note_that_changed_meanwhile_is_not_deleted(self):
        self.go("notes/12")
        expect(self.page.locator(".note-text")).to_contain_text("reached 4.1 m")
        self.gateway.written[12] = {"id": 12, "title": "Spring tide at the pier", "content": "theirs", "created_at": "2026-03-14T10:00:00Z", "concepts": [], "tags": [], "threads": []}
        self.page.get_by_role("button", name="Delete", exact=True).click()
        expect(self.page.locator(".toast")).to_contain_text("changed elsewhere")
        self.assertEqual(self.gateway.deleted, [])

    def test_deleted_notes_are_listed_restored_and_erased(self):
        page = self.page
        for name in ("12", "15"):
            self.go(f"notes/{name}")
            page.get_by_role("button", name="Delete", exact=True).click()
            expect(page.get_by_role("heading", level=1)).to_have_text("Notes")
        page.get_by_role("link", name="Deleted notes").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Deleted notes")
        expect(page.locator(".past")).to_have_count(2)
        expect(self.past("Neap tides")).to_contain_text("#15 Daily/15.md")
        self.view("deleted notes")
        page.get_by_role("button", name="Erase for good: Neap tides").click()
        dialog = page.get_by_role("dialog")
        self.view("erasing a note")
        dialog.get_by_role("button", name="Cancel").click()
        self.assertEqual(self.gateway.erased, [])
        page.get_by_role("button", name="Erase for good: Neap tides").click()
        page.get_by_role("dialog").get_by_role("button", name="Erase for good").click()
        expect(page.locator(".past")).to_have_count(1)
        self.assertEqual(self.gateway.erased, ["15"])
        page.get_by_role("button", name="Restore: Spring tide at the pier").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Spring tide at the pier")
        self.go("notes/deleted")
        expect(page.get_by_text("No deleted notes.")).to_be_visible()
        self.view("no deleted notes")

    def test_an_earlier_version_is_read_and_comes_back(self):
        page = self.page
        self.go("notes/12/history")
        expect(page.get_by_text("This note was not changed yet.")).to_be_visible()
        self.go("notes/12")
        page.get_by_role("button", name="Edit").click()
        page.locator("#note-text").fill("It reached 4.2 m.")
        page.locator("#note-text").press("Control+Enter")
        expect(page.locator(".note-text")).to_have_text("It reached 4.2 m.")
        page.get_by_role("link", name="Earlier versions").click()
        expect(page.locator(".past")).to_have_count(1)
        expect(page.locator(".past")).to_contain_text("Edited")
        self.view("earlier versions of a note")
        page.get_by_role("button", name="Show:").click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("reached 4.1 m")
        self.view("an earlier version")
        dialog.get_by_role("button", name="Restore").click()
        expect(page.locator(".note-text")).to_contain_text("reached 4.1 m")
        page.get_by_role("link", name="Earlier versions").click()
        expect(page.locator(".past").first).to_contain_text("Replaced by an earlier version")
        page.get_by_role("button", name="Erase the earlier versions").click()
        page.get_by_role("dialog").get_by_role("button", name="Erase the earlier versions").click()
        expect(page.get_by_text("This note was not changed yet.")).to_be_visible()

    def test_a_search_asks_for_no_whole_texts(self):
        asked = []
        self.page.on("request", lambda request: asked.append(request.post_data or request.url) if "api/notes" in request.url else None)
        self.go("notes?q=spring")
        expect(self.entry("Spring tide at the pier")).to_contain_text("#12 Daily/12.md")
        self.go("notes")
        expect(self.page.locator(".entry")).to_have_count(50)
        self.assertTrue(asked and all('"content":false' in one or "content=false" in one for one in asked), asked)
