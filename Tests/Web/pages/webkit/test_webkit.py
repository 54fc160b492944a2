"""A smoke test in WebKitGTK, the browser nearest to Safari."""

import os
import unittest

from firefox.day import Day  # first: it finds the drivers
from drivers.webdriver import WEBKIT, WebKit, WebKitError


class Smoke(Day, unittest.TestCase):
    start, failure = WebKit, WebKitError

    @classmethod
    def setUpClass(cls):
        if not WEBKIT and os.environ.get("CI"):
            raise AssertionError("WebKitGTK is missing (Debian: webkit2gtk-driver and xvfb)")
        if not WEBKIT:
            raise unittest.SkipTest("WebKitGTK is missing (Debian: webkit2gtk-driver and xvfb)")


if __name__ == "__main__":
    unittest.main()
