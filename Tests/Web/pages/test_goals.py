"""Goals: logging in one line, what is due, one goal with its chart and its past, terms, values, history with undo."""

import unittest

from browser import PHONE, PageTest, expect
from stand_in_goals import TODAY, Goals, day, make_action, make_goal, uuid


class GoalsTest(PageTest):
    def setUp(self):
        super().setUp()
        self.goals = self.gateway.goals

    def go(self, address="goals"):
        self.page.goto(f"{self.gateway.url}#/{address}")

    def section(self, title):
        return self.page.locator("section").filter(has=self.page.get_by_role("heading", name=title, level=2))

    def goal(self, title):
        return self.page.locator(".goal").filter(has_text=title)

    def log(self, text):
        self.page.get_by_label("What did you do?").fill(text)
        self.page.keyboard.press("Enter")

    def logged(self, title):
        return [one for one in self.goals.tables["actions"].values() if one["day"] >= day(TODAY, -1) and one["title"] == title]

    def asked(self, method, path):
        return sum(one == (method, path) for one in self.gateway.requests)

    def toast(self):
        return self.page.locator(".toast").last


class Logging(GoalsTest):
    def test_a_line_is_read_shown_and_counts_after_a_press(self):
        self.go()
        self.log("ran 5 km in 28 min yesterday")
        reading = self.page.get_by_role("region", name="What was read")
        expect(reading).to_contain_text("Run")
        expect(reading).to_contain_text("5 km · 28 min")
        expect(reading).to_contain_text("21 Nov 2026")
        expect(reading).to_contain_text("Run 300 km +5 km counts (90 % sure)")
        self.assertEqual(self.logged("Run"), [], "nothing counts before it is confirmed")
        log = self.page.get_by_role("button", name="Log it")
        expect(log).to_be_focused()
        reading.get_by_text("Why").click()
        expect(reading).to_contain_text("Words 50 %: “run” is a keyword")
        log.focus()
        self.page.keyboard.press("Enter")
        expect(self.toast()).to_contain_text("Logged: Run, 5 km · 28 min")
        expect(self.page.get_by_label("What did you do?")).to_have_value("")
        expect(self.page.get_by_label("What did you do?")).to_be_focused()
        expect(self.goal("Run 300 km")).to_contain_text("100 of 300 km")
        self.assertEqual(len(self.logged("Run")), 1)
        self.toast().get_by_role("button", name="Undo").click()
        expect(self.goal("Run 300 km")).to_contain_text("95 of 300 km")
        self.assertEqual(self.logged("Run"), [])
        self.toast().get_by_role("button", name="Do it again").click()
        expect(self.goal("Run 300 km")).to_contain_text("100 of 300 km")

    def test_the_same_press_twice_logs_once_and_a_change_takes_the_reading_back(self):
        self.go()
        self.log("read 20 pages")
        expect(self.page.get_by_role("region", name="What was read")).to_contain_text("20 pages")
        first = len(self.goals.proposals)
        self.page.get_by_label("What did you do?").focus()
        self.page.keyboard.press("Enter")
        expect(self.page.get_by_role("button", name="Log it")).to_be_focused()
        self.assertEqual(len(self.goals.proposals), first, "the same line is one proposal")
        self.page.get_by_label("What did you do?").press_sequentially("!")
        expect(self.page.get_by_role("region", name="What was read")).to_have_count(0)
        self.until(lambda: [one["state"] for one in self.goals.proposals.values() if one["kind"] == "log_action"] == ["rejected"])
        self.assertEqual(len(self.logged("Read")), 1, "only the sample's")

    def test_what_is_not_understood_and_what_is_refused_is_said(self):
        self.go()
        self.log("read 20 pages to the wombat")
        expect(self.page.get_by_text("Not understood: wombat")).to_be_visible()
        self.page.get_by_role("button", name="Change it").click()
        expect(self.page.get_by_label("What did you do?")).to_be_focused()
        self.log("ran 5 km on 31 February")
        expect(self.page.get_by_role("alert")).to_contain_text("there is no such date")
        expect(self.page.get_by_role("button", name="Log it")).to_have_count(0)

    def test_a_gateway_that_is_away_keeps_the_line(self):
        self.go()
        expect(self.goal("Run 300 km")).to_be_visible()
        self.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        self.gateway.is_down = True
        self.log("ran 5 km")
        expect(self.page.get_by_role("alert")).to_contain_text("cannot be reached")
        self.go("goals/values")
        self.gateway.is_down = False
        self.go()
        expect(self.goal("Run 300 km")).to_be_visible()
        expect(self.page.get_by_label("What did you do?")).to_have_value("ran 5 km")
        self.page.get_by_role("button", name="Check", exact=True).click()
        expect(self.page.get_by_role("button", name="Log it")).to_be_focused()


class Today(GoalsTest):
    def test_what_is_due_what_is_done_and_a_skip_with_undo(self):
        self.go()
        expect(self.page.get_by_text("Term 7, week 3 of 10")).to_be_visible()
        expect(self.section("Due: 6").locator(".goal")).to_have_count(6)
        expect(self.section("Done today")).to_contain_text("Meditate")
        expect(self.section("Logged for today")).to_contain_text("Counts for Meditate +12 min")
        expect(self.goal("Tax return")).to_contain_text("time is over")
        self.page.get_by_role("button", name="Skip today: Read 20 pages a day").click()
        expect(self.section("Due: 5")).to_be_visible()
        expect(self.section("Also running")).to_contain_text("Read 20 pages a day")
        expect(self.page.locator("#main")).to_be_focused()
        self.toast().get_by_role("button", name="Undo").click()
        expect(self.section("Due: 6")).to_be_visible()

    def test_nothing_is_counted_before_a_person_says_so(self):
        self.go()
        self.page.get_by_role("button", name="2 things wait for your answer").click()
        expect(self.page.get_by_role("heading", name="To confirm")).to_be_focused()
        question = self.section("1 question")
        expect(question).to_contain_text("61 % sure: within its days; km; no word fits; near in meaning")
        self.page.get_by_role("button", name="Yes: Walked home along the river counts for Run 300 km").click()
        expect(self.goal("Run 300 km")).to_contain_text("101.2 of 300 km")
        expect(question).to_have_count(0) if not self.goals.open_questions else None
        self.toast().get_by_role("button", name="Undo").click()
        expect(self.goal("Run 300 km")).to_contain_text("95 of 300 km")
        self.page.get_by_role("button", name="No: Walked home along the river does not count for Run 300 km").click()
        expect(self.toast()).to_contain_text("Does not count")
        self.section("To confirm").get_by_role("button", name="Confirm").click()
        expect(self.page.get_by_role("heading", name="To confirm")).to_have_count(0)
        self.assertEqual(self.goals.proposals[next(iter(self.goals.proposals))]["state"], "confirmed")

    def test_deleting_what_was_logged_can_be_undone(self):
        self.go()
        self.page.get_by_role("button", name="Delete Meditation").click()
        expect(self.section("Logged for today")).to_have_count(0)
        self.toast().get_by_role("button", name="Undo").click()
        expect(self.section("Logged for today")).to_contain_text("Meditation")

    def test_a_review_is_read_and_kept(self):
        self.go()
        self.page.get_by_role("button", name="Review last week").click()
        dialog = self.page.get_by_role("dialog", name="Week of 16 November")
        expect(dialog.locator("strong")).to_have_text("Longest:")
        dialog.get_by_role("button", name="Keep as a note").click()
        self.toast().get_by_role("button", name="Open the note").click()
        expect(self.page.get_by_role("heading", level=1)).to_have_text("Spring tide at the pier")

    def test_a_failure_says_so_and_helps(self):
        self.gateway.fail("/api/goals/today", 503, error="The database is busy.", times=9)
        self.go()
        alert = self.page.get_by_role("alert")
        expect(alert).to_contain_text("The database is busy.")
        self.gateway.status.clear()
        alert.get_by_role("button", name="Try again").click()
        expect(self.goal("Run 300 km")).to_be_visible()


class OneGoal(GoalsTest):
    def test_the_chart_says_what_it_shows_and_the_table_has_its_figures(self):
        self.go(f"goals/g/{uuid(1)}")
        page = self.page
        expect(page.get_by_role("heading", level=1)).to_have_text("Run 300 km")
        chart = page.get_by_role("img", name="Run 300 km: 95 of 300 km")
        expect(chart).to_be_visible()
        self.assertIn("in 8 of 10 cases between", chart.get_attribute("aria-label"))
        expect(chart.locator(".band")).to_have_count(1)
        expect(page.get_by_role("table")).to_have_count(0)
        page.get_by_text("Figures as a table").click()
        rows = page.get_by_role("table").get_by_role("row")
        expect(rows.nth(1)).to_have_text("19 Nov 20267 km95 km")
        self.assertEqual(rows.count(), 18)
        width = chart.evaluate("one => one.getBoundingClientRect().width")
        self.page.set_viewport_size({"width": 500, "height": 800})
        self.until(lambda: chart.evaluate("one => Number(one.getAttribute('viewBox').split(' ')[2])") < width - 100)
        expect(page.get_by_role("link", name="Health")).to_be_visible()

    def test_as_of_an_earlier_day(self):
        page = self.page
        self.go(f"goals/g/{uuid(1)}")
        expect(page.get_by_text("Nothing counts yet.")).to_have_count(0)
        page.get_by_label("As of").fill("2026-11-01")
        page.get_by_label("As of").press("Enter")
        page.get_by_label("As of").blur()
        expect(page.get_by_text("As it was on 1 Nov 2026.")).to_be_visible()
        expect(page.get_by_role("heading", level=1)).to_have_text("Run 300 km, as planned")
        expect(page.get_by_role("img", name="62 of 300 km")).to_be_visible()
        expect(page.locator(".action").first).to_contain_text("1 Nov 2026")
        expect(page.get_by_role("button", name="Edit")).to_have_count(0)
        page.reload()
        expect(page.get_by_text("As it was on 1 Nov 2026.")).to_be_visible()
        page.locator(".as-of").get_by_role("link", name="Today").click()
        expect(page.get_by_role("button", name="Edit")).to_be_visible()

    def test_windows_are_signs_with_words_in_the_table(self):
        self.go(f"goals/g/{uuid(2)}")
        expect(self.page.locator(".strip i")).to_have_count(21)
        self.page.get_by_text("Figures as a table").click()
        table = self.page.get_by_role("table")
        expect(table).to_contain_text("no entry")
        expect(table).to_contain_text("missed the target")

    def test_ten_years_are_drawn_and_the_table_stays_short(self):
        long = make_goal(9, "Swim", target=(5000, "km"), start="2016-11-22", end="2026-12-31")
        self.goals.tables["goals"][long["id"]] = long
        for index in range(3640):
            one = make_action(20_000 + index, "Swim", day("2016-11-22", index), (1, "km"), goals=[(9, 1)])
            self.goals.tables["actions"][one["id"]] = one
        self.go(f"goals/g/{uuid(9)}")
        expect(self.page.locator(".chart .done")).to_be_visible()
        self.page.get_by_text("Figures as a table").click()
        expect(self.page.get_by_text("The latest 60 of 3,640 rows.")).to_be_visible()
        self.assertEqual(self.page.get_by_role("table").get_by_role("row").count(), 61)

    def test_a_goal_is_changed_by_keyboard_deleted_and_brought_back(self):
        page = self.page
        self.go(f"goals/g/{uuid(1)}")
        page.get_by_role("button", name="Edit").press("Enter")
        dialog = page.get_by_role("dialog", name="Change the goal")
        expect(dialog.get_by_label("How much")).to_have_value("300")
        expect(dialog.get_by_text("Earlier days keep theirs")).to_be_visible()
        dialog.get_by_label("How much").fill("320")
        dialog.get_by_label("Title").press("Enter")
        expect(dialog).to_have_count(0)
        self.assertEqual(self.goals.tables["goals"][uuid(1)]["target"], {"amount": 320, "unit": "km"})
        self.assertEqual(self.goals.tables["goals"][uuid(1)]["relevance"], "To sleep well and see the river in all weathers.")
        expect(page.get_by_role("img", name="95 of 320 km")).to_be_visible()
        expect(page.get_by_role("button", name="Edit")).to_be_focused()
        page.get_by_role("button", name="Edit").click()
        page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        expect(self.goal("Call mother")).to_be_visible()
        expect(self.goal("Run 300 km")).to_have_count(0)
        self.toast().get_by_role("button", name="Undo").click()
        expect(self.goal("Run 300 km")).to_be_visible()

    def test_a_goal_that_is_gone(self):
        self.go("goals/g/nowhere")
        expect(self.page.get_by_role("alert").first).to_contain_text("no longer there")

    def test_a_title_that_is_markup_stays_text(self):
        self.goals.tables["goals"][uuid(1)]["title"] = "<img src=x onerror=alert(1)>"
        self.go(f"goals/g/{uuid(1)}")
        expect(self.page.get_by_role("heading", level=1)).to_have_text("<img src=x onerror=alert(1)>")


class Lists(GoalsTest):
    def test_goals_are_found_and_added_and_a_refusal_stays_in_the_form(self):
        page = self.page
        self.go("goals/all")
        expect(page.locator(".goal")).to_have_count(8)
        page.get_by_label("Search goals").press_sequentially("cello")
        expect(page.locator(".goal")).to_have_count(1)
        page.get_by_label("Search goals").fill("nothing like it")
        expect(page.get_by_text("No goal matches.")).to_be_visible()
        page.get_by_label("Search goals").fill("")
        page.get_by_role("button", name="New goal").click()
        dialog = page.get_by_role("dialog", name="New goal")
        dialog.get_by_text("More", exact=True).click()
        dialog.get_by_label("Title").fill("bad")
        dialog.get_by_role("button", name="Save").click()
        expect(dialog.get_by_role("alert")).to_contain_text("expected another one")
        dialog.get_by_label("Title").fill("Swim three times a week")
        dialog.get_by_label("How much").fill("3")
        dialog.get_by_label("Unit", exact=True).fill("km")
        expect(dialog.get_by_label("Days in a row")).to_be_hidden()
        dialog.get_by_label("How it counts").select_option("streak")
        expect(dialog.get_by_label("Days in a row")).to_be_visible()
        dialog.get_by_label("How it counts").select_option("each week at_least")
        dialog.get_by_label("Words that count").fill("swim, swam ,")
        dialog.get_by_role("group", name="Due on").get_by_label("Sun").uncheck()
        dialog.get_by_role("button", name="Save").click()
        expect(dialog).to_have_count(0)
        made = next(one for one in self.goals.tables["goals"].values() if one["title"] == "Swim three times a week")
        self.assertEqual((made["rule"], made["target"], made["keywords"]), ({"kind": "each", "window": "week", "bound": "at_least"}, {"amount": 3, "unit": "km"}, ["swim", "swam"]))
        self.assertEqual(sorted(made["schedule"]["weekdays"]), [1, 2, 3, 4, 5, 6])
        self.assertNotIn("consequence", made)
        self.toast().get_by_role("button", name="Undo").click()
        expect(self.goal("Swim")).to_have_count(0)

    def test_one_line_makes_a_goal(self):
        page = self.page
        self.go("goals/all")
        page.get_by_role("button", name="New goal").click()
        dialog = page.get_by_role("dialog", name="New goal")
        line = dialog.get_by_label("What do you want to reach?")
        expect(line).to_be_focused()
        dialog.get_by_role("button", name="Save").click()
        expect(dialog.get_by_role("alert")).to_contain_text("Say what you want to reach.")
        line.fill("swim 30 km by 31 March 2027")
        read = dialog.get_by_role("region", name="What was read")
        for text in ("Swim 30 km", "the total", "31 Mar 2027"):
            expect(read).to_contain_text(text)
        expect(dialog.get_by_label("Title")).to_be_hidden()
        dialog.get_by_text("More", exact=True).click()
        expect(dialog.get_by_label("How much")).to_have_value("30")
        dialog.get_by_label("Title").fill("Swim far")
        line.fill("swim 40 km by 31 March 2027")
        expect(read).to_contain_text("Swim far")
        expect(dialog.get_by_label("How much")).to_have_value("40")
        dialog.get_by_role("button", name="Save").click()
        expect(dialog).to_have_count(0)
        made = next(one for one in self.goals.tables["goals"].values() if one["title"] == "Swim far")
        self.assertEqual((made["target"], made["target_date"], made["kind"]), ({"amount": 40, "unit": "km"}, "2027-03-31", "goal"))
        self.assertNotIn("line", made)

    def test_the_board_of_a_term_and_its_goals(self):
        page = self.page
        self.go("goals/terms")
        expect(page.get_by_role("heading", name="Steady")).to_be_visible()
        column = lambda name: page.locator(".column").filter(has=page.get_by_role("heading", name=name))
        expect(column("Behind")).to_contain_text("Read 20 pages a day")
        expect(column("Reached")).to_contain_text("Call mother")
        expect(column("To begin")).to_contain_text("Learn the cello suite")
        expect(page.get_by_text("Not committed, but in these weeks: Run 300 km")).to_be_visible()
        page.get_by_role("button", name="Choose goals").click()
        dialog = page.get_by_role("dialog", name="Choose goals")
        dialog.get_by_label("Run 300 km").check()
        dialog.get_by_label("Tax return").uncheck()
        dialog.get_by_role("button", name="Save").click()
        expect(column("On track")).to_contain_text("Run 300 km")
        self.assertEqual(self.goals.tables["terms"][uuid(60)]["goals"], [uuid(one) for one in (2, 3, 4, 6, 8, 1)])
        self.toast().get_by_role("button", name="Undo").click()
        expect(column("Behind")).to_contain_text("Tax return")
        page.get_by_label("Term", exact=True).select_option(label="Term 6: Outside")
        expect(page.get_by_text("More mornings, fewer plans.")).to_be_visible()
        page.reload()
        expect(page.get_by_role("heading", name="Outside")).to_be_visible()
        page.get_by_role("button", name="New term").click()
        page.get_by_role("dialog").get_by_label("Theme").fill("Light")
        page.get_by_role("dialog").get_by_role("button", name="Save").click()
        expect(self.toast()).to_contain_text("Saved: Term 8")

    def test_units_are_added_changed_and_deleted_with_undo(self):
        page = self.page
        self.go("goals")
        page.get_by_role("navigation", name="Goals").get_by_role("link", name="Units").click()
        row = lambda unit: page.locator(".rule").filter(has=page.get_by_text(unit, exact=True))
        expect(row("km")).to_contain_text("1 km = 1,000 m")
        page.get_by_role("button", name="New unit").click()
        dialog = page.get_by_role("dialog", name="New unit")
        dialog.get_by_label("Unit").fill("sets")
        dialog.get_by_label("Title").fill("bad")
        dialog.get_by_role("button", name="Save").click()
        expect(dialog.get_by_role("alert")).to_contain_text("expected another one")
        dialog.get_by_label("Title").fill("Sets of ten")
        dialog.get_by_label("Unit").press("Enter")
        expect(row("sets")).to_contain_text("Sets of ten")
        edit = page.get_by_role("button", name="Edit: sets")
        edit.click()
        page.get_by_role("dialog").get_by_label("Description").fill("ten each")
        page.get_by_role("dialog").get_by_role("button", name="Save").click()
        expect(row("sets")).to_contain_text("ten each")
        expect(edit).to_be_focused()
        edit.press("Enter")
        page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        expect(row("sets")).to_have_count(0)
        self.toast().get_by_role("button", name="Undo").click()
        expect(row("sets")).to_contain_text("ten each")

    def test_a_goal_reminds_at_its_own_time(self):
        page = self.page
        self.go(f"goals/g/{uuid(3)}")
        page.get_by_role("button", name="Edit", exact=True).click()
        dialog = page.get_by_role("dialog", name="Change the goal")
        days = dialog.get_by_role("group", name="Remind on")
        expect(days).to_be_hidden()
        dialog.get_by_label("Remind at").fill("19:30")
        expect(days).to_be_visible()
        for name in ("Sat", "Sun"):
            days.get_by_label(name).uncheck()
        dialog.get_by_role("button", name="Save").click()
        expect(page.get_by_text("19:30, Mon, Tue, Wed, Thu, Fri")).to_be_visible()
        kept = self.goals.tables["goals"][uuid(3)]["reminder"]
        self.assertEqual((kept["at"], sorted(kept["weekdays"])), ("19:30", [1, 2, 3, 4, 5]))
        page.get_by_role("button", name="Edit", exact=True).click()
        expect(days.get_by_label("Sat")).not_to_be_checked()
        dialog.get_by_label("Title").fill("Meditate early")
        dialog.get_by_role("button", name="Save").click()
        expect(dialog).to_be_hidden()
        expect(page.get_by_role("heading", level=1)).to_have_text("Meditate early")
        self.assertEqual(self.goals.tables["goals"][uuid(3)]["reminder"]["at"], "19:30", "what was not changed stays")
        page.get_by_role("button", name="Edit", exact=True).click()
        for name in ("Sat", "Sun"):
            days.get_by_label(name).check()
        dialog.get_by_role("button", name="Save").click()
        expect(page.get_by_text("19:30", exact=True)).to_be_visible()
        self.assertEqual(self.goals.tables["goals"][uuid(3)]["reminder"], {"at": "19:30"})
        page.get_by_role("button", name="Edit", exact=True).click()
        dialog.get_by_label("Remind at").fill("")
        expect(days).to_be_hidden()
        dialog.get_by_role("button", name="Save").click()
        expect(page.get_by_text("19:30", exact=True)).to_have_count(0)

    def test_what_a_model_read_is_named(self):
        self.go()
        self.log("ran 5 km yonder")
        expect(self.page.get_by_role("region", name="What was read")).to_contain_text("Read by a model: Day, Amount")

    def test_a_goal_is_due_every_few_days(self):
        page = self.page
        self.go(f"goals/g/{uuid(3)}")
        page.get_by_role("button", name="Edit", exact=True).click()
        dialog = page.get_by_role("dialog", name="Change the goal")
        expect(dialog.get_by_label("Every how many days")).to_be_hidden()
        dialog.get_by_label("Due", exact=True).select_option("every")
        expect(dialog.get_by_role("group", name="Due on").get_by_label("Mon")).to_be_hidden()
        dialog.get_by_label("Every how many days").fill("3")
        dialog.get_by_role("button", name="Save").click()
        expect(page.get_by_text("every 3 days")).to_be_visible()
        self.assertEqual(self.goals.tables["goals"][uuid(3)]["schedule"], {"kind": "every", "days": 3, "from": "2026-10-25"})
        page.get_by_role("button", name="Edit", exact=True).click()
        expect(dialog.get_by_label("Every how many days")).to_have_value("3")
        dialog.get_by_label("Title").fill("Meditate longer")
        dialog.get_by_role("button", name="Save").click()
        expect(dialog).to_be_hidden()
        expect(page.get_by_role("heading", level=1)).to_have_text("Meditate longer")
        self.assertEqual(self.goals.tables["goals"][uuid(3)]["schedule"]["days"], 3, "what was not changed stays")
        page.get_by_role("button", name="Edit", exact=True).click()
        dialog.get_by_label("Due", exact=True).select_option("weekdays")
        dialog.get_by_role("group", name="Due on").get_by_label("Sun").uncheck()
        dialog.get_by_role("button", name="Save").click()
        expect(page.get_by_text("Mon, Tue, Wed, Thu, Fri, Sat")).to_be_visible()

    def test_the_values_that_a_goal_serves(self):
        page = self.page
        self.go(f"goals/g/{uuid(1)}")
        self.goals.tables["goals"][uuid(1)]["values"][0]["notes"] = "the body"
        page.reload()
        button = page.get_by_role("button", name="Values")
        button.press("Enter")
        dialog = page.get_by_role("dialog", name="Values that the goal serves")
        first, second, *_ = [one["title"] for one in self.goals.tables["values"].values()]
        expect(dialog.get_by_label(f"How well it serves {first}")).to_have_value("9")
        expect(dialog.get_by_label(f"How well it serves {second}")).to_be_disabled()
        dialog.get_by_label(second, exact=True).check()
        dialog.get_by_label(f"How well it serves {second}").fill("11")
        dialog.get_by_role("button", name="Save").click()
        expect(dialog).to_be_visible()
        dialog.get_by_label(f"How well it serves {second}").fill("7")
        dialog.get_by_label(f"How well it serves {first}").fill("4")
        dialog.get_by_role("button", name="Save").click()
        expect(page.get_by_text(f"Serves {first} (4/10), {second} (7/10)")).to_be_visible()
        self.assertEqual(self.goals.tables["goals"][uuid(1)]["values"], [{"value": uuid(50), "alignment": 4, "notes": "the body"}, {"value": uuid(51), "alignment": 7}])
        expect(button).to_be_focused()
        self.toast().get_by_role("button", name="Undo").click()
        expect(page.get_by_text(f"Serves {first} (9/10)", exact=True)).to_be_visible()

    def test_values_are_added_and_changed(self):
        page = self.page
        self.go("goals/values")
        expect(page.locator(".value").first).to_contain_text("Served by Run 300 km")
        expect(page.locator(".value").last).to_contain_text("No goal serves it yet.")
        page.get_by_role("button", name="New value").click()
        dialog = page.get_by_role("dialog", name="New value")
        dialog.get_by_label("Title").fill("Quiet")
        dialog.get_by_label("Priority").fill("2")
        dialog.get_by_role("button", name="Save").click()
        expect(page.locator(".value").nth(1)).to_contain_text("Quiet")
        page.get_by_role("button", name="Actions for Quiet").click()
        page.get_by_role("dialog").get_by_label("Priority").fill("200")
        page.get_by_role("dialog").get_by_role("button", name="Save").click()
        expect(page.get_by_role("dialog")).to_be_visible()
        page.get_by_role("dialog").get_by_label("Priority").fill("90")
        page.get_by_role("dialog").get_by_role("button", name="Save").click()
        expect(page.locator(".value").last).to_contain_text("Quiet")

    def test_history_shows_what_differs_undoes_and_leads_back(self):
        page = self.page
        self.go("goals/history")
        turn = page.locator(".turn-of")
        expect(turn).to_have_count(3)
        expect(turn.nth(0)).to_contain_text("another program")
        expect(turn.nth(2)).to_contain_text("phone: it went well")
        turn.nth(2).get_by_text("1 field").click()
        expect(turn.nth(2).locator("del")).to_have_text('{"amount":250,"unit":"km"}')
        expect(turn.nth(2).locator("ins")).to_have_text('{"amount":300,"unit":"km"}')
        expect(turn.nth(2).get_by_role("link", name="As it was then")).to_have_attribute("href", f"#/goals/g/{uuid(1)}?day={self.goals.changes[0][0]['at'][:10]}&change=1")
        page.get_by_role("button", name="Undo: Added action Meditation").click()
        expect(turn).to_have_count(4)
        self.assertEqual(self.logged("Meditation"), [one for one in self.logged("Meditation") if one["day"] != TODAY])
        self.toast().get_by_role("button", name="Do it again").click()
        expect(turn).to_have_count(5)
        self.assertIn(uuid(1900), self.goals.tables["actions"])
        page.get_by_label("Changes of").select_option("goals")
        expect(turn).to_have_count(2)
        self.go(f"goals/history?id={uuid(3)}")
        expect(turn).to_have_count(1)
        page.get_by_role("link", name="Everything").click()
        expect(turn).to_have_count(5)

    def test_more_changes_on_demand(self):
        for number in range(120):
            self.goals.put("values", uuid(50), {**self.goals.tables["values"][uuid(50)], "priority": number})
        self.go("goals/history")
        expect(self.page.locator(".turn-of")).to_have_count(50)
        self.page.get_by_role("button", name="Show more").click()
        expect(self.page.locator(".turn-of")).to_have_count(100)


class Signed(GoalsTest):
    options = {"needs_key": True}

    def test_without_a_session_there_is_no_page(self):
        self.go()
        expect(self.page.get_by_label("Key", exact=True)).to_be_visible()
        self.page.get_by_label("Key", exact=True).fill("slk_test")
        self.page.keyboard.press("Enter")
        expect(self.page.get_by_label("What did you do?")).to_be_visible()


class Keyboard(GoalsTest):
    def test_through_the_palette_to_a_goal_and_back(self):
        page = self.page
        self.loaded("shell/keys.js")
        page.keyboard.press("Control+k")
        page.keyboard.type("goals")
        page.keyboard.press("Enter")
        expect(page.get_by_label("What did you do?")).to_be_visible()
        expect(page.locator("#main")).to_be_focused()
        title = page.locator(".goal-title").first
        expect(title).to_be_visible()
        for _ in range(14):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.matches('.goal-title')"):
                break
        expect(title).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Run 300 km")
        expect(page.locator("#main")).to_be_focused()
        page.go_back()
        expect(page.get_by_label("What did you do?")).to_be_visible()


class German(GoalsTest):
    context_options = {"locale": "de-DE"}

    def test_numbers_and_words(self):
        self.go(f"goals/g/{uuid(6)}")
        expect(self.page.get_by_text("7,31 von 7,5 h im Mittel")).to_be_visible()
        self.go("goals/terms")
        expect(self.page.get_by_role("heading", name="Im Rückstand")).to_be_visible()
        self.go()
        expect(self.page.get_by_label("Was hast du getan?")).to_be_visible()
        self.check_width("today in German")


class Looks:
    """Every view in every state: no violation that axe finds, nothing that scrolls sideways."""

    def test_views(self):
        page = self.page
        for address, there, name in (("goals", ".goal", "today"), ("goals/all", ".goal", "all goals"), (f"goals/g/{uuid(1)}", ".chart .done", "a goal"), (f"goals/g/{uuid(2)}", ".strip", "a daily goal"),
                                     (f"goals/g/{uuid(8)}", ".title", "a goal without entries"), (f"goals/g/{uuid(1)}?day=2026-11-01", "[role=status]", "an earlier day"), ("goals/g/none", "[role=alert]", "a missing goal"),
                                     ("goals/terms", ".board", "a term"), ("goals/values", ".value", "values"), ("goals/measures", ".rule", "units"), ("goals/history", ".turn-of", "history")):
            self.go(address)
            expect(page.locator(f"main {there}").first).to_be_visible()
            page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true")
            self.view(name)
        page.evaluate("document.documentElement.dir = 'rtl'")
        self.go(f"goals/g/{uuid(1)}")
        expect(page.locator(".chart .done")).to_be_visible()
        self.view("a goal, mirrored")

    def test_forms_and_readings(self):
        page = self.page
        self.go()
        for text in ("ran 5 km in 28 min yesterday", "read 20 pages to the wombat", "ran on 31 February"):
            self.log(text)
            expect(page.get_by_role("region", name="What was read")).to_be_visible()
            self.view(f"the reading of {text}")
        self.go("goals/all")
        page.get_by_role("button", name="New goal").click()
        expect(page.get_by_role("dialog")).to_be_visible()
        page.get_by_label("What do you want to reach?").fill("300 km by March")
        self.view("a goal in a line")
        page.get_by_role("dialog").get_by_text("More", exact=True).click()
        page.get_by_label("Title").fill("bad")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_role("dialog").get_by_role("alert")).to_be_visible()
        self.view("a new goal")
        self.go("goals/terms")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Choose goals").click()
        expect(page.get_by_role("dialog")).to_be_visible()
        self.view("choosing goals")
        page.keyboard.press("Escape")
        self.go(f"goals/g/{uuid(1)}")
        page.get_by_role("button", name="Values").click()
        expect(page.get_by_role("dialog").get_by_role("spinbutton").first).to_be_visible()
        self.view("choosing values")

    def test_empty(self):
        self.gateway.goals = Goals(False)
        for address, title in (("goals", "What do you want to reach?"), ("goals/all", "What do you want to reach?"), ("goals/terms", "No terms yet"), ("goals/values", "No values yet"), ("goals/measures", "No units yet."), ("goals/history", "No changes yet.")):
            self.go(address)
            expect(self.page.get_by_text(title).first if title.startswith("No ") else self.page.get_by_role("heading", name=title)).to_be_visible()
            self.view(f"empty {address}")


class Light(Looks, GoalsTest):
    pass


class PhoneDark(Looks, GoalsTest):
    viewport = PHONE
    scheme = "dark"


class Zoomed(Looks, GoalsTest):
    viewport = {"width": 640, "height": 400}
    context_options = {"reduced_motion": "reduce"}


if __name__ == "__main__":
    unittest.main()
