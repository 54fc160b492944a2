"""Notifications in the console: composing with a preview, log with explanations, devices, templates, schedules, triggers."""

import base64
import unittest

from browser import PHONE, PageTest, expect
from stand_in_push import Push


class PushConsoleTest(PageTest):
    def setUp(self):
        super().setUp()
        self.push = self.gateway.push

    def go(self, page=""):
        self.page.goto(f"{self.gateway.url}#/console/push{page and '/'}{page}")

    def toast(self):
        return self.page.locator(".toast").last

    def dialog(self):
        return self.page.get_by_role("dialog")

    def save(self):
        self.dialog().get_by_role("button", name="Save").click()
        expect(self.dialog()).to_have_count(0)


class Compose(PushConsoleTest):
    def test_a_message_is_shown_sent_explained_and_taken_back(self):
        page = self.page
        self.go()
        page.get_by_label("Title").fill("High water")
        page.get_by_label("Text").fill("at 18:40\nbring boots")
        page.get_by_label("Priority").select_option("high")
        page.get_by_label("Buttons").fill("Chart = https://tides.example/chart\nDone")
        shown = page.get_by_role("group", name="Preview")
        expect(shown).to_contain_text("High water")
        expect(shown).to_contain_text("bring boots")
        expect(shown.locator(".chip")).to_have_text(["Chart", "Done"])
        page.get_by_label("desk").check()
        self.push.outcome = "failed"
        page.get_by_role("button", name="Send", exact=True).click()
        result = page.get_by_role("status").filter(has_text="What became of it")
        expect(result).to_contain_text("failed desk")
        self.assertEqual(self.push.last, {"message": {"title": "High water", "body": "at 18:40\nbring boots", "priority": "high", "actions": [{"id": "b1", "title": "Chart", "type": "open", "url": "https://tides.example/chart"}, {"id": "b2", "title": "Done", "type": "acknowledge"}]}, "devices": ["d-1"]})
        result.get_by_role("button", name="Why? desk").click()
        expect(self.dialog()).to_contain_text("What the rules said")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Take it back").click()
        expect(result).to_contain_text("taken back desk")

    def test_a_picture_comes_from_an_address_or_from_a_file(self):
        page = self.page
        self.go()
        page.get_by_label("Title").fill("High water")
        page.get_by_label("Picture", exact=True).fill("https://tides.example/chart.png")
        shown = page.get_by_role("group", name="Preview")
        expect(shown).to_contain_text("Picture: https://tides.example/chart.png")
        page.get_by_role("button", name="Send", exact=True).click()
        expect(page.get_by_role("status").filter(has_text="What became of it")).to_contain_text("desk")
        self.assertEqual(self.push.last["message"], {"title": "High water", "image": "https://tides.example/chart.png"})
        file = page.get_by_label("Picture from a file")
        file.set_input_files({"name": "notes.txt", "mimeType": "text/plain", "buffer": b"text"})
        expect(page.get_by_role("alert")).to_contain_text("PNG, JPEG, GIF or WebP")
        png = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==")
        file.set_input_files({"name": "dot.png", "mimeType": "image/png", "buffer": png})
        expect(page.get_by_role("alert")).to_have_count(0)
        expect(shown.get_by_role("img", name="Picture")).to_have_js_property("naturalWidth", 2)
        page.get_by_role("button", name="Send", exact=True).click()
        expect(page.get_by_role("status").filter(has_text="What became of it")).to_contain_text("desk")
        self.until(lambda: "image_data" in self.push.last["message"])
        self.assertEqual(base64.b64decode(self.push.last["message"].pop("image_data")), png)
        self.assertEqual(self.push.last["message"], {"title": "High water"})
        page.get_by_role("button", name="Remove the picture").click()
        expect(shown.get_by_role("img")).to_have_count(0)
        expect(file).to_be_focused()
        # A photo with too many bytes is made smaller in the page.
        noise = page.evaluate("""async () => {
          const canvas = new OffscreenCanvas(1900, 700);
          const context = canvas.getContext("2d");
          const image = context.createImageData(1900, 700);
          for (let at = 0; at < image.data.length; at += 65536) crypto.getRandomValues(image.data.subarray(at, at + 65536));
          for (let at = 3; at < image.data.length; at += 4) image.data[at] = 255;
          context.putImageData(image, 0, 0);
          const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: "image/png" })).arrayBuffer());
          let text = "";
          for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
          return btoa(text);
        }""")
        self.assertGreater(len(noise), 2 << 20)
        file.set_input_files({"name": "photo.png", "mimeType": "image/png", "buffer": base64.b64decode(noise)})
        expect(shown.get_by_role("img", name="Picture")).to_be_visible()
        page.get_by_role("button", name="Send", exact=True).click()
        self.until(lambda: "image_data" in self.push.last["message"])
        small = base64.b64decode(self.push.last["message"]["image_data"])
        self.assertTrue(small.startswith(b"\xff\xd8\xff") and len(small) <= 1 << 20, len(small))

    def test_a_template_a_later_time_and_refusals(self):
        page = self.page
        self.go()
        page.get_by_role("button", name="Send", exact=True).click()
        expect(page.get_by_role("alert")).to_contain_text("expected a title or a body")
        page.get_by_label("Buttons").fill("a\nb\nc\nd\ne")
        expect(page.get_by_role("alert")).to_contain_text("At most 4 buttons.")
        page.get_by_label("Template").select_option("water-the-plants")
        shown = page.get_by_role("group", name="Preview")
        expect(shown).to_contain_text("Water the fern")
        page.get_by_label("Inputs").fill("plant = palm")
        expect(shown).to_contain_text("Water the palm")
        page.get_by_label("Not before").fill("2030-01-01T08:00")
        page.get_by_role("button", name="Send", exact=True).click()
        expect(page.get_by_role("status").filter(has_text="What became of it")).to_contain_text("waits Anna's phone")
        self.assertEqual((self.push.last["template"], self.push.last["inputs"]), ("water-the-plants", {"plant": "palm"}))
        self.assertRegex(self.push.last["notBefore"], r"^20\d\d-\d\d-\d\dT\d\d:\d\d:00Z$")


class Log(PushConsoleTest):
    def test_filters_pages_explains_and_retries(self):
        page = self.page
        self.go("log")
        table = page.get_by_role("region", name="Log", exact=True).last
        expect(table.locator("tbody tr")).to_have_count(50)
        page.get_by_role("button", name="Show more").click()
        expect(table.locator("tbody tr")).to_have_count(90)
        def narrow(label, value):
            page.get_by_role("button", name="Filter", exact=True).click()
            field = self.dialog().get_by_label(label, exact=True)
            field.select_option(value) if field.evaluate("one => one.tagName") == "SELECT" else field.fill(value)
            self.dialog().get_by_role("button", name="Show", exact=True).click()
            expect(self.dialog()).to_have_count(0)

        narrow("Contains", "high water")
        expect(table.locator("tbody tr")).to_have_count(18)
        expect(page).to_have_url(self.gateway.url + "#/console/push/log?q=high+water")
        page.get_by_role("button", name="Remove the filter Contains: high water").click()
        expect(table.locator("tbody tr")).to_have_count(50)
        narrow("State", "failed")
        expect(table.locator("tbody tr")).to_have_count(2)
        expect(page).to_have_url(self.gateway.url + "#/console/push/log?status=failed")
        page.reload()
        expect(page.get_by_role("button", name="Remove the filter State: failed")).to_be_visible()
        why = table.get_by_role("button", name="Why?").first
        why.focus()
        page.keyboard.press("Enter")
        expect(self.dialog()).to_contain_text("failed")
        self.dialog().get_by_role("button", name="Try again").click()
        expect(table.locator("tbody tr")).to_have_count(1)
        narrow("Device", "d-1")
        narrow("Topic", "none")
        expect(page.get_by_text("No notifications.")).to_be_visible()


class Devices(PushConsoleTest):
    def test_who_is_online(self):
        self.go("devices")
        table = self.page.get_by_role("region", name="Devices", exact=True).last
        expect(table.locator("tr").filter(has_text="desk")).to_contain_text("online")
        expect(table.locator("tr").filter(has_text="door bell")).to_contain_text("No longer reachable: 410 Gone")
        expect(self.page.get_by_text("APNs: not configured")).to_be_visible()
        self.push.devices["d-0"]["isOnline"] = True
        expect(table.locator("tr").filter(has_text="Anna's phone")).to_contain_text("online")
        table.get_by_role("link", name="desk").click()
        expect(self.page.get_by_role("heading", name="When it may disturb")).to_be_visible()


class Templates(PushConsoleTest):
    def test_add_preview_change_delete_and_undo(self):
        page = self.page
        self.go("templates")
        page.get_by_role("button", name="Preview: water-the-plants").click()
        expect(page.get_by_role("group", name="Preview")).to_contain_text("Water the fern")
        page.get_by_role("button", name="New template").click()
        self.dialog().get_by_label("Name").fill("Bad Name")
        self.dialog().get_by_label("Inputs").fill("hour: time = 8")
        self.dialog().get_by_label("Title").fill("High water at {{hour}}")
        self.dialog().get_by_role("button", name="Save").click()
        expect(self.dialog().get_by_role("alert")).to_contain_text("Not understood: hour: time = 8")
        self.dialog().get_by_label("Inputs").fill("hour: number = 8\nplace")
        self.dialog().get_by_role("button", name="Save").click()
        expect(self.dialog().get_by_role("alert")).to_contain_text("expected a-z")
        self.dialog().get_by_label("Name").fill("high-water")
        self.save()
        made = next(one for one in self.push.templates.values() if one["name"] == "high-water")
        self.assertEqual(made["template"], {"name": "high-water", "inputs": [{"name": "hour", "type": "number", "example": 8}, {"name": "place", "type": "string"}], "message": {"title": "High water at {{hour}}"}})
        edit = page.get_by_role("button", name="Edit: high-water")
        edit.click()
        self.dialog().get_by_label("Text").fill("Bring boots")
        self.save()
        expect(edit).to_be_focused()
        self.assertEqual(made["id"] in self.push.templates and self.push.templates[made["id"]]["template"]["message"], {"title": "High water at {{hour}}", "body": "Bring boots"})
        edit.click()
        self.dialog().get_by_role("button", name="Delete").click()
        expect(edit).to_have_count(0)
        self.toast().get_by_role("button", name="Undo").click()
        expect(edit).to_be_visible()


class Schedules(PushConsoleTest):
    def test_the_next_times_are_shown_before_it_is_stored(self):
        page = self.page
        self.go("schedules")
        page.get_by_role("button", name="New schedule").click()
        expect(self.dialog().locator(".times li")).to_have_count(5)
        self.dialog().get_by_label("cron").fill("8 *")
        expect(self.dialog().get_by_role("status")).to_contain_text("expected five fields")
        self.dialog().get_by_label("cron").fill("0 8 * * 1")
        expect(self.dialog().locator(".times li")).to_have_count(5)
        self.dialog().get_by_label("Name").fill("Monday")
        self.dialog().get_by_label("Title").fill("A new week")
        self.save()
        made = next(one for one in self.push.schedules.values() if one["schedule"]["name"] == "Monday")
        self.assertEqual((made["schedule"]["cron"], made["schedule"]["message"]), ("0 8 * * 1", {"title": "A new week"}))
        self.assertNotIn("at", made["schedule"])

    def test_stop_change_delete_and_undo(self):
        page = self.page
        self.go("schedules")
        row = page.get_by_role("listitem").filter(has_text="Morning")
        page.get_by_text("The next five times").click()
        expect(row.locator(".times li").first).to_have_text("Mon, 23 Nov 2026, 08:00")
        switch = page.get_by_role("switch", name="Runs: Morning")
        switch.focus()
        page.keyboard.press("Space")
        expect(switch).to_have_attribute("aria-checked", "false")
        expect(switch).to_be_focused()
        self.assertFalse(self.push.schedules["s-0"]["schedule"]["enabled"])
        page.get_by_role("button", name="Edit: Morning").click()
        self.dialog().get_by_label("Kind").select_option("at")
        self.dialog().get_by_label("When").fill("2026-12-24T18:00")
        self.save()
        expect(row).to_contain_text("2026-12-24T18:00")
        self.assertEqual((self.push.schedules["s-0"]["schedule"]["template"], "cron" in self.push.schedules["s-0"]["schedule"]), ("water-the-plants", False))
        page.get_by_role("button", name="Edit: Morning").click()
        self.dialog().get_by_role("button", name="Delete").click()
        expect(page.get_by_text("No schedules yet.")).to_be_visible()
        self.toast().get_by_role("button", name="Undo").click()
        expect(row).to_be_visible()


class Triggers(PushConsoleTest):
    def test_switching_and_a_template(self):
        page = self.page
        self.go("triggers")
        switch = page.get_by_role("switch", name="An answer is ready")
        expect(switch).not_to_be_checked()
        switch.check()
        self.until(lambda: self.push.triggers["answerReady"]["enabled"])
        expect(switch).to_be_focused()
        self.gateway.fail("PUT /api/v1/triggers", 507, error="the disk is full")
        switch.click()
        expect(self.toast()).to_contain_text("the disk is full")
        expect(switch).to_be_checked()
        page.get_by_role("button", name="Edit: An answer is ready").click()
        self.dialog().get_by_label("Template").select_option("water-the-plants")
        self.save()
        self.assertEqual(self.push.triggers["answerReady"], {"enabled": True, "template": "water-the-plants"})


class Looks:
    def test_views(self):
        page = self.page
        for address, there in (("", ".push-preview"), ("log", "tbody tr"), ("devices", "tbody tr"), ("templates", ".rule"), ("schedules", ".rule"), ("triggers", ".rule")):
            self.go(address)
            expect(page.locator(f"main {there}").first).to_be_visible()
            page.evaluate("for (const one of document.querySelectorAll('main .page details')) one.open = true")
            if address == "":
                page.get_by_label("Title").fill("Verylongwordwithoutanyspace" * 10)
                page.get_by_role("button", name="Send", exact=True).click()
                expect(page.get_by_text("What became of it")).to_be_visible()
            if address == "templates":
                page.get_by_role("button", name="Preview: water-the-plants").click()
                expect(page.locator(".push-preview")).to_be_visible()
            self.view(address or "composing")
            for button in {"templates": ["New template"], "schedules": ["New schedule"]}.get(address, []):
                page.get_by_role("button", name=button).click()
                expect(self.dialog()).to_be_visible()
                if address == "schedules":
                    expect(self.dialog().locator(".times li")).to_have_count(5)
                self.view(button)
                page.keyboard.press("Escape")

    def test_empty_and_refused(self):
        self.gateway.push = Push(False)
        for address, text in (("log", "No notifications."), ("devices", "No devices yet."), ("templates", "No templates yet."), ("schedules", "No schedules yet.")):
            self.go(address)
            expect(self.page.get_by_text(text).first).to_be_visible()
            self.view(f"empty {address}")
        self.gateway.is_admin = False
        self.go("triggers")
        expect(self.page.get_by_role("alert")).to_contain_text("push:admin")
        self.view("refused")


class Light(Looks, PushConsoleTest):
    pass


class PhoneDark(Looks, PushConsoleTest):
    viewport = PHONE
    scheme = "dark"


if __name__ == "__main__":
    unittest.main()
