"""The library and the reader: by mouse, keyboard and touch, with imports that fail, and what an answer cites."""

import unittest

from browser import PHONE, PageTest, expect
from stand_in_books import make_book
from stand_in_data import LATER

DROP = """([name, body]) => {
  const data = new DataTransfer();
  data.items.add(new File([body], name, {type: 'application/pdf'}));
  for (const kind of ['dragenter', 'dragover', 'drop']) document.querySelector('.shelf').dispatchEvent(new DragEvent(kind, {dataTransfer: data, bubbles: true, cancelable: true}));
}"""
SWIPE = """([from, to, down = 0, place = '.reader-page', fingers = 1]) => {
  const target = document.querySelector(place);
  const touch = (x, y = 300, identifier = 1) => new Touch({identifier, target, clientX: x, clientY: y});
  const touches = Array.from({length: fingers}, (_, n) => touch(from + 40 * n, 300, n));
  target.dispatchEvent(new TouchEvent('touchstart', {touches, changedTouches: touches, bubbles: true}));
  target.dispatchEvent(new TouchEvent('touchend', {touches: [], changedTouches: [touch(to, 300 + down)], bubbles: true}));
}"""


class BookTest(PageTest):
    def setUp(self):
        super().setUp()
        self.library = self.gateway.library

    def go(self, address):
        self.page.goto(f"{self.gateway.url}#/{address}")

    def row(self, title):
        return self.page.locator(".book").filter(has_text=title)

    def pick(self, name, body):
        self.page.get_by_role("button", name="Add a book").first.click()
        self.page.get_by_label("Choose files").set_input_files({"name": name, "mimeType": "application/pdf", "buffer": body})


class Shelf(BookTest):
    def test_a_file_is_sent_read_and_opened(self):
        self.go("books")
        expect(self.page.get_by_role("link", name="The Keeper of the Tides")).to_be_visible()
        expect(self.page.locator(".cover img")).to_have_count(1)
        self.library.gate.clear()
        self.pick("Tide tables.pdf", b"%PDF-1.7 one")
        row = self.row("Tide tables")
        expect(row).to_contain_text("Waiting to be read")
        self.library.gate.set()
        expect(row).to_contain_text("PDF · 4 pages")
        row.get_by_role("link", name="Tide tables").click()
        expect(self.page.locator(".book-page h2")).to_have_text("The harbour")

    def test_files_are_dropped_and_the_same_one_is_known(self):
        self.go("books")
        expect(self.page.get_by_role("link", name="The Keeper of the Tides")).to_be_visible()
        self.page.evaluate(DROP, ["Dropped.pdf", "%PDF dropped"])
        expect(self.row("Dropped")).to_contain_text("4 pages")
        self.page.evaluate(DROP, ["Dropped.pdf", "%PDF dropped"])
        expect(self.page.get_by_text("Already in the library: Dropped")).to_be_visible()
        expect(self.row("Dropped")).to_have_count(1)

    def test_an_address_is_added_and_a_refusal_is_said(self):
        self.go("books")
        self.page.get_by_role("button", name="Add a book").click()
        self.page.get_by_label("Or the address of a page").fill("http://127.0.0.1/x")
        self.page.get_by_role("button", name="Add", exact=True).click()
        expect(self.page.get_by_role("alert")).to_contain_text("not public")
        self.page.get_by_label("Or the address of a page").fill("https://tides.example/tables")
        self.page.get_by_label("Private").check()
        self.page.get_by_role("button", name="Add", exact=True).click()
        expect(self.page.get_by_role("dialog")).to_have_count(0)
        expect(self.row("https://tides")).to_contain_text("private")

    def test_what_fails_says_why_and_is_tried_again(self):
        self.go("books")
        self.pick("virus.exe", b"MZ")
        alert = self.row("virus.exe").get_by_role("alert")
        expect(alert).to_contain_text("cannot be read")
        self.row("virus.exe").get_by_role("button", name="Dismiss").click()
        expect(self.row("virus.exe")).to_have_count(0)
        self.library.fails = {"error": "The file is encrypted.", "code": "encrypted"}
        self.pick("Secret.pdf", b"%PDF secret")
        expect(self.row("Secret")).to_contain_text("The file is encrypted.")
        self.library.fails = None
        self.row("Secret").get_by_role("button", name="Try again").click()
        expect(self.row("Secret")).to_contain_text("4 pages")

    def test_a_gateway_that_is_away_loses_no_file(self):
        self.go("books")
        expect(self.page.get_by_role("link", name="The Keeper of the Tides")).to_be_visible()
        self.loaded("books/imports.js", "kit/sheet.js")
        self.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        self.gateway.is_down = True
        self.pick("Later.pdf", b"%PDF later")
        expect(self.row("Later").get_by_role("alert")).to_contain_text("was not sent")
        self.gateway.is_down = False
        self.row("Later").get_by_role("button", name="Try again").click()
        expect(self.row("Later")).to_contain_text("4 pages")

    def test_no_gateway_and_no_books(self):
        self.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        self.go("books")
        expect(self.page.get_by_role("link", name="The Keeper of the Tides")).to_be_visible()
        self.go("chat")
        # Else the page of books may not have been left, and asks nothing.
        expect(self.page.locator("#question")).to_be_visible()
        self.gateway.is_down = True
        self.go("books")
        expect(self.page.get_by_role("alert")).to_contain_text("cannot be reached")
        self.gateway.is_down = False
        self.library.items.clear()
        self.page.get_by_role("alert").get_by_role("button", name="Try again").click()
        expect(self.page.get_by_role("heading", name="No books yet")).to_be_visible()

    def test_removing_can_be_undone_then_is_done(self):
        self.go("books")
        menu = self.page.get_by_role("button", name="Actions for A Second Book")
        menu.click()
        self.page.get_by_role("button", name="Remove from the library").click()
        expect(self.row("A Second Book")).to_have_count(0)
        self.page.get_by_role("button", name="Undo").click()
        expect(self.row("A Second Book")).to_have_count(1)
        self.assertIn(2, self.library.items)
        menu.click()
        self.page.get_by_role("button", name="Remove from the library").click()
        self.until(lambda: 2 not in self.library.items)

    def test_private_and_title_are_changed_and_taken_back_when_refused(self):
        self.go("books")
        menu = self.page.get_by_role("button", name="Actions for The Keeper")
        menu.click()
        self.page.get_by_label("Private").check()
        self.page.keyboard.press("Escape")
        expect(self.row("The Keeper")).to_contain_text("private")
        # The page shows the change before it sends it.
        self.until(lambda: self.library.items[1]["book"]["is_private"])
        self.gateway.fail("PATCH /api/books/1", 500, error="The disk is full.")
        menu.click()
        self.page.get_by_label("Title").fill("Another title")
        self.page.keyboard.press("Enter")
        expect(self.page.get_by_text("The disk is full.")).to_be_visible()
        expect(self.row("The Keeper")).to_have_count(1)

    def test_a_cover_that_is_a_drawing_is_shown_and_a_broken_one_is_a_letter_of_the_same_size(self):
        svg = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 84"><script>parent.document.title = "bad"</script><rect width="60" height="84" fill="teal"/></svg>'
        self.library.items[2]["cover"], self.library.items[3]["cover"] = (svg, "image/svg+xml"), (b"no picture", "image/png")
        for number in (2, 3):
            self.library.items[number]["book"]["has_cover"] = True
        self.go("books")
        self.until(lambda: self.row("A Second Book").locator("img").evaluate_all("all => all.some(one => one.naturalWidth > 0)"))
        self.until(lambda: ("GET", "/api/books/3/cover") in self.gateway.requests)
        expect(self.page.locator(".book").filter(has_text="كتاب").locator(".cover span")).to_be_visible()
        self.assertEqual({(one["width"], one["height"]) for one in (place.bounding_box() for place in self.page.locator(".cover").all())}, {(60, 84)})
        self.assertNotEqual(self.page.title(), "bad")

    def test_many_books_are_searched_and_paged(self):
        for number in range(200, 350):
            self.library.items[number] = make_book(number, f"Volume {number}", [], 1)
        self.go("books")
        expect(self.page.locator(".book")).to_have_count(100)
        self.page.get_by_role("button", name="Show more").click()
        expect(self.page.locator(".book")).to_have_count(153)
        self.page.get_by_label("Search books").fill("keeper")
        expect(self.page.locator(".book")).to_have_count(1)
        self.page.get_by_label("Search books").fill("no such")
        expect(self.page.get_by_text("No book matches.")).to_be_visible()

    def test_what_another_app_shares_is_added_after_a_press(self):
        self.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        self.page.reload()
        expect(self.page.get_by_label("Your question")).to_be_visible()
        self.page.evaluate("""() => {
          const form = document.body.appendChild(document.createElement('form'));
          Object.assign(form, {method: 'post', enctype: 'multipart/form-data', action: 'share'});
          const input = form.appendChild(Object.assign(document.createElement('input'), {type: 'file', name: 'book'}));
          const data = new DataTransfer();
          data.items.add(new File(['%PDF shared'], 'Geteiltes Buch ü.pdf', {type: 'application/pdf'}));
          input.files = data.files;
          form.submit();
        }""")
        expect(self.page.get_by_role("dialog", name="Add a book")).to_contain_text("Geteiltes Buch ü.pdf")
        self.assertEqual([path for method, path in self.gateway.requests if method == "POST" and path != "/web/session"], [])
        self.page.get_by_role("dialog").get_by_role("button", name="Add", exact=True).first.click()
        expect(self.row("Geteiltes Buch ü")).to_contain_text("4 pages")


class Reader(BookTest):
    def page_is(self, number):
        expect(self.page.locator(".pager")).to_contain_text(f"page {number} of 12")

    def test_pages_by_keys_number_and_address(self):
        page = self.page
        self.go("books/1/p/4")
        self.page_is(4)
        expect(page.get_by_label("Go to page")).to_have_value("iv")
        page.keyboard.press("ArrowRight")
        self.page_is(5)
        line = page.get_by_role("progressbar", name="Pages")
        expect(line).to_have_attribute("aria-valuetext", "page 5 of 12")
        self.still()
        self.assertAlmostEqual(line.locator("i").bounding_box()["width"] / line.bounding_box()["width"], 5 / 12, delta=0.01)
        expect(page.get_by_label("Go to page")).to_have_value("1")
        expect(page.locator(".book-page h2")).to_have_text("The gauge")
        expect(page.locator(".book-page")).to_contain_text("nobody knew the mea\u00adsure of the sea")
        page.keyboard.press("ArrowLeft")
        self.page_is(4)
        page.get_by_label("Go to page").fill("ii")
        page.keyboard.press("Enter")
        self.page_is(2)
        page.get_by_label("Go to page").fill("99")
        page.keyboard.press("Enter")
        expect(page.get_by_text("There is no page 99.")).to_be_visible()
        page.get_by_role("button", name="Next page").click()
        self.page_is(3)
        page.go_back()
        self.page_is(2)
        self.go("books")
        page.get_by_role("link", name="The Keeper of the Tides").click()
        self.page_is(2)

    def test_three_presses_in_one_turn_of_the_page_turn_three_pages(self):
        self.go("books/1/p/5")
        self.page_is(5)
        self.page.evaluate("for (let n = 0; n < 3; n += 1) document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true, cancelable: true}))")
        self.page_is(8)

    def test_the_space_key_scrolls_then_turns_and_goes_back_to_the_end(self):
        page, scroller = self.page, self.page.locator(".reader-page")
        page.emulate_media(reduced_motion="reduce")
        page.set_viewport_size({"width": 1280, "height": 400})
        top = lambda: scroller.evaluate("one => Math.round(one.scrollTop)")
        end = lambda: scroller.evaluate("one => Math.round(one.scrollHeight - one.clientHeight)")
        self.go("books/1/p/5")
        self.page_is(5)
        height = scroller.evaluate("one => one.clientHeight")
        page.keyboard.press("Space")
        self.assertAlmostEqual(top(), 0.9 * height, delta=1)
        for _ in range(20):
            if top() < end():
                page.keyboard.press("Space")
        self.page_is(5)
        # A key that is held turns no page.
        page.evaluate("document.body.dispatchEvent(new KeyboardEvent('keydown', {key: ' ', repeat: true, bubbles: true, cancelable: true}))")
        self.page_is(5)
        page.keyboard.press("Space")
        self.page_is(6)
        self.assertEqual(top(), 0)
        page.keyboard.press("Shift+Space")
        self.page_is(5)
        self.until(lambda: top() == end() > 0)
        page.keyboard.press("Shift+Space")
        self.page_is(5)
        self.assertLess(top(), end())
        # On a button it presses the button, in a field it writes.
        page.get_by_role("button", name="Next page").focus()
        page.keyboard.press("Space")
        self.page_is(6)
        page.keyboard.press("f")
        page.get_by_role("searchbox", name="Find").press_sequentially("a b")
        self.page_is(6)
        page.get_by_role("button", name="Close").click()
        self.go("books/1/p/1")
        self.page_is(1)
        # Closing gave the focus back to the button.
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("Shift+Space")
        page.keyboard.press("ArrowRight")
        self.page_is(2)
        self.assertEqual(top(), 0)

    def test_the_position_is_set_shown_undone_and_limits_contents_and_finding(self):
        page = self.page
        self.go("books/1/p/5")
        expect(page.get_by_text("No reading position")).to_be_visible()
        page.get_by_role("button", name="I have read to here").click()
        expect(page.get_by_text("You have read to page 1")).to_be_visible()
        self.assertEqual(self.library.items[1]["book"]["position"]["page"], 5)
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        self.page_is(7)
        self.assertEqual(self.library.items[1]["book"]["position"]["page"], 5)
        page.get_by_role("button", name="Contents").click()
        panel = page.get_by_role("complementary", name="Contents")
        expect(panel.get_by_role("link")).to_have_count(2)
        panel.get_by_role("button", name="Show all").click()
        expect(panel.get_by_role("link", name="The storm")).to_be_visible()
        panel.get_by_role("link", name="The storm").click()
        self.page_is(9)
        page.get_by_role("button", name="Close").click()
        page.keyboard.press("f")
        finder = page.get_by_role("complementary", name="Find")
        expect(finder.get_by_role("searchbox")).to_be_focused()
        page.keyboard.type("float")
        expect(finder.get_by_role("link")).to_have_count(2)
        expect(finder.get_by_role("status")).to_have_text("Found 2 times")
        self.assertNotIn("torn away", finder.inner_text())
        finder.get_by_role("button", name="Show all").click()
        expect(finder.get_by_role("link")).to_have_count(3)
        finder.get_by_role("link").nth(1).click()
        expect(page.locator(".book-page #marked")).to_contain_text("float")
        page.keyboard.press("Escape")
        self.go("books/1/p/9")
        page.get_by_role("button", name="I have read to here").click()
        expect(page.get_by_text("You have read to page 5")).to_be_visible()
        page.get_by_role("button", name="Undo").last.click()
        expect(page.get_by_text("You have read to page 1")).to_be_visible()
        page.get_by_role("button", name="Remove the limit").click()
        expect(page.locator(".position")).to_contain_text("answers may use the whole book")
        self.assertIsNone(self.library.items[1]["book"]["position"])

    def test_asking_a_book_sends_its_scope_and_a_citation_leads_to_the_marked_sentence_and_back(self):
        page, item = self.page, self.library.items[1]
        sentence = "he 潮汐は月が決める。The keeper bought a second float 🌊 that very spring."[3:]
        text = "a single instrument is no instrument. " + sentence
        start = len(item["text"][:item["text"].index(text)].encode())
        passage = {"number": 1, "book": 1, "page": 5, "label": "1", "title": "The Keeper of the Tides", "text": text, "range": [start, start + len(text.encode())], "score": 0.8, "why": {"words": 1}, "source": "search"}
        self.gateway.script = {**LATER, "passages": [passage], "text": "He bought another one [1].", "evidence": {1: sentence}}
        self.go("books/1/p/1")
        page.get_by_role("button", name="Ask this book").click()
        expect(page.get_by_role("button", name="The Keeper of the Tides")).to_be_visible()
        self.ask("What did the keeper buy?")
        self.answered()
        body = next(iter(self.gateway.runs.values())).body
        self.assertEqual((body["kind"], body["scope"]), ("book", {"book": 1}))
        page.locator("button.cite").first.click()
        expect(page.locator(".passage.chosen")).to_contain_text("p. 1 (page 5 of the file)")
        page.get_by_role("link", name="Open page 1").click()
        self.page_is(5)
        mark = page.locator(".book-page mark")
        expect(mark).to_have_text("Marked: " + sentence)
        expect(mark).to_be_focused()
        expect(mark).to_be_in_viewport()
        page.get_by_role("link", name="Back to the chat").click()
        expect(page.locator(".prose")).to_contain_text("He bought another one")
        page.reload()
        expect(page.get_by_label("Kind of answer")).to_have_value("ask")

    def test_a_passage_that_goes_over_the_page_is_marked_on_both(self):
        item = self.library.items[1]
        first = item["pages"][1]
        self.go(f"books/1/p/2?from={first['end'] - 40}&to={first['end'] + 60}")
        expect(self.page.locator(".book-page mark").first).to_be_visible()
        self.page.keyboard.press("ArrowRight")
        self.page_is(3)
        expect(self.page.locator(".book-page mark").first).to_be_visible()
        self.page.keyboard.press("ArrowRight")
        self.page_is(4)
        expect(self.page.locator(".book-page mark")).to_have_count(0)

    def test_a_page_as_it_is_printed_with_the_cited_lines_marked(self):
        page, item = self.page, self.library.items[1]
        block = item["pages"][4]["blocks"][2]
        self.go(f"books/1/p/5?from={block['start'] + 3}&to={block['end'] - 3}")
        self.page_is(5)
        expect(page.locator(".book-page mark").first).to_be_visible()
        page.get_by_role("button", name="As printed").click()
        image = page.get_by_role("img", name="Page 1 as printed")
        expect(image).to_be_visible()
        self.until(lambda: image.evaluate("image => image.complete && image.naturalWidth") == 400)
        expect(page.locator(".book-page")).to_be_hidden()
        mark, whole = page.locator(".printed-mark").bounding_box(), image.bounding_box()
        expect(page.locator(".printed-mark")).to_have_count(1)
        for share, value in ((40 / 400, (mark["x"] - whole["x"]) / whole["width"]), (70 / 600, (mark["y"] - whole["y"]) / whole["height"]),
                             (320 / 400, mark["width"] / whole["width"]), (10 / 600, mark["height"] / whole["height"])):
            self.assertAlmostEqual(share, value, delta=0.01)
        page.keyboard.press("ArrowRight")
        self.page_is(6)
        expect(page.get_by_role("img", name="Page 2 as printed")).to_be_visible()
        expect(page.locator(".printed-mark")).to_have_count(0)
        page.reload()
        expect(page.get_by_role("img", name="Page 2 as printed")).to_be_visible()
        self.gateway.fail("GET /api/books/1/pages/7/image", 503, error="images of pages need pdftoppm")
        page.keyboard.press("ArrowRight")
        self.page_is(7)
        expect(page.locator(".reader").get_by_role("status").filter(has_text="need pdftoppm")).to_be_visible()
        expect(page.locator(".book-page")).to_be_visible()
        page.get_by_role("button", name="As printed").click()
        expect(page.get_by_text("need pdftoppm")).to_have_count(0)
        self.go("books/2/p/1")
        expect(page.locator(".book-page")).to_be_visible()
        expect(page.get_by_role("button", name="As printed")).to_have_count(0)

    def select(self, words):
        """Selects words of a paragraph, as a person does."""
        self.page.evaluate("""words => {
          const text = document.querySelector('.book-page'), walk = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
          for (let node = walk.nextNode(); node; node = walk.nextNode()) {
            const at = node.data.indexOf(words);
            if (at >= 0) { getSelection().setBaseAndExtent(node, at, node, at + words.length); return; }
          }
          throw new Error('not there');
        }""", words)

    def notes(self):
        return [data for _, data in self.gateway.tries]

    def test_a_highlight_is_marked_kept_and_a_note(self):
        page = self.page
        own = page.locator(".book-page mark.own")
        self.go("books/1/p/5")
        self.page_is(5)
        # The tab key goes on from where one pressed or moved the caret.
        page.locator(".book-page .block-paragraph").first.click()
        self.select("for eleven days nobody knew the mea\u00adsure")
        bar = page.get_by_role("group", name="Selected text")
        expect(bar).to_be_visible()
        self.view("a selected text")
        page.keyboard.press("Tab")
        expect(bar.get_by_role("button", name="Highlight")).to_be_focused()
        page.keyboard.press("Enter")
        expect(own).to_have_text("for eleven days nobody knew the mea\u00adsure")
        expect(bar).to_be_hidden()
        expect(page.get_by_role("region", name="Page", exact=True)).to_be_focused()
        self.until(lambda: self.notes())
        note = self.notes()[0]
        page_5 = self.library.items[1]["pages"][4]
        raw = self.library.items[1]["text"].encode()
        start = raw.index(b"for eleven days")
        self.assertEqual((note["title"], note["tags"]), ("The Keeper of the Tides, p. 1", ["highlight", "book"]))
        self.assertEqual(note["content"], f"> for eleven days nobody knew the measure\n\n[The Keeper of the Tides, p. 1](#/books/1/p/5?from={start}&to={start + len(b'for eleven days nobody knew the mea-') + len(chr(10)) + len('sure')})")
        self.assertLess(page_5["start"], start)
        # The second of two equal sentences is the one that is marked, also after the page was opened again.
        page.evaluate("""() => { const node = document.querySelector('.book-page .block-paragraph:nth-last-of-type(2)').firstChild;
          const at = node.data.lastIndexOf('wind, height'); getSelection().setBaseAndExtent(node, at, node, at + 12); }""")
        page.get_by_role("button", name="Highlight").click()
        expect(own).to_have_count(2)
        page.reload()
        self.page_is(5)
        expect(own).to_have_count(2)
        before = own.nth(1).evaluate("one => one.previousSibling.data")
        self.assertIn("wind, height", before)
        page.keyboard.press("ArrowRight")
        self.page_is(6)
        expect(own).to_have_count(0)
        page.keyboard.press("c")
        panel = page.get_by_role("complementary", name="Contents")
        row = panel.get_by_role("listitem").filter(has_text="for eleven days")
        self.view("highlights in the contents")
        row.get_by_role("link", name="for eleven days").click()
        self.page_is(5)
        expect(page.locator("#marked")).to_contain_text("for eleven days")
        written = max(self.gateway.written, key=lambda one: "eleven" in self.gateway.written[one]["content"])
        expect(row.get_by_role("link", name="Open the note")).to_have_attribute("href", f"#/notes/{written}")
        row.get_by_role("button", name="Delete").click()
        expect(own).to_have_count(1)
        expect(row).to_have_count(0)
        self.assertFalse([one for one in self.gateway.requests if one[0] == "DELETE"])
        page.locator(".toast").filter(has_text="its note stays").get_by_role("button", name="Open the note").click()
        expect(page.locator(".note-text")).to_contain_text("for eleven days nobody knew the measure")
        # Another file with the same number has none of them, and a text that is gone is not marked.
        self.library.items[1]["book"]["bytes"] += 1
        self.go("books/1/p/5")
        page.reload()
        self.page_is(5)
        expect(own).to_have_count(0)

    def test_words_about_a_passage_wait_without_the_gateway_and_are_not_lost(self):
        page = self.page
        self.go("books/1/p/5")
        self.page_is(5)
        self.loaded("kit/sheet.js")
        self.gateway.is_down = True
        self.select("a single instrument is no instrument")
        page.get_by_role("button", name="Note", exact=True).click()
        field = page.get_by_role("dialog").get_by_role("textbox")
        field.fill("Two of *everything*.")
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        page.get_by_role("button", name="Note", exact=True).click()
        expect(field).to_have_value("Two of *everything*.")
        self.view("words about a passage")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.locator(".book-page mark.own")).to_have_text("a single instrument is no instrument")
        expect(page.get_by_text("Saved as a note.")).to_be_visible()
        self.gateway.is_down = False
        self.go("capture")
        page.evaluate("[...document.querySelectorAll('button')].find(one => one.textContent === 'Send now')?.click()")
        self.until(lambda: self.notes())
        self.assertIn("> a single instrument is no instrument\n\nTwo of *everything*.\n\n[The Keeper", self.notes()[-1]["content"])

    def test_matches_are_counted_marked_and_walked_through(self):
        page = self.page
        self.go("books/1/p/5")
        self.page_is(5)
        page.keyboard.press("f")
        finder = page.get_by_role("complementary", name="Find")
        page.keyboard.type("float")
        expect(finder.get_by_role("status").filter(has_text="Found")).to_have_text("Found 3 times")
        expect(page.locator(".book-page mark.hit")).to_have_count(2)
        page.keyboard.press("Enter")
        expect(page.locator("#marked")).to_contain_text("float")
        bar = page.get_by_role("group", name="Find", exact=True)
        expect(bar).to_contain_text("float · 1 of 3")
        expect(finder.get_by_role("link").first).to_have_attribute("aria-current", "true")
        bar.get_by_role("button", name="Next match").click()
        bar.get_by_role("button", name="Next match").click()
        expect(bar).to_contain_text("3 of 3")
        self.page_is(9)
        bar.get_by_role("button", name="Next match").click()
        self.page_is(5)
        bar.get_by_role("button", name="Previous match").click()
        self.page_is(9)
        self.view("a match")
        finder.get_by_role("searchbox").fill("nowhere")
        expect(finder.get_by_role("status")).to_have_text("Not found.")
        expect(bar).to_have_count(0)
        self.gateway.fail("GET /api/books/1/find", 500, error="The disk is slow.")
        finder.get_by_role("searchbox").fill("float")
        expect(finder.get_by_role("alert")).to_contain_text("The disk is slow.")
        finder.get_by_role("button", name="Try again").click()
        expect(bar).to_be_visible()
        bar.get_by_role("button", name="Close").click()
        expect(bar).to_have_count(0)
        expect(page.locator(".book-page mark.hit")).to_have_count(0)

    def test_size_and_paper_are_chosen_kept_and_readable_in_any_theme(self):
        page, text = self.page, self.page.locator(".book-page .block-paragraph").first
        style = lambda place, name: place.evaluate("(one, name) => getComputedStyle(one)[name]", name)
        item = self.library.items[1]["pages"][4]
        self.go(f"books/1/p/5?from={item['start'] + 60}&to={item['start'] + 200}")
        self.page_is(5)
        before = float(style(text, "fontSize")[:-2])
        page.get_by_role("button", name="Text and paper").click()
        panel = page.get_by_role("complementary", name="Text and paper")
        slider = panel.get_by_role("slider", name="Size of the text")
        slider.focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        # The arrow keys of the slider turn no page.
        self.page_is(5)
        expect(slider).to_have_attribute("aria-valuetext", "140%")
        self.assertAlmostEqual(float(style(text, "fontSize")[:-2]) / before, 1.4, delta=0.01)
        papers = set()
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            for paper in ("As the app", "Light", "Sepia", "Dark"):
                panel.get_by_role("radio", name=paper).check()
                papers.add((scheme, style(page.locator(".library[data-paper]") if paper != "As the app" else page.locator("body"), "backgroundColor")))
                self.view(f"{paper} while the theme is {scheme}")
        self.assertEqual(len(papers), 6, "four papers, two of which are those of the themes")
        panel.get_by_role("radio", name="Sepia").check()
        page.reload()
        self.page_is(5)
        self.assertAlmostEqual(float(style(text, "fontSize")[:-2]) / before, 1.4, delta=0.01)
        expect(page.locator(".library[data-paper=sepia]")).to_be_visible()
        page.evaluate("localStorage.setItem('selene.books.look', '{\"size\":\"much\",\"paper\":7}')")
        page.reload()
        self.page_is(5)
        self.assertEqual(float(style(text, "fontSize")[:-2]), before)

    def test_a_book_that_is_gone_and_a_gateway_that_is_away(self):
        self.go("books/77")
        expect(self.page.get_by_role("alert")).to_contain_text("no longer in the library")
        self.go("books/1/p/2")
        self.page_is(2)
        self.until(lambda: ("GET", "/api/books/1/pages/3") in self.gateway.requests)
        self.gateway.is_down = True
        self.page.keyboard.press("ArrowRight")
        self.page_is(3)
        self.page.keyboard.press("ArrowRight")
        expect(self.page.get_by_role("alert")).to_contain_text("cannot be reached")
        self.gateway.is_down = False
        self.page.get_by_role("alert").get_by_role("button", name="Try again").click()
        self.page_is(4)

    def test_a_title_and_text_with_markup_stay_text(self):
        self.library.items[1] = make_book(1, "<img src=x onerror=alert(1)>", ["<b>me</b>"], 2)
        self.go("books/1/p/1")
        expect(self.page.locator(".book-page")).to_contain_text("<img src=x")
        self.assertEqual(self.page.locator("main img, main b").count(), 0)


class ReaderOnAPhone(BookTest):
    viewport = PHONE
    context_options = {"has_touch": True, "is_mobile": True}

    def test_swipes_and_sheets(self):
        page = self.page
        self.go("books/1/p/5")
        expect(page.locator(".pager")).to_contain_text("page 5 of 12")
        page.evaluate(SWIPE, [300, 100])
        expect(page.locator(".pager")).to_contain_text("page 6 of 12")
        page.evaluate(SWIPE, [100, 300])
        expect(page.locator(".pager")).to_contain_text("page 5 of 12")
        # Nothing turns by a short or steep one, from the edge, with two fingers, over a text that is selected or code that scrolls.
        for swipe in ([300, 250], [300, 200, 60], [10, 200], [385, 200], [300, 100, 0, ".reader-page", 2]):
            page.evaluate(SWIPE, swipe)
        page.evaluate("getSelection().selectAllChildren(document.querySelector('.book-page h2'))")
        page.evaluate(SWIPE, [300, 100])
        page.evaluate("getSelection().removeAllRanges()")
        page.evaluate("document.querySelector('.book-page').append(Object.assign(document.createElement('pre'), {className: 'block-code', textContent: 'x'.repeat(900)}))")
        page.evaluate(SWIPE, [300, 100, 0, ".book-page pre"])
        page.wait_for_timeout(200)
        expect(page.locator(".pager")).to_contain_text("page 5 of 12")
        page.evaluate(SWIPE, [300, 100, 0, ".book-page p"])
        expect(page.locator(".pager")).to_contain_text("page 6 of 12")
        page.get_by_role("button", name="Contents").tap()
        page.get_by_role("dialog").get_by_role("link", name="The storm").tap()
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page.locator(".pager")).to_contain_text("page 9 of 12")
        small = page.evaluate("""[...document.querySelectorAll('button, a[href], select, input')].filter(e => e.checkVisibility() && !e.matches('.skip'))
            .map(e => [e.outerHTML.slice(0, 90), e.getBoundingClientRect()]).filter(([, r]) => r.width > 0 && (r.height < 43.5 || r.width < 43.5)).map(([h, r]) => `${h} ${r.width}×${r.height}`)""")
        self.assertEqual(small, [])

    def test_a_book_from_right_to_left(self):
        self.go("books/3/p/1")
        expect(self.page.locator(".book-page")).to_have_attribute("dir", "rtl")
        expect(self.page.locator(".pager")).to_contain_text("of 2, estimated")
        self.page.evaluate(SWIPE, [100, 300])
        expect(self.page.get_by_label("Go to page")).to_have_value("2")


class Looks:
    """Every view in every state: no violation that axe finds, nothing that scrolls sideways."""

    def test_views(self):
        page = self.page
        self.library.items[2]["book"].update(state="failed", error={"error": "x", "code": "no_space"})
        self.go("books")
        expect(self.row("A Second Book")).to_contain_text("The gateway's disk is full.")
        self.view("the shelf")
        self.library.gate.clear()
        self.pick("Slow.pdf", b"%PDF slow")
        expect(self.row("Slow")).to_contain_text("Waiting to be read")
        self.view("an import")
        page.get_by_role("button", name="Add a book").first.click()
        expect(page.get_by_role("dialog")).to_be_visible()
        self.view("adding a book")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Actions for The Keeper").click()
        expect(page.get_by_role("dialog")).to_be_visible()
        self.view("a book's actions")
        page.keyboard.press("Escape")
        item = self.library.items[1]
        self.go(f"books/1/p/5?from={item['pages'][4]['start'] + 60}&to={item['pages'][4]['start'] + 200}")
        expect(page.locator(".book-page mark").first).to_be_visible()
        page.get_by_role("button", name="I have read to here").click()
        expect(page.get_by_text("You have read to page 1")).to_be_visible()
        self.view("a page")
        page.get_by_role("button", name="Contents").click()
        expect(page.get_by_role("link", name="The gauge")).to_be_visible()
        self.view("the contents")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Find", exact=True).click()
        page.get_by_role("searchbox", name="Find").fill("float")
        expect(page.get_by_text("Found 2 times")).to_be_visible()
        self.view("finding")
        page.keyboard.press("Escape")
        self.go("books/77")
        expect(page.get_by_role("alert")).to_be_visible()
        self.view("a missing book")
        self.library.items.clear()
        self.go("chat")
        expect(page.locator("#question")).to_be_visible()
        self.go("books")
        expect(page.get_by_role("heading", name="No books yet")).to_be_visible()
        self.view("no books")
        page.evaluate("document.documentElement.dir = 'rtl'")
        self.view("no books, mirrored")


class Light(Looks, BookTest):
    pass


class PhoneDark(Looks, BookTest):
    viewport = PHONE
    scheme = "dark"


class Zoomed(Looks, BookTest):
    viewport = {"width": 640, "height": 400}
    context_options = {"reduced_motion": "reduce"}


if __name__ == "__main__":
    unittest.main()
