"""A smoke test in Firefox ESR."""

import os
import unittest

from firefox.day import Day  # first: it finds the drivers
from drivers.marionette import FIREFOX, Firefox, MarionetteError


class Smoke(Day, unittest.TestCase):
    start, failure = Firefox, MarionetteError

    @classmethod
    def setUpClass(cls):
        if not FIREFOX and os.environ.get("CI"):
            raise AssertionError("Firefox is missing (Debian: firefox-esr)")
        if not FIREFOX:
            raise unittest.SkipTest("Firefox is missing (Debian: firefox-esr)")


if __name__ == "__main__":
    unittest.main()
