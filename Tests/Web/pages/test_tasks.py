"""Tasks: those found in notes are confirmed or declined, those of the threads are done. And memories."""

import unittest

from browser import PHONE, PageTest, expect


class TasksTest(PageTest):
    def go(self):
        self.page.goto(f"{self.gateway.url}#/tasks")
        expect(self.page.get_by_role("heading", level=1)).to_have_text("Tasks")

    def rows(self, name):
        return self.page.get_by_role("list", name=name).get_by_role("listitem")


class Tasks(TasksTest):
    def test_confirm_decline_and_done(self):
        page = self.page
        page.goto(f"{self.gateway.url}#/today")
        page.get_by_role("link", name="All tasks").click()
        expect(self.rows("Found in your notes")).to_have_count(3)
        expect(self.rows("Found in your notes").first).to_contain_text("due 27 Nov 2026")
        page.get_by_role("button", name="Make a task: Call the surveyor").click()
        expect(self.rows("Open")).to_have_count(2)
        # The focus goes there once both lists are new.
        expect(page.locator("#tasks-title")).to_be_focused()
        page.get_by_role("button", name="Decline: Write to Ines").press("Enter")
        expect(self.rows("Found in your notes")).to_have_count(1)
        expect(page.locator("#tasks-title")).to_be_focused()
        page.get_by_label("Clean the float").check()
        expect(self.rows("Open")).to_have_count(1)
        self.assertEqual([one[:2] for one in self.gateway.tasks["asked"]], [("POST", "3"), ("DELETE", "1"), ("PATCH", "7")])

    def test_a_draft_without_a_thread_asks_for_one(self):
        page = self.page
        self.go()
        page.get_by_role("button", name="Make a task: Buy rope").click()
        expect(page.get_by_label("Thread of Buy rope")).to_be_focused()
        self.assertEqual(self.gateway.tasks["asked"], [])
        page.get_by_label("Thread of Buy rope").select_option(label="Tide gauge")
        page.get_by_role("button", name="Make a task: Buy rope").click()
        expect(self.rows("Open")).to_have_count(2)
        [(method, name, body)] = self.gateway.tasks["asked"]
        self.assertEqual((method, name, body), ("POST", "2", {"thread": 4}))

    def test_a_check_box_of_a_note_is_a_task(self):
        page, tasks = self.page, self.gateway.tasks
        source = {"note_id": 12, "title": "Spring tide at the pier", "text": "[ ] Oil the gauge", "start": 2, "end": 19}
        tasks["drafts"].append({"id": 9, "title": "Oil the gauge", "box": True, "due": "2026-11-01", "source": source, "created_at": "2026-11-23T06:00:00Z"})
        self.go()
        expect(self.rows("Found in your notes")).to_have_count(3)
        row = self.rows("Open").filter(has_text="Oil the gauge")
        expect(row.get_by_role("link", name="Spring tide at the pier")).to_have_attribute("href", "#/notes/12")
        page.goto(f"{self.gateway.url}#/today")
        due = self.rows("Tasks that are due").filter(has_text="Oil the gauge")
        expect(due.get_by_role("link", name="Spring tide at the pier")).to_be_visible()
        expect(page.get_by_role("link", name="3 tasks found in your notes")).to_be_visible()
        page.get_by_label("Oil the gauge").check()
        expect(due).to_have_count(0)
        self.assertEqual(tasks["asked"], [("TICK", "9", {})])
        page.locator(".toast").get_by_role("button", name="Show").click()
        expect(page.get_by_role("heading", name="Spring tide at the pier", level=1)).to_be_visible()

    def test_an_error_and_nothing(self):
        page = self.page
        self.gateway.fail("/api/tasks/drafts", 503, error="the database is busy", times=9)
        self.go()
        expect(page.get_by_role("alert")).to_contain_text("the database is busy")
        self.gateway.status.clear()
        self.gateway.tasks.update(drafts=[], tasks=[])
        page.get_by_role("button", name="Try again").click()
        expect(page.get_by_text("No open tasks.")).to_be_visible()


class Looks:
    def test_views(self):
        self.go()
        expect(self.rows("Open")).to_have_count(1)
        self.still()
        self.check_axe("tasks")
        self.check_width("tasks")


class Light(Looks, TasksTest):
    pass


class PhoneDark(Looks, TasksTest):
    viewport = PHONE
    scheme = "dark"


class MemoriesTest(PageTest):
    def go(self):
        self.page.goto(f"{self.gateway.url}#/memories")
        expect(self.page.get_by_role("heading", level=1)).to_have_text("Memories")

    def rows(self, name="Remembered"):
        return self.page.get_by_role("list", name=name).get_by_role("listitem")


class Memories(MemoriesTest):
    def test_edit_forget_and_bring_back(self):
        page = self.page
        page.goto(f"{self.gateway.url}#/settings")
        page.get_by_role("link", name="Memories").click()
        expect(self.rows()).to_have_count(3)
        expect(page.get_by_text("Chats remember what you say about yourself.")).to_be_visible()
        expect(self.rows().first.get_by_role("link", name="Chat")).to_have_attribute("href", "#/chat/chat-tide")
        page.get_by_role("button", name="Edit: Allergic to walnuts").click()
        page.get_by_role("textbox", name="Edit").fill("Allergic to nuts")
        page.get_by_role("button", name="Save").click()
        expect(self.rows().nth(1)).to_contain_text("Allergic to nuts")
        page.get_by_role("button", name="Forget: Lives in Hamburg").press("Enter")
        expect(self.rows()).to_have_count(2)
        expect(page.locator("#memories-title")).to_be_focused()
        page.get_by_role("button", name="Undo").last.click()
        expect(self.rows()).to_have_count(3)
        self.assertEqual([one[:2] for one in self.gateway.memories["asked"]], [("PATCH", "2"), ("DELETE", "1"), ("UNDO", "1")])

    def test_proposals_and_what_is_over(self):
        page = self.page
        self.go()
        page.get_by_role("button", name="Proposed").click()
        page.get_by_role("button", name="Confirm: Sleeps badly").click()
        expect(page.get_by_text("Nothing here.")).to_be_visible()
        page.get_by_role("button", name="No longer true").click()
        expect(self.rows("No longer true")).to_contain_text(["replaced by"])
        page.get_by_role("button", name="Undo: Lives in Leipzig").click()
        page.get_by_role("button", name="Remembered").click()
        expect(self.rows()).to_have_count(4)
        self.assertEqual([one[0] for one in self.gateway.memories["asked"]], ["CONFIRM", "UNDO"])

    def test_an_error_and_nothing(self):
        page = self.page
        self.gateway.fail("/api/memories", 503, error="the database is busy", times=9)
        self.go()
        expect(page.get_by_role("alert")).to_contain_text("the database is busy")
        self.gateway.status.clear()
        self.gateway.memories.update(rows=[], is_on=False)
        page.get_by_role("button", name="Try again").click()
        expect(page.get_by_text("Nothing here.")).to_be_visible()
        expect(page.get_by_text("Chats remember nothing")).to_be_visible()


class MemoryLooks:
    def test_views(self):
        self.go()
        expect(self.rows()).to_have_count(3)
        self.still()
        self.check_axe("memories")
        self.check_width("memories")


class MemoriesLight(MemoryLooks, MemoriesTest):
    pass


class MemoriesPhoneDark(MemoryLooks, MemoriesTest):
    viewport = PHONE
    scheme = "dark"


if __name__ == "__main__":
    unittest.main()
