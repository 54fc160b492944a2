"""Drives Firefox by Marionette, the protocol that geckodriver speaks to it: JSON over a socket, each message with its length.

    with Firefox() as browser: browser.go(url); browser.fill("#secret", "…"); browser.press("button[type=submit]")
"""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile

from drivers.driver import PATIENCE, Driver, Stale

FIREFOX = os.environ.get("FIREFOX") or shutil.which("firefox-esr") or shutil.which("firefox")
# Nothing is asked of the network; pages are asked for in English.
PREFERENCES = {
    "marionette.port": 0, "browser.shell.checkDefaultBrowser": False, "browser.startup.page": 0, "browser.startup.homepage_override.mstone": "ignore",
    "datareporting.policy.dataSubmissionEnabled": False, "toolkit.telemetry.enabled": False, "app.normandy.enabled": False, "app.update.disabledForTesting": True,
    "browser.safebrowsing.malware.enabled": False, "browser.safebrowsing.phishing.enabled": False, "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False, "services.settings.server": "data:,", "extensions.update.enabled": False, "intl.accept_languages": "en-GB, en",
    "remote.prefs.recommended": True,
}


class MarionetteError(Exception):
    pass


class Firefox(Driver):
    def __init__(self, width=1280, height=800, preferences=None):
        self.size = (width, height)
        self.preferences = {**PREFERENCES, **(preferences or {})}
        self.number = 0

    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory(prefix="selene-firefox-")
        profile = pathlib.Path(self.profile.name)
        (profile / "user.js").write_text("".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in self.preferences.items()))
        self.process = subprocess.Popen([FIREFOX, "--headless", "--marionette", "--no-remote", "--profile", str(profile)], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, env={**os.environ, "HOME": self.profile.name, "MOZ_CRASHREPORTER_DISABLE": "1"})
        try:
            port = self.until(lambda: self.port(profile))
            self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
            self.buffer = b""
            self.read()
            self.ask("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {}}})
            self.ask("WebDriver:SetTimeouts", {"script": PATIENCE * 1000, "pageLoad": PATIENCE * 1000})
            self.ask("WebDriver:SetWindowRect", {"width": self.size[0], "height": self.size[1]})
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if hasattr(self, "socket"):
            self.socket.close()
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.profile.cleanup()

    def port(self, profile):
        if self.process.poll() is not None:
            raise MarionetteError(f"Firefox ended with {self.process.returncode}")
        file = profile / "MarionetteActivePort"
        return int(file.read_text() or 0) if file.exists() else 0

    def read(self):
        while b":" not in self.buffer:
            self.receive()
        length, _, rest = self.buffer.partition(b":")
        self.buffer = rest
        while len(self.buffer) < int(length):
            self.receive()
        message, self.buffer = self.buffer[:int(length)], self.buffer[int(length):]
        return json.loads(message)

    def receive(self):
        part = self.socket.recv(1 << 16)
        if not part:
            raise MarionetteError("Firefox closed the connection")
        self.buffer += part

    def ask(self, command, parameters=None):
        self.number += 1
        message = json.dumps([0, self.number, command, parameters or {}]).encode()
        self.socket.sendall(f"{len(message)}:".encode() + message)
        _, _, error, result = self.read()
        if error:
            raise (Stale if error["error"] == "stale element reference" else MarionetteError)(f"{command}: {error['error']}: {error['message']}")
        return result.get("value", result) if isinstance(result, dict) else result

    def go(self, url):
        self.ask("WebDriver:Navigate", {"url": url})

    def reload(self):
        self.ask("WebDriver:Refresh")

    def run(self, script, *arguments):
        return self.ask("WebDriver:ExecuteScript", {"script": script, "args": list(arguments)})

    def click(self, element):
        self.ask("WebDriver:ElementClick", {"id": element})

    def clear(self, element):
        self.ask("WebDriver:ElementClear", {"id": element})

    def type(self, element, text):
        self.ask("WebDriver:ElementSendKeys", {"id": element, "text": text})
