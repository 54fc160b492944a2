"""Colours have enough contrast; the page stands in right-to-left, and obeys reduced motion; the first load's requests."""

import unittest

from browser import PHONE, PageTest, expect

CONTRAST = """() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const probe = document.body.appendChild(document.createElement('i'));
  const light = name => {
    probe.style.color = `var(--${name})`;
    canvas.fillStyle = getComputedStyle(probe).color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
  const found = [];
  const check = (ink, papers, least) => papers.forEach(paper => { const value = ratio(ink, paper); if (value < least) found.push(`${ink} on ${paper}: ${value.toFixed(2)}`); });
  check('ink', ['paper', 'paper-2', 'paper-3', 'accent-wash', 'mark'], 7);
  for (const ink of ['ink-2', 'accent', 'good', 'warn', 'bad']) check(ink, ['paper', 'paper-2', 'paper-3'], 4.5);
  check('accent', ['accent-wash'], 4.5);
  check('ink-2', ['accent-wash'], 4.5);
  check('accent-ink', ['accent'], 4.5);
  check('paper', ['ink'], 4.5);
  for (const ink of ['code-word', 'code-text', 'code-number', 'code-comment']) check(ink, ['paper', 'paper-2'], 4.5);
  check('edge', ['paper', 'paper-2'], 3);
  return found;
}"""


class Colours(PageTest):
    def test_contrast(self):
        expect(self.page.get_by_label("Your question")).to_be_visible()
        for theme in ("light", "dark"):
            self.page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
            self.assertEqual(self.page.evaluate(CONTRAST), [], theme)

    def test_the_theme_is_chosen_and_kept(self):
        self.page.get_by_role("link", name="You", exact=True).click()
        self.page.get_by_label("Colours").select_option("dark")
        self.page.reload()
        expect(self.page.get_by_label("Colours")).to_have_value("dark")
        self.assertEqual(self.page.evaluate("getComputedStyle(document.documentElement).colorScheme"), "dark")


class RightToLeft(PageTest):
    viewport = PHONE

    def test_mirrored(self):
        self.page.evaluate("document.documentElement.dir = 'rtl'")
        self.ask("When is the tide highest?")
        self.answered()
        self.check_width("the mirrored chat")
        self.check_axe("the mirrored chat")
        question = self.page.locator(".question-text").bounding_box()
        self.assertLess(question["x"], 40)


class FirstLoad(PageTest):
    def test_requests_until_one_can_type(self):
        seen = []
        context, page = self.open("#/settings")
        page.on("request", lambda request: seen.append(request.url))
        page.add_init_script("document.addEventListener('focusin', e => { if (e.target.id === 'question') performance.mark('usable'); })")
        page.goto(self.gateway.url)
        expect(page.get_by_label("Your question")).to_be_focused()
        usable = page.evaluate("performance.getEntriesByName('usable')[0].startTime")
        before = page.evaluate("t => performance.getEntriesByType('resource').filter(e => e.startTime < t && /[.](js|css)$/.test(e.name)).map(e => e.name)", usable)
        self.assertLessEqual(len(before) + 1, 15, before)


if __name__ == "__main__":
    unittest.main()
