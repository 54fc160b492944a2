"""What tests do with a browser that is driven from outside: waiting, finding, filling, pressing, and what a page shows."""

import time

# How long to wait for a condition, in seconds: other programs may keep every core busy.
PATIENCE = 90


class Stale(Exception):
    """The page drew an element anew between finding and using it."""


class Driver:
    """Needs `run(script, *arguments)`, and `click`, `clear` and `type` of an element."""

    def until(self, holds):
        """Waits until a condition holds and returns its value."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            value = holds()
            if value:
                return value
            time.sleep(0.05)
        raise AssertionError("it did not happen")

    def element(self, selector):
        """The element once it is there, seen and enabled."""
        script = """const found = [...document.querySelectorAll(arguments[0])].find(one => one.checkVisibility() && !one.disabled); return found ?? null"""
        found = self.until(lambda: self.run(script, selector))
        return next(iter(found.values()))

    def fill(self, selector, text):
        element = self.element(selector)
        self.clear(element)
        self.type(element, text)

    def press(self, selector):
        self.until(lambda: self.is_pressed(selector))

    def is_pressed(self, selector):
        try:
            self.click(self.element(selector))
            return True
        except Stale:
            return False

    def shows(self, selector, text):
        """Waits until an element shows a text."""
        try:
            self.until(lambda: self.run("return [...document.querySelectorAll(arguments[0])].some(one => one.checkVisibility() && one.textContent.includes(arguments[1]))", selector, text))
        except AssertionError:
            raise AssertionError(f"{selector} does not show {text!r}: {self.run('return document.body.innerText')[:400]!r}") from None
