"""Speaking a question and reading an answer aloud, with the browser's synthetic microphone."""

import struct
import unittest

from browser import PHONE, PageTest
from playwright.sync_api import expect


class Voice(PageTest):
    arguments = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]

    def setUp(self):
        super().setUp()
        self.gateway.hears = "where is the anchorage"
        self.speak = self.page.get_by_role("button", name="Speak", exact=True)
        self.panel = self.page.get_by_role("group", name="Speak")

    def recorded(self):
        """Waits until some sound is there."""
        expect(self.panel.get_by_role("status")).to_have_text("Listening")
        expect(self.panel.get_by_text("0:01")).to_be_visible()

    def check(self, recording):
        kind, sound = recording
        self.assertEqual(kind, "audio/wav")
        riff, size, wave, _, one, channels, rate, _, _, bits, data, length = struct.unpack("<4sI8sIHHIIHH4sI", sound[:44])
        self.assertEqual((riff, wave, one, channels, rate, bits, data), (b"RIFF", b"WAVEfmt ", 1, 1, 16000, 16, b"data"))
        self.assertEqual((size, length), (len(sound) - 8, len(sound) - 44))
        self.assertGreaterEqual(length, 16000 * 2)
        samples = struct.unpack(f"<{length // 2}h", sound[44:])
        self.assertGreater(max(samples), 500, "the synthetic microphone beeps")

    def test_what_is_said_lands_behind_what_was_written(self):
        page = self.page
        question = page.get_by_label("Your question")
        question.fill("Tell me ")
        self.speak.click()
        self.recorded()
        self.panel.get_by_role("button", name="Done speaking").click()
        expect(question).to_have_value("Tell me where is the anchorage")
        expect(question).to_be_focused()
        expect(self.panel).to_have_count(0)
        self.assertEqual(len(self.gateway.recordings), 1)
        self.check(self.gateway.recordings[0])
        self.assertEqual([one for one in self.gateway.requests if one == ("POST", "/api/chat/runs")], [], "nothing is sent by itself")
        self.assertEqual(page.evaluate("localStorage.getItem('selene.draft.new')"), "Tell me where is the anchorage")

    def test_a_note_is_spoken(self):
        page = self.page
        page.goto(self.gateway.url + "#/capture")
        page.get_by_label("Note", exact=True).fill("First a thought.")
        page.locator("selene-capture").get_by_role("button", name="Speak", exact=True).click()
        self.recorded()
        self.view("a note that is spoken")
        self.panel.get_by_role("button", name="Done speaking").click()
        expect(page.get_by_label("Note", exact=True)).to_have_value("First a thought. where is the anchorage")
        self.assertIn("anchorage", page.evaluate("localStorage.getItem('selene.capture')"))
        page.get_by_role("button", name="Save the note").click()
        self.until(lambda: [one["content"] for one in self.gateway.written.values()] == ["First a thought. where is the anchorage"])

    def test_holding_the_button(self):
        box = self.speak.bounding_box()
        self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        self.page.mouse.down()
        self.recorded()
        self.page.mouse.up()
        expect(self.page.get_by_label("Your question")).to_have_value("where is the anchorage")
        self.check(self.gateway.recordings[0])

    def test_by_keyboard_and_thrown_away(self):
        self.speak.press("Enter")
        self.recorded()
        self.page.keyboard.press("Escape")
        expect(self.panel).to_have_count(0)
        self.speak.press("Enter")
        self.recorded()
        self.panel.get_by_role("button", name="Cancel").click()
        expect(self.panel).to_have_count(0)
        expect(self.speak).to_be_enabled()
        self.assertEqual(self.gateway.recordings, [])

    def test_a_gateway_without_a_model_says_so_before_anyone_speaks(self):
        self.gateway.hears = None
        self.speak.click()
        expect(self.panel).to_contain_text("This gateway has no model that hears yet.")
        self.view("no model that hears")
        self.panel.get_by_role("button", name="Close").click()
        expect(self.panel).to_have_count(0)

    def test_an_administrator_is_led_to_the_setting(self):
        self.gateway.hears = None
        self.speak.click()
        self.panel.get_by_role("link", name="Open the configuration").click()
        expect(self.page.get_by_label("Find a setting")).to_have_value("transcribe_model")
        expect(self.page.locator(".setting:visible")).to_have_count(1)
        expect(self.page.get_by_label("Model for speech", exact=True)).to_be_visible()

    def test_what_failed_is_sent_again(self):
        self.gateway.fail("POST /api/llm/transcribe", 502, "upstream_error", "The model is busy.")
        self.speak.click()
        self.recorded()
        self.panel.get_by_role("button", name="Done speaking").click()
        expect(self.panel.get_by_text("The model is busy.")).to_be_visible()
        self.panel.get_by_role("button", name="Try again").click()
        expect(self.page.get_by_label("Your question")).to_have_value("where is the anchorage")
        self.check(self.gateway.recordings[0])

    def test_no_violations_while_listening(self):
        self.speak.click()
        self.recorded()
        self.still()
        self.check_axe("listening")
        self.panel.get_by_role("button", name="Cancel").click()

    def test_reading_aloud(self):
        page = self.page
        page.add_init_script("""
          window.said = [];
          const voice = { name: "Test", lang: "en-GB", localService: true, default: true, voiceURI: "test" };
          window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
          Object.defineProperty(window, "speechSynthesis", { value: { getVoices: () => [{ ...voice, localService: false, lang: "en-US" }, voice],
            speak: (one) => { said.push([one.text, one.voice.localService]); window.next = one.onend; }, cancel: () => { window.cancelled = true; }, addEventListener() {} } });
        """)
        page.reload()
        self.gateway.script = {"passages": [], "states": [], "text": "The tide is **high** [1]. Read `this` [2, 3].\n\n```\ncode\n```\nDone."}
        self.ask("When?")
        self.answered()
        page.get_by_role("button", name="Read aloud").click()
        expect(page.get_by_role("button", name="Stop reading")).to_be_visible()
        self.until(lambda: page.evaluate("said.length") == 1)
        for count in (2, 3):
            page.evaluate("next()")
            self.until(lambda: page.evaluate("said.length") == count)
        page.evaluate("next()")
        expect(page.get_by_role("button", name="Read aloud")).to_be_visible()
        said = page.evaluate("said")
        self.assertEqual([" ".join(text.split()) for text, _ in said], ["The tide is high.", "Read this.", "Done."])
        self.assertTrue(all(is_local for _, is_local in said), "a voice of this device")
        page.get_by_role("button", name="Read aloud").click()
        page.get_by_role("button", name="Stop reading").click()
        expect(page.get_by_role("button", name="Read aloud")).to_be_visible()
        self.assertTrue(page.evaluate("cancelled"))


class OnAPhone(Voice):
    viewport = PHONE


class Refused(PageTest):
    """No microphone is allowed."""

    def test_the_browser_says_no(self):
        self.gateway.hears = ""
        self.context.add_init_script("navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', 'NotAllowedError'))")
        self.page.reload()
        self.page.get_by_role("button", name="Speak", exact=True).click()
        expect(self.page.get_by_role("group", name="Speak").get_by_text("does not allow the microphone")).to_be_visible()


class Signed(PageTest):
    options = {"needs_key": True}

    def test_others_are_told_whom_to_ask(self):
        page = self.page
        self.gateway.hears = None
        page.get_by_label("Key", exact=True).fill("slk_test")
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Speak", exact=True).click()
        panel = page.get_by_role("group", name="Speak")
        expect(panel).to_contain_text("This gateway has no model that hears yet. Ask the gateway’s owner.")
        expect(panel.get_by_role("link")).to_have_count(0)


if __name__ == "__main__":
    unittest.main()
