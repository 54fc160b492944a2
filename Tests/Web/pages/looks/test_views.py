"""Every view of chats and settings in every state, light and dark, on a phone and zoomed: accessible, and not too wide."""

import unittest

from browser import PHONE, PageTest, expect, hold
from stand_in_data import LATER, SAMPLE


class Views:
    """Every view in every state: no violation that axe finds, nothing that scrolls sideways."""

    def test_views(self):
        page, gateway = self.page, self.gateway
        expect(page.get_by_text("What do you want to know?")).to_be_visible()
        self.loaded("shell/keys.js")
        self.view("the empty chat")
        gateway.script = hold(SAMPLE, 250)
        self.ask("When is the tide highest?")
        expect(page.locator(".state-words")).to_have_text("Answering")
        self.view("an answer that is being written")
        next(iter(gateway.runs.values())).released.set()
        self.answered()
        self.view("an answer")
        page.locator("button.cite").first.click()
        expect(page.locator(".passage.chosen")).to_be_visible()
        self.view("the passages")
        page.keyboard.press("Escape")
        expect(page.locator(".passage")).to_have_count(0)
        page.get_by_role("button", name="Edit").click()
        self.view("an edited question")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="All notes").click()
        expect(page.get_by_role("dialog", name="Options")).to_be_visible()
        self.view("the options")
        page.keyboard.press("Escape")
        page.keyboard.press("Control+k")
        expect(page.get_by_role("combobox", name="Search")).to_be_visible()
        self.view("the palette")
        page.keyboard.type("tide")
        expect(page.get_by_role("group", name="Notes")).to_be_visible()
        self.view("what was found")
        page.keyboard.press("Escape")
        gateway.script = {**LATER, "fail": "The model is not there."}
        self.ask("Fails")
        expect(page.get_by_text("The model is not there.")).to_be_visible()
        self.view("a failed answer")
        page.goto(gateway.url + "#/chat/chat-nothing")
        expect(page.get_by_text("This chat no longer exists.")).to_be_visible()
        self.view("a missing chat")
        page.goto(gateway.url + "#/chat/chat-tides")
        expect(page.get_by_label("Branch 2 of 2")).to_be_visible()
        self.view("branches")
        page.goto(gateway.url + "#/chat/chat-arabic")
        expect(page.locator(".prose")).to_contain_text("المد")
        self.assertEqual(page.locator(".prose").evaluate("e => getComputedStyle(e).direction"), "rtl")
        self.view("a chat from right to left")
        page.goto(gateway.url + "#/settings")
        expect(page.get_by_role("heading", level=1)).to_have_text("You")
        self.view("the settings")


class Light(Views, PageTest):
    pass


class Dark(Views, PageTest):
    scheme = "dark"


class PhoneLight(Views, PageTest):
    viewport = PHONE


class Zoomed(Views, PageTest):
    # 200% of a small window.
    viewport = {"width": 640, "height": 400}
    context_options = {"reduced_motion": "reduce"}


if __name__ == "__main__":
    unittest.main()
