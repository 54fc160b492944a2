"""Whole flows of the chat, by mouse."""

import time
import unittest

from browser import PHONE, PageTest, expect, hold
from stand_in_data import LATER, NOTES, SAMPLE, TEXT


class Chat(PageTest):
    def test_a_question_is_answered_with_sources(self):
        self.ask("When is the tide highest?")
        self.answered()
        expect(self.page.get_by_role("heading", name="When is the tide highest?", level=1)).to_be_visible()
        self.assertIn("#/chat/chat-", self.page.url)
        answer = self.page.locator(".turn.answer").last
        expect(answer.locator("table td").first).to_have_text("14 March")
        expect(answer.locator("math")).to_have_count(1)
        expect(answer.locator("pre")).to_contain_text("def height")
        expect(answer.locator(".doubt").first).to_have_attribute("title", "differs from the passage: number")
        expect(answer.get_by_text("2 sentences are in doubt")).to_be_visible()
        expect(answer.locator("button.cite.invented")).to_have_text("7")
        self.assertEqual(self.page.locator("img").count(), 0)

    def test_the_verdict_leads_to_the_sentences_in_doubt_and_icons_have_names(self):
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.ask("When is the tide highest?")
        self.answered()
        answer = self.page.locator(".turn.answer").last
        verdict = answer.get_by_role("button", name="2 sentences are in doubt")
        doubts = answer.locator(".doubt")
        for place in (0, 1):
            verdict.click()
            expect(doubts.nth(place)).to_be_focused()
            expect(doubts.nth(place)).to_be_in_viewport()
        for name in ("Copy", "Read aloud", "Ask again", "Make a task"):
            button = answer.locator(".actions").get_by_role("button", name=name, exact=True)
            self.assertEqual((button.get_attribute("title"), button.inner_text()), (name, ""))
        answer.locator(".actions").get_by_role("button", name="Copy").click()
        expect(self.page.locator(".toast").last).to_contain_text("Copied")
        self.assertIn("4.1 m", self.page.evaluate("navigator.clipboard.readText()"))

    def test_a_citation_opens_its_passage_with_the_sentence_marked(self):
        self.ask("When is the tide highest?")
        self.answered()
        cite = self.page.locator("button.cite").first
        cite.click()
        panel = self.page.get_by_role("complementary", name="Passages")
        expect(panel.locator(".passage.chosen mark")).to_have_text("Spring tide on 14 March reached 4.1 m at the gauge")
        reasons = panel.locator(".passage.chosen").get_by_text("82% similar in meaning")
        expect(reasons).to_be_hidden()
        panel.locator(".passage.chosen").get_by_text("Why", exact=True).click()
        expect(reasons).to_be_visible()
        panel.locator(".passage.chosen").get_by_role("button", name="Show the whole note").click()
        expect(panel.locator(".passage.chosen")).to_contain_text("float stuck once")
        expect(panel.locator(".passage.chosen mark")).to_contain_text("Spring tide")
        self.page.locator("button.cite.invented").click()
        expect(panel.get_by_text("The model invented this number")).to_be_visible()
        panel.get_by_role("button", name="Close").click()
        expect(panel).to_have_count(0)

    def test_a_passage_is_shown_as_what_it_is_at_the_place_that_was_cited(self):
        text = "# Spring tide at the pier\n\n" + "Some lines before it.\n\n" * 30 + "- The gauge is **old**.\n- It read *4.1 m* at\n  noon. More follows.\n\n" + "And after it.\n\n" * 30
        cited = "It read *4.1 m* at\n  noon."
        NOTES["12"], before = {**NOTES["12"], "content": "Added later.\n\n" + text}, NOTES["12"]
        self.addCleanup(NOTES.__setitem__, "12", before)
        self.gateway.script = {**LATER, "passages": [{**LATER["passages"][0], "text": text, "range": [0, len(text.encode())]}], "evidence": {1: cited}}
        self.ask("How high?")
        self.answered()
        self.page.locator("button.cite").first.click()
        card = self.page.locator(".passage.chosen")
        expect(card.get_by_role("heading", name="Spring tide at the pier")).to_have_count(1)
        expect(card.locator("li strong")).to_have_text("old")
        expect(card.locator("blockquote")).not_to_contain_text("#")
        words = "[...document.querySelectorAll('.passage.chosen mark')].map(one => one.textContent).join('').replace(/\\s+/g, ' ')"
        self.assertEqual(self.page.evaluate(words), "It read 4.1 m at noon.")
        expect(card.locator("mark").first).to_be_in_viewport()
        # The note has grown since: what was cited is found again.
        card.get_by_role("button", name="Show the whole note").click()
        expect(card).to_contain_text("Added later.")
        self.until(lambda: self.page.evaluate(words) == "It read 4.1 m at noon.")
        expect(card.locator("mark").first).to_be_in_viewport()
        self.view("a passage with lists")

    def test_stop_keeps_the_text_and_frees_the_composer(self):
        self.gateway.script = hold(SAMPLE, 80)
        self.ask("Stop me")
        expect(self.page.locator(".state-words")).to_have_text("Answering")
        self.page.get_by_role("button", name="Stop", exact=True).click()
        expect(self.page.get_by_text("Stopped.", exact=True)).to_be_visible()
        self.assertIn("The highest tide", self.answer_text())
        expect(self.page.get_by_role("button", name="Send", exact=True)).to_be_visible()

    def test_retry_and_edit_make_branches(self):
        self.gateway.script = LATER
        self.ask("First wording")
        self.answered()
        self.page.get_by_role("button", name="Ask again").click()
        expect(self.page.get_by_label("Branch 2 of 2")).to_be_visible()
        self.answered()
        self.page.get_by_role("button", name="Edit").click()
        self.page.get_by_label("Edit the question").fill("Second wording")
        self.page.locator(".question").get_by_role("button", name="Send").click()
        self.asked[self.page] = "Second wording"
        expect(self.page.get_by_label("Branch 3 of 3")).to_be_visible()
        self.answered()
        self.page.get_by_role("button", name="Previous branch").click()
        expect(self.page.locator(".question-text")).to_have_text("First wording")
        expect(self.page.get_by_label("Branch 2 of 3")).to_be_visible()
        roots = [one for one in self.gateway.messages[next(reversed(self.gateway.messages))] if one["role"] == "user"]
        self.assertEqual([one["parent_id"] for one in roots], [None, None, None])

    def test_enter_sends_an_edited_question_as_it_does_in_the_composer(self):
        page, self.gateway.script = self.page, LATER
        self.ask("First wording")
        self.answered()
        page.get_by_role("button", name="Edit").click()
        field = page.get_by_label("Edit the question")
        expect(field).to_be_focused()
        self.assertEqual(field.evaluate("e => getComputedStyle(e).outlineOffset"), "-2px")
        field.press("Shift+Enter")
        # Enter that ends a composition, as Chromium and as Safari tell of it, sends nothing.
        for more in ("isComposing: true", "keyCode: 229"):
            field.evaluate("e => e.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true, cancelable: true, %s}))" % more)
        expect(field).to_have_value("First wording\n")
        field.press_sequentially("and a line")
        field.press("Enter")
        expect(page.locator(".question-text")).to_have_text("First wording\nand a line")
        self.asked[page] = "First wording and a line"
        self.answered()
        self.assertEqual(len(self.gateway.runs), 2)

    def test_follow_up_goes_below_the_shown_branch(self):
        self.page.goto(self.gateway.url + "#/chat/chat-tides")
        self.page.get_by_role("button", name="Previous branch").click()
        expect(self.page.locator(".question-text").last).to_have_text("And lowest?")
        self.gateway.script = LATER
        self.ask("More?")
        self.answered()
        asked = [one for one in self.gateway.messages["chat-tides"] if one["content"] == "More?"]
        self.assertEqual(asked[0]["parent_id"], 4)

    def test_options_go_with_the_question_and_stay(self):
        self.page.get_by_label("Kind of answer").select_option("deep_dive")
        self.page.get_by_role("button", name="All notes").click()
        self.page.get_by_label("Thread", exact=True).select_option(label="Tide gauge")
        self.page.get_by_label("From").fill("2026-01-01")
        self.page.get_by_label("Model", exact=True).select_option("qwen3:14b")
        self.page.get_by_role("button", name="Apply").click()
        self.page.get_by_role("button", name="Strict").click()
        expect(self.page.get_by_role("button", name="Tide gauge, from 1 Jan 2026")).to_be_visible()
        self.ask("With options")
        self.answered()
        body = next(iter(self.gateway.runs.values())).body
        self.assertEqual((body["kind"], body["model"], body["strict"], body["scope"]), ("deep_dive", "qwen3:14b", True, {"thread": "4", "timeScope": {"since": "2026-01-01"}}))
        self.page.reload()
        expect(self.page.get_by_role("button", name="Model: qwen3:14b")).to_be_visible()

    def test_drafts_are_kept_per_chat(self):
        self.page.get_by_label("Your question").fill("half a tho")
        self.page.locator(".session a").nth(1).click()
        expect(self.page.get_by_label("Your question")).to_have_value("")
        self.page.get_by_label("Your question").fill("another")
        self.page.get_by_role("link", name="New chat").click()
        expect(self.page.get_by_label("Your question")).to_have_value("half a tho")
        self.page.reload()
        expect(self.page.get_by_label("Your question")).to_have_value("half a tho")

    def test_sessions_are_searched_pinned_renamed_and_deleted_with_undo(self):
        page = self.page
        self.page.get_by_label("Search chats").fill("chapter")
        expect(page.locator(".session")).to_have_count(1)
        page.get_by_role("button", name="Actions for Ideas for chapter three").click()
        page.get_by_role("button", name="Pin", exact=True).click()
        page.get_by_label("Search chats").fill("")
        expect(page.locator(".session").nth(1)).to_contain_text("chapter three")
        page.get_by_role("button", name="Actions for Ideas for chapter three").click()
        page.get_by_role("button", name="Rename").click()
        page.get_by_label("New title").fill("Chapter 3")
        page.keyboard.press("Enter")
        expect(page.get_by_role("link", name="Chapter 3")).to_be_visible()
        self.until(lambda: self.gateway.sessions["chat-book"]["title"] == "Chapter 3" and self.gateway.sessions["chat-book"]["is_pinned"])
        page.get_by_role("button", name="Actions for Chapter 3").click()
        page.get_by_role("button", name="Delete").click()
        expect(page.get_by_role("link", name="Chapter 3")).to_have_count(0)
        page.get_by_role("button", name="Undo").click()
        expect(page.get_by_role("link", name="Chapter 3")).to_be_visible()
        self.assertIn("chat-book", self.gateway.sessions)
        page.get_by_role("button", name="Actions for Chapter 3").click()
        page.get_by_role("button", name="Delete").click()
        expect(page.get_by_text("Deleted: Chapter 3")).to_be_visible()
        expect(page.get_by_text("Deleted: Chapter 3")).to_have_count(0, timeout=12_000)
        self.until(lambda: "chat-book" not in self.gateway.sessions)

    def test_coming_back_from_the_settings_leads_to_the_same_chat(self):
        self.page.goto(self.gateway.url + "#/chat/chat-garden")
        expect(self.page.get_by_text("Ferns and hostas")).to_be_visible()
        self.page.get_by_role("link", name="You", exact=True).click()
        self.page.get_by_role("navigation").get_by_role("link", name="Chat", exact=True).click()
        expect(self.page.get_by_text("Ferns and hostas")).to_be_visible()

    def test_long_sessions_show_the_latest_and_older_ones_on_the_way_up(self):
        self.page.goto(self.gateway.url + "#/chat/chat-long")
        expect(self.page.get_by_text("Answer 60.")).to_be_in_viewport()
        self.assertLessEqual(self.page.locator(".turn").count(), 30)
        box = self.page.get_by_role("region", name="Conversation")
        box.hover()
        for _ in range(200):
            self.page.mouse.wheel(0, -3000)
            if self.page.locator(".question-text").first.inner_text() == "Question 1":
                break
            self.page.wait_for_timeout(50)
        expect(self.page.locator(".question-text").first).to_have_text("Question 1")
        expect(self.page.get_by_role("button", name="To the end")).to_be_visible()

    def fill(self, count, edits=()):
        """A long session; `edits` are questions that have an earlier wording with an answer of its own."""
        rows = self.gateway.messages["chat-long"]
        rows.clear()
        last, number = None, 1000
        for index in range(count):
            for wording in (("Old", "New") if index in edits else ("",)):
                rows.append({"id": number, "session_id": "chat-long", "role": "user", "content": f"{wording} Question {index}".strip(), "created_at": "2026-11-01T00:00:00Z", "parent_id": last, "run": None})
                rows.append({"id": number + 1, "session_id": "chat-long", "role": "assistant", "content": f"{wording} Answer {index}. " + "Some more words. " * (index % 40),
                             "created_at": "2026-11-01T00:00:00Z", "parent_id": number, "run": None})
                number += 2
            last = number - 1

    def test_older_messages_load_on_the_way_up_and_nothing_jumps(self):
        self.fill(400, edits={395, 200})
        self.page.goto(self.gateway.url + "#/chat/chat-long")
        expect(self.page.get_by_text("Answer 399.")).to_be_in_viewport()
        self.assertEqual(len([1 for _, path in self.gateway.requests if path.endswith("/messages")]), 1)
        expect(self.page.get_by_label("Branch 2 of 2")).to_have_count(1)
        expect(self.page.get_by_role("heading", level=1)).to_have_text("A long conversation")
        self.page.get_by_role("region", name="Conversation").hover()
        place = """() => { const top = document.querySelector('.talk').getBoundingClientRect().top;
            const turn = [...document.querySelectorAll('.turn')].find(e => e.getBoundingClientRect().bottom > top + 200);
            return [turn.textContent.slice(0, 30), turn.getBoundingClientRect().top, document.querySelectorAll('.turn').length, document.querySelector('.question-text').textContent]; }"""
        grown = 0
        for _ in range(400):
            before = self.page.evaluate(place)
            self.page.mouse.wheel(0, -400)
            self.page.wait_for_timeout(40)
            after = self.page.evaluate("""text => { const turn = [...document.querySelectorAll('.turn')].find(e => e.textContent.slice(0, 30) === text);
                return [turn?.getBoundingClientRect().top ?? 1e6, document.querySelectorAll('.turn').length]; }""", before[0])
            self.assertLess(abs(after[0] - before[1]), 900, "what was read has jumped away")
            grown += after[1] > before[2]
            if self.page.locator(".question-text").first.inner_text() == "Question 150":
                break
            if grown > 14:
                break
        self.assertGreater(grown, 10)
        self.assertGreater(len([1 for _, path in self.gateway.requests if path.endswith("/messages")]), 1)

    def test_branches_work_before_older_messages_are_loaded(self):
        self.fill(400, edits={395})
        self.page.goto(self.gateway.url + "#/chat/chat-long")
        self.page.get_by_role("button", name="Previous branch").click()
        expect(self.page.locator(".question-text").last).to_have_text("Old Question 395")
        self.page.get_by_role("button", name="Next branch").click()
        expect(self.page.locator(".question-text").last).to_have_text("Question 399")
        # A new wording of the first question is a short branch: the rest loads, and its siblings are found.
        first = {**self.gateway.messages["chat-long"][0], "id": 9000, "content": "Begun anew"}
        self.gateway.messages["chat-long"].append(first)
        self.page.reload()
        expect(self.page.locator(".question-text")).to_have_text("Begun anew")
        self.page.get_by_role("button", name="Previous branch").click()
        expect(self.page.locator(".question-text").last).to_have_text("Question 399")

    def test_older_messages_that_do_not_load_can_be_asked_for_again(self):
        self.fill(100)
        self.page.goto(self.gateway.url + "#/chat/chat-long")
        expect(self.page.get_by_text("Answer 99.")).to_be_in_viewport()
        self.gateway.fail("/api/sessions/chat-long/messages", 500)
        self.page.get_by_role("region", name="Conversation").hover()
        for _ in range(60):
            self.page.mouse.wheel(0, -3000)
            self.page.wait_for_timeout(50)
            if self.page.get_by_text("Older messages did not load.").count():
                break
        self.page.get_by_role("alert").get_by_role("button", name="Try again").click()
        expect(self.page.get_by_text("Older messages did not load.")).to_have_count(0)
        for _ in range(60):
            self.page.mouse.wheel(0, -3000)
            if self.page.locator(".question-text").first.inner_text() == "Question 0":
                break
            self.page.wait_for_timeout(50)
        expect(self.page.locator(".question-text").first).to_have_text("Question 0")

    def test_what_one_reads_does_not_move_while_an_answer_grows(self):
        self.gateway.script = hold({**SAMPLE, "text": TEXT + TEXT + TEXT}, 300)
        self.ask("A long answer, please")
        expect(self.page.locator(".prose")).to_contain_text("What drives it")
        before = self.page.locator(".question-text").bounding_box()
        next(iter(self.gateway.runs.values())).released.set()
        self.answered()
        after = self.page.locator(".question-text").bounding_box()
        self.assertEqual((before["x"], before["y"]), (after["x"], after["y"]))


class OnAPhone(PageTest):
    viewport = PHONE
    context_options = {"has_touch": True, "is_mobile": True}

    def test_question_passages_and_sessions_by_touch(self):
        page = self.page
        page.get_by_label("Your question").fill("When is the tide highest?")
        page.get_by_role("button", name="Send", exact=True).tap()
        self.answered()
        page.locator("button.cite").first.tap()
        expect(page.get_by_role("dialog", name="Passages")).to_be_visible()
        expect(page.locator(".passage.chosen mark")).to_be_visible()
        page.get_by_role("button", name="Close").tap()
        page.get_by_role("button", name="Chats").tap()
        page.get_by_role("link", name="Ideas for chapter three").tap()
        expect(page.get_by_role("heading", level=1)).to_have_text("Ideas for chapter three")
        expect(page.get_by_role("dialog")).to_have_count(0)
        self.check_width("the chat")
        page.get_by_role("link", name="You", exact=True).tap()
        expect(page.get_by_role("heading", level=1)).to_have_text("You")
        self.check_width("the settings")

    def test_touch_targets_are_large_enough(self):
        self.ask("When is the tide highest?")
        self.answered()
        small = self.page.evaluate("""[...document.querySelectorAll('button, a[href], select, input')].filter(e => e.checkVisibility() && !e.closest('.prose') && !e.matches('.skip'))
            .map(e => [e.outerHTML.slice(0, 90), e.getBoundingClientRect()]).filter(([, r]) => r.width > 0 && (r.height < 43.5 || r.width < 43.5)).map(([h, r]) => `${h} ${r.width}×${r.height}`)""")
        self.assertEqual(small, [])


class Signs(PageTest):
    """What "/" and "@" open."""

    def setUp(self):
        super().setUp()
        self.text = self.page.get_by_label("Your question")
        expect(self.text).to_be_focused()

    def test_a_slash_in_an_empty_composer_lists_prompts_and_asks_for_their_values(self):
        page, gateway = self.page, self.gateway
        gateway.is_admin = False
        gateway.console.prompts["bridge"]["chat"] = "synthesis"
        self.text.press("/")
        box = page.get_by_role("combobox", name="Prompts")
        expect(box).to_be_focused()
        options = page.get_by_role("listbox", name="Prompts").get_by_role("option")
        expect(options).to_have_count(3)
        expect(options.first).to_contain_text("exploratory")
        self.view("the list of prompts")
        box.press("ArrowDown")
        expect(options.nth(1)).to_have_attribute("aria-selected", "true")
        self.assertEqual(box.get_attribute("aria-activedescendant"), options.nth(1).get_attribute("id"))
        box.press_sequentially("bri")
        expect(options).to_have_count(1)
        box.press("Enter")
        sheet = page.get_by_role("dialog", name="Bridge two topics")
        sheet.get_by_label("one", exact=True).fill("bread")
        expect(sheet).to_contain_text("the word one")
        self.view("the values of a prompt")
        # A value that the gateway does not take is said in the sheet, and what was typed stays.
        gateway.fail("/api/prompts/bridge/render", 422, error="values.two: must not be empty")
        sheet.get_by_role("button", name="Apply").click()
        expect(sheet.get_by_role("alert")).to_have_text("values.two: must not be empty")
        sheet.get_by_label("two", exact=True).fill("music")
        sheet.get_by_label("two", exact=True).press("Enter")
        expect(self.text).to_have_value("What connects bread and music in my notes?")
        expect(self.text).to_be_focused()
        expect(page.get_by_label("Kind of answer")).to_have_value("synthesis")
        self.assertEqual(gateway.runs, {})

    def test_a_prompt_narrows_the_notes_and_needs_no_sheet_without_values(self):
        page, gateway = self.page, self.gateway
        gateway.console.prompts["week"]["variables"] = [{"name": name, "default": value, "meaning": ""} for name, value in (("days", "7"), ("tag", "tide"), ("thread", "Tide gauge"))]
        self.text.press("/")
        page.get_by_role("option", name="My week").click()
        page.get_by_role("dialog", name="My week").get_by_role("button", name="Apply").click()
        expect(self.text).to_have_value("What was on my mind this week?")
        since = time.strftime("%Y-%m-%d", time.gmtime(time.time() - 7 * 86_400))
        page.get_by_role("button", name="Send", exact=True).click()
        self.answered()
        self.assertEqual(next(iter(gateway.runs.values())).body["scope"], {"thread": "Tide gauge", "tag": ["tide"], "timeScope": {"since": since}})
        gateway.console.prompts["week"]["variables"] = []
        self.text.press("/")
        page.get_by_role("option", name="My week").click()
        expect(self.text).to_have_value("What was on my mind this week?")
        expect(page.get_by_role("dialog")).to_have_count(0)

    def test_what_is_typed_is_text_again_where_nothing_is_chosen(self):
        page = self.page
        self.text.press_sequentially("/etc")
        box = page.get_by_role("combobox", name="Prompts")
        expect(box).to_have_value("etc")
        expect(page.get_by_text("Nothing matches.")).to_be_visible()
        box.press("Enter")
        box.press("Escape")
        expect(self.text).to_have_value("/etc")
        expect(self.text).to_be_focused()
        self.text.press_sequentially("/hosts, ask a@b about it @")
        box = page.get_by_role("combobox", name="Which notes")
        box.press_sequentially("home")
        box.press("Escape")
        expect(self.text).to_have_value("/etc/hosts, ask a@b about it @home")
        self.text.press_sequentially(" now /")
        expect(page.get_by_role("dialog")).to_have_count(0)
        self.gateway.fail("/api/prompts", 403, error="Not now.")
        self.text.fill("")
        self.text.press("/")
        expect(page.get_by_text("Not now.")).to_be_visible()
        self.gateway.is_down = True
        page.keyboard.press("Escape")
        expect(self.text).to_have_value("/")
        self.text.fill("")
        self.text.press("/")
        expect(page.get_by_text("The gateway cannot be reached. What you typed is kept.").last).to_be_visible()
        page.keyboard.press("Escape")
        expect(self.text).to_have_value("/")

    def test_an_at_sign_keeps_the_question_to_threads_tags_and_books(self):
        page = self.page
        page.get_by_label("Kind of answer").select_option("plain")
        self.text.press_sequentially("How high was @")
        box = page.get_by_role("combobox", name="Which notes")
        expect(page.get_by_role("option", name="Tide gauge Thread")).to_be_visible()
        self.view("the list of scopes")
        box.press_sequentially("gauge")
        box.press("Enter")
        expect(self.text).to_have_value("How high was ")
        expect(page.get_by_role("button", name="Tide gauge", exact=True)).to_be_visible()
        expect(page.get_by_label("Kind of answer")).to_have_value("ask")
        self.text.press_sequentially("it? @")
        box.press_sequentially("tide")
        page.get_by_role("option", name="#tide").click()
        expect(page.get_by_role("button", name="Tide gauge, #tide")).to_be_visible()
        page.get_by_role("button", name="Send", exact=True).click()
        self.answered()
        body = next(iter(self.gateway.runs.values())).body
        self.assertEqual((body["question"], body["kind"], body["scope"]), ("How high was it?", "ask", {"thread": "4", "tag": ["tide"]}))
        self.text.press("@")
        page.get_by_role("option", name="The Keeper of the Tides").click()
        expect(page.get_by_label("Kind of answer")).to_have_value("book")
        expect(page.get_by_role("button", name="The Keeper of the Tides")).to_be_visible()


class Narrow(PageTest):
    viewport = {"width": 320, "height": 640}

    def test_strict_is_in_view_when_it_is_on(self):
        strict = self.page.get_by_role("button", name="Strict")
        before = strict.evaluate("e => getComputedStyle(e).backgroundColor")
        strict.click()
        expect(strict).to_have_attribute("aria-pressed", "true")
        self.page.reload()
        box = strict.bounding_box()
        self.assertLessEqual(box["x"] + box["width"], 320)
        self.assertNotEqual(strict.evaluate("e => getComputedStyle(e).backgroundColor"), before)
        self.view("strict answers")


class SignsOnAPhone(PageTest):
    viewport = {"width": 320, "height": 640}
    context_options = {"has_touch": True, "is_mobile": True, "locale": "de-DE"}

    def test_prompts_by_touch(self):
        page = self.page
        page.locator("#question").tap()
        page.locator("#question").press("/")
        expect(page.get_by_role("combobox", name="Prompts")).to_be_focused()
        self.view("the list of prompts on a phone")
        page.get_by_role("option", name="My week").tap()
        expect(page.locator("#question")).to_have_value("What was on my mind this week?")


if __name__ == "__main__":
    unittest.main()
