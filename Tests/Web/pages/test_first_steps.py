"""The first run: the steps as the home page, files that become notes, a first question, a phone; who sees something else."""

import io
import pathlib
import tempfile
import unittest
import zipfile

from browser import DROP, PHONE, PageTest, expect
from stand_in_briefing import CARDS, TODAY

VAULT = {"vault": {"Tide.md": "# Spring tide\nat the pier", "deep": {"Moon.markdown": "# The moon\npulls", "bread.txt": "Bread recipe\nflour"}, "empty.md": " \n", ".obsidian": {"app.md": "x"}, "picture.png": "x", "odd.md": "---\nbroken\n# Odd header\ntext"}}


class FirstStepsTest(PageTest):
    options = {"has_samples": False}

    def prepare(self):
        """An empty gateway without Ollama, as after the installation."""
        console = self.gateway.console
        console.figures.update(available=False, notes=0, embedded_notes=0)
        console.models.pop("nomic-embed-text:latest")
        console.jobs.clear()
        console.keys.clear()

    def setUp(self):
        super().setUp()
        self.prepare()
        self.forget()

    def forget(self):
        """The home page of a browser that is new."""
        self.page.evaluate("localStorage.clear()")
        self.page.goto(self.gateway.url)
        self.page.reload()

    def step(self, name):
        return self.page.locator(".step").filter(has=self.page.get_by_role("heading", name=name))

    def body(self, name):
        return self.step(name).locator(".step-body")

    def head(self, name):
        return self.step(name).get_by_role("button", name=name).first

    def drop(self, tree):
        self.page.locator(".step").first.wait_for()
        self.page.evaluate(DROP, [".page", tree])

    def have(self, **figures):
        self.gateway.console.figures.update(**figures)


class FirstRun(FirstStepsTest):
    def test_from_nothing_to_an_answer(self):
        page, gateway, console = self.page, self.gateway, self.gateway.console
        expect(page.get_by_role("heading", level=1)).to_have_text("First steps")
        expect(page.get_by_text("0 of 5 steps are done.")).to_be_visible()
        ollama = self.step("Ollama")
        expect(ollama).to_contain_text("Ollama does not answer at http://127.0.0.1:11434: connection refused")
        expect(self.body("Ollama")).to_contain_text("ollama.com/download")
        expect(self.body("Models")).to_be_hidden()
        ollama.get_by_role("button", name="Windows").click()
        expect(self.body("Ollama")).to_contain_text("Start menu")
        self.view("the step of Ollama")
        again = ollama.get_by_role("button", name="Look again")
        again.click()
        expect(self.body("Ollama").get_by_role("status")).not_to_be_empty()
        expect(again).to_be_enabled()
        # The stream of the page says that it is there now.
        self.have(available=True)
        expect(ollama).to_contain_text("Ollama answers at http://127.0.0.1:11434.")
        expect(ollama.get_by_role("button")).to_have_count(0)

        models = self.step("Models")
        expect(models).to_contain_text("Missing: nomic-embed-text")
        expect(models.locator(".model").first).to_contain_text("is there")
        models.get_by_role("button", name="Download nomic-embed-text").click()
        expect(models).to_contain_text("There: llama3.2, nomic-embed-text")

        notes = self.step("Notes")
        expect(notes.get_by_text("Choose a folder")).to_be_visible()
        self.view("the step of notes")
        self.drop(VAULT)
        expect(self.body("Notes").get_by_role("status").first).to_contain_text("4 of 5 files are in. 4 new notes.")
        expect(notes).to_contain_text("4 notes.")
        self.assertEqual(sorted(gateway.files), ["vault/Tide.md", "vault/deep/Moon.markdown", "vault/deep/bread.txt", "vault/odd.md"])
        notes.get_by_text("3 files were left out").click()
        expect(notes).to_contain_text("1 × .png: not Markdown or text")
        expect(notes).to_contain_text(".obsidian: hidden")
        expect(notes).to_contain_text("vault/empty.md: empty")
        notes.get_by_text("One remark").click()
        expect(notes).to_contain_text("vault/odd.md: its front matter is not valid YAML")
        self.view("what became of the files")
        # Again: no copies.
        self.drop(VAULT)
        expect(self.body("Notes").get_by_role("status").first).to_contain_text("4 were there")
        self.assertEqual(len(gateway.files), 4)

        embedding = self.step("Embedding")
        expect(embedding).to_contain_text("0 of 4 notes are embedded")
        expect(embedding).to_contain_text("The gateway does this by itself, with nomic-embed-text")
        self.have(embedded_notes=4)
        expect(embedding).to_contain_text("4 notes are found by their meaning.")
        expect(self.body("Embedding")).to_be_hidden()

        expect(page.get_by_text("4 of 5 steps are done.")).to_be_visible()
        question = self.step("A first question")
        asked = "What do I know about “Spring tide”?"
        expect(question.get_by_role("button", name="What do I know about")).to_have_count(3)
        question.get_by_role("button", name=asked).click()
        expect(page.locator(".question-text")).to_have_text(asked)
        self.answered()
        self.assertRegex(page.url, r"#/chat/[^/]+$")

        # The next new chat shows once that all is there, and a phone; then the chat is the home page.
        page.get_by_role("link", name="New chat").first.click()
        expect(page.get_by_text("All is there", exact=True)).to_be_visible()
        expect(self.body("A phone")).to_contain_text("selene keys create")
        self.view("all steps done")
        page.get_by_role("button", name="Ask your notes").click()
        expect(page.get_by_text("What do you want to know?")).to_be_visible()
        page.reload()
        expect(page.get_by_text("What do you want to know?")).to_be_visible()
        self.until(lambda: console.streams == 0)

    def test_it_stays_the_home_page_until_it_is_dismissed(self):
        page = self.page
        expect(self.step("Ollama")).to_be_visible()
        page.reload()
        expect(self.step("Ollama")).to_be_visible()
        page.get_by_role("button", name="Not now").click()
        expect(page.get_by_text("There are no notes yet")).to_be_visible()
        self.view("a chat without notes")
        page.reload()
        expect(page.get_by_text("There are no notes yet")).to_be_visible()
        page.get_by_role("link", name="First steps").click()
        expect(self.step("Ollama")).to_be_visible()
        # Once there are notes, the chat asks nothing more.
        self.have(notes=3)
        self.gateway.has_notes = True
        page.goto(f"{self.gateway.url}#/chat")
        page.reload()
        expect(page.get_by_text("What do you want to know?")).to_be_visible()
        self.until(lambda: page.evaluate("localStorage['selene.home']") == "chat")

    def test_by_keyboard(self):
        page = self.page
        expect(self.head("Models")).to_have_attribute("aria-expanded", "false")
        self.head("Models").focus()
        page.keyboard.press("Enter")
        expect(self.head("Models")).to_have_attribute("aria-expanded", "true")
        expect(self.head("Models")).to_be_focused()
        page.keyboard.press("Tab")
        expect(self.body("Models").get_by_role("button", name="Download")).to_be_focused()
        self.head("Notes").focus()
        page.keyboard.press("Space")
        page.keyboard.press("Tab")
        expect(page.locator("#start-folder")).to_be_focused()
        page.keyboard.press("Tab")
        expect(page.locator("#start-files")).to_be_focused()
        # The figures come again and again; the focus stays.
        before = self.gateway.asked
        self.until(lambda: self.gateway.asked > before + 3)
        expect(page.locator("#start-files")).to_be_focused()

    def test_a_question_of_another_view_opens_the_chat(self):
        page = self.page
        expect(self.step("Ollama")).to_be_visible()
        self.gateway.briefings[TODAY] = CARDS
        page.goto(f"{self.gateway.url}#/briefing")
        page.locator(".briefing-card .button").first.click()
        expect(page.get_by_label("Your question")).not_to_have_value("")
        page.goto("about:blank")
        page.goto(self.gateway.url)
        expect(self.step("Ollama")).to_be_visible()

    def test_a_gateway_with_notes_begins_with_the_chat(self):
        self.gateway.has_notes = True
        # The index follows a moment later; where nothing embeds, there is nothing to wait for.
        for embedded, settings in ((7, {}), (0, {"backfill": "off"})):
            self.have(notes=7, embedded_notes=embedded, available=True)
            self.gateway.console.settings = settings
            self.forget()
            expect(self.page.get_by_label("Your question")).to_be_visible()
            self.until(lambda: self.page.evaluate("localStorage['selene.home']") == "chat")
            expect(self.page.locator(".step")).to_have_count(0)
        self.have(notes=0, embedded_notes=0)
        self.forget()
        expect(self.page.get_by_text("What do you want to know?")).to_be_visible()
        # Notes that the gateway should have embedded: a model is missing.
        self.gateway.console.settings = {}
        self.have(notes=7)
        self.forget()
        expect(self.step("Models")).to_be_visible()


class Faults(FirstStepsTest):
    def test_a_download_that_fails_says_why_and_goes_on(self):
        self.have(available=True)
        page, console = self.page, self.gateway.console
        models = self.step("Models")
        self.gateway.fail("/api/pull", 500, error="no space left on device")
        models.get_by_role("button", name="Download nomic-embed-text").click()
        expect(models.get_by_role("alert")).to_contain_text("The download failed: no space left on device")
        expect(models).to_contain_text("ollama pull nomic-embed-text")
        self.view("a download that failed")
        models.get_by_role("button", name="Try the download again").click()
        expect(models).to_contain_text("There: llama3.2, nomic-embed-text")
        self.assertIn("nomic-embed-text:latest", console.models)
        self.assertTrue(page.url.endswith("/"), page.url)

    def test_a_model_that_is_there_can_answer_instead(self):
        self.have(available=True)
        console = self.gateway.console
        console.models.clear()
        for name in ("qwen3:8b", "nomic-embed-text:latest"):
            console.models[name] = {"name": name}
        self.forget()
        self.head("Models").wait_for()
        self.page.get_by_label("Answers come from").select_option("qwen3:8b")
        expect(self.step("Models")).to_contain_text("There: qwen3:8b, nomic-embed-text")
        self.assertIn("qwen3:8b", self.page.evaluate("localStorage['selene.options']"))

    def test_files_that_are_refused_are_named_and_sent_again(self):
        page, gateway = self.page, self.gateway
        self.head("Notes").click()
        gateway.fail("/api/notes/import", 507, error="the disk is full", times=9)
        # Pauses between tries are short here.
        page.evaluate("const before = globalThis.setTimeout; globalThis.setTimeout = (run, time) => before(() => { if (typeof run === 'function') run(); }, Math.min(time, 20))")
        self.drop({"v": {"a.md": "one", "b.md": "two"}})
        alert = self.body("Notes").get_by_role("alert")
        expect(alert).to_contain_text("2 files were not stored")
        expect(alert).to_contain_text("the disk is full")
        expect(alert).to_contain_text("v/a.md")
        self.view("files that were refused")
        gateway.status.clear()
        alert.get_by_role("button", name="Try again").click()
        expect(self.body("Notes").get_by_role("status").first).to_contain_text("2 of 2 files are in.")
        self.assertEqual(sorted(gateway.files), ["v/a.md", "v/b.md"])

    def test_many_files_have_progress_and_can_be_stopped(self):
        page, gateway = self.page, self.gateway
        gateway.import_time = 0.4
        self.drop({"v": {f"{number:03}.md": f"note {number}" for number in range(700)}})
        bar = self.body("Notes").get_by_role("progressbar", name="Files that are brought in")
        expect(bar).to_be_visible()
        expect(self.body("Notes")).to_contain_text("of 700 files")
        expect(self.step("Notes")).to_have_class("step is-open is-working")
        self.until(lambda: len(gateway.files) >= 100)
        self.view("files on their way")
        self.assertLessEqual(gateway.most_flights, 2)
        self.assertLessEqual(max(gateway.batches), 50)
        self.body("Notes").get_by_role("button", name="Cancel").click()
        expect(self.body("Notes").get_by_role("status").first).to_contain_text("Stopped after")
        stored = len(gateway.files)
        self.assertLess(stored, 700)
        gateway.import_time = 0
        self.drop({"v": {f"{number:03}.md": f"note {number}" for number in range(700)}})
        expect(self.body("Notes").get_by_role("status").first).to_contain_text("700 of 700 files are in.")
        self.assertEqual(len(gateway.files), 700)

    def test_files_and_folders_are_chosen(self):
        page, gateway = self.page, self.gateway
        self.head("Notes").click()
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder) / "vault"
            (root / ".obsidian").mkdir(parents=True)
            (root / "Tide.md").write_text("# Tide")
            (root / "latin.txt").write_bytes(b"caf\xe9 at the pier")
            (root / ".obsidian" / "x.md").write_text("x")
            page.locator("#start-files").focus()
            page.locator("#start-files").set_input_files([root / "Tide.md"])
            expect(self.body("Notes").get_by_role("status").first).to_contain_text("One of 1 files is in.")
            # The focus stays with what happens.
            expect(self.body("Notes").get_by_role("status").first).to_be_focused()
            self.body("Notes").get_by_role("button", name="Bring in more").click()
            expect(page.locator("#start-folder")).to_be_focused()
            page.locator("#start-folder").set_input_files(root)
            expect(self.body("Notes").get_by_role("status").first).to_contain_text("2 of 2 files are in.")
        self.assertEqual(sorted(gateway.files), ["Tide.md", "vault/Tide.md", "vault/latin.txt"])
        self.assertEqual(gateway.files["vault/latin.txt"][1], "café at the pier")
        self.body("Notes").get_by_text("One remark").click()
        expect(self.body("Notes")).to_contain_text("read as Windows-1252")

    def test_an_archive_is_opened_in_the_browser(self):
        self.head("Notes").click()
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in {"vault/Tide.md": "# Tide", "vault/deep/Ebbe und Flut.md": "Wasser " * 5000, "vault/.obsidian/app.md": "x", "__MACOSX/vault/._Tide.md": "x"}.items():
                archive.writestr(name, text)
        self.page.locator("#start-files").set_input_files([{"name": "vault.zip", "mimeType": "application/zip", "buffer": packed.getvalue()}, {"name": "broken.zip", "mimeType": "application/zip", "buffer": b"PK but no archive"}])
        expect(self.body("Notes").get_by_role("status").first).to_contain_text("2 of 2 files are in.")
        self.assertEqual(self.gateway.files["vault/deep/Ebbe und Flut.md"][1], "Wasser " * 5000)
        self.body("Notes").get_by_text("3 files were left out").click()
        expect(self.body("Notes")).to_contain_text("broken.zip: no ZIP archive that can be read here")

    def test_a_first_note_is_written_once(self):
        page, gateway = self.page, self.gateway
        self.head("Notes").click()
        self.body("Notes").get_by_text("Or write a first note").click()
        text = page.get_by_label("Your note; the first line becomes its title")
        text.fill("# Oil the winch\nbefore spring")
        gateway.fail("POST /api/notes", 507, error="the disk is full")
        save = self.body("Notes").get_by_role("button", name="Save the note")
        save.click()
        expect(self.body("Notes").get_by_role("alert")).to_contain_text("the disk is full")
        expect(text).to_have_value("# Oil the winch\nbefore spring")
        save.click()
        expect(self.body("Notes")).to_contain_text("Saved: Oil the winch")
        self.assertEqual([one["title"] for one in gateway.written.values()], ["Oil the winch"])

    def test_an_embedding_that_ended_is_started_again(self):
        page, console = self.page, self.gateway.console
        self.have(available=True, notes=12)
        console.models["nomic-embed-text:latest"] = {"name": "nomic-embed-text:latest"}
        console.settings = {"backfill": "off"}
        console.jobs = {5: {"id": 5, "kind": "backfill", "state": "failed", "done": 0, "total": 12, "failed": 2, "revision": 1, "created_at": "2026-11-24T10:00:00Z", "message": "Ollama cannot be reached at http://127.0.0.1:11434."}}
        self.forget()
        embedding = self.step("Embedding")
        expect(embedding.get_by_role("alert")).to_contain_text("Ollama cannot be reached at http://127.0.0.1:11434.")
        expect(embedding.get_by_role("link", name="2 notes were given up")).to_be_visible()
        self.view("an embedding that ended")
        console.step = 1
        embedding.get_by_role("button", name="Embed the notes").click()
        expect(embedding).to_contain_text("of 500 are embedded.")
        expect(embedding.get_by_role("progressbar")).to_be_visible()
        expect(embedding.get_by_role("button", name="Embed the notes")).to_be_hidden()
        expect(page.locator(".step.is-working")).to_have_count(1)

    def test_a_gateway_that_goes_away_is_said_and_nothing_is_lost(self):
        expect(self.step("Ollama")).to_be_visible()
        self.gateway.console.refusal = (503, {"error": "not now", "code": "overloaded"})
        self.gateway.console.cut += 1
        expect(self.page.get_by_role("status").filter(has_text="broke off")).to_be_visible()
        expect(self.step("Ollama")).to_be_visible()
        self.gateway.console.refusal = None
        expect(self.page.get_by_text("broke off")).to_have_count(0)


class WithKeys(FirstStepsTest):
    options = {"has_samples": False, "needs_key": True}

    def sign_in(self, *scopes):
        self.gateway.scopes = list(scopes)
        self.page.get_by_label("Key", exact=True).fill(self.gateway.key)
        self.page.get_by_role("button", name="Sign in", exact=True).click()

    def test_a_phone_gets_a_code(self):
        console = self.gateway.console
        self.have(available=True, notes=3, embedded_notes=3)
        self.gateway.has_notes = True
        console.keys = {1: {"id": 1, "name": "admin", "scopes": ["admin"]}}
        self.sign_in("admin")
        expect(self.page.get_by_label("Your question")).to_be_visible()
        self.page.goto(f"{self.gateway.url}#/start")
        self.head("A phone").click()
        self.gateway.fail("/web/pairings", 429, error="too many codes wait; try again in 5 minutes")
        self.body("A phone").get_by_role("button", name="Show a code").click()
        expect(self.body("A phone").get_by_role("alert")).to_contain_text("too many codes wait")
        self.body("A phone").get_by_role("button", name="Show a code").click()
        expect(self.body("A phone").get_by_role("img")).to_be_visible()
        expect(self.body("A phone")).to_contain_text("BCDF-GHJK")
        self.assertEqual(console.invited["scopes"], ["llm", "notes:read", "notes:write", "push:receive"])
        self.view("a code for a phone")

    def test_an_administrator_is_led_and_others_get_a_plain_word(self):
        self.sign_in("admin")
        expect(self.step("Ollama")).to_be_visible()
        self.page.evaluate("localStorage.clear()")
        self.context.clear_cookies()
        self.page.reload()
        self.sign_in()
        expect(self.page.get_by_text("There are no notes yet")).to_be_visible()
        expect(self.page.get_by_text("Ask the gateway’s owner")).to_be_visible()
        expect(self.page.get_by_role("link", name="First steps")).to_have_count(0)
        self.view("a chat without notes and rights")
        self.page.get_by_role("main").get_by_role("link", name="New note").click()
        expect(self.page.get_by_role("button", name="Save the note")).to_be_visible()


class Narrow(FirstStepsTest):
    viewport = {"width": 320, "height": 640}
    scheme = "dark"
    context_options = {"locale": "de-DE"}

    def test_german_and_narrow(self):
        page = self.page
        expect(page.get_by_role("heading", level=1)).to_have_text("Erste Schritte")
        expect(self.step("Ollama")).to_contain_text("Ollama antwortet nicht unter http://127.0.0.1:11434")
        self.view("Ollama, narrow")
        self.have(available=True)
        for name in ("Modelle", "Notizen", "Einbetten", "Eine erste Frage", "Ein Telefon"):
            if self.head(name).get_attribute("aria-expanded") == "false":
                self.head(name).click()
        self.drop({"Ein sehr langer Name eines Ordners ohne Trennstrich": {"Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen.md": "# Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen und noch viel mehr", "b.png": "x"}})
        expect(self.body("Notizen").get_by_role("status").first).to_contain_text("Eine von 1 Dateien ist da.")
        expect(self.body("Eine erste Frage")).to_contain_text("Was weiß ich über „Donau")
        self.view("all steps open, narrow")


class Phone(FirstStepsTest):
    viewport = PHONE
    context_options = {"has_touch": True}

    def test_a_phone_chooses_files_and_no_folders(self):
        self.head("Notes").tap()
        expect(self.body("Notes").get_by_text("Choose files")).to_be_visible()
        expect(self.page.locator("#start-folder")).to_have_count(0)
        self.view("the step of notes on a phone")


if __name__ == "__main__":
    unittest.main()
