"""Drives WebKitGTK by WebDriver, the protocol of WebKitWebDriver: the browser nearest to Safari that runs on Linux. Needs Xvfb.

    with WebKit() as browser: browser.go(url); browser.fill("#secret", "…"); browser.press("button[type=submit]")
"""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import urllib.error
import urllib.request

from drivers.driver import PATIENCE, Driver, Stale

# Both of Debian: webkit2gtk-driver, xvfb.
WEBKIT = shutil.which("WebKitWebDriver") if shutil.which("Xvfb") else None
# The name of an element's id (WebDriver, 12.2).
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class WebKitError(Exception):
    pass


class WebKit(Driver):
    def __init__(self, width=1280, height=800):
        self.size = (width, height)
        self.processes = []
        self.session = None

    def __enter__(self):
        self.home = tempfile.TemporaryDirectory(prefix="selene-webkit-")
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def start(self):
        reader, writer = os.pipe()
        self.processes.append(subprocess.Popen(["Xvfb", "-displayfd", str(writer), "-screen", "0", "1400x1000x24", "-nolisten", "tcp"],
                                               pass_fds=[writer], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        os.close(writer)
        with os.fdopen(reader) as lines:
            display = lines.readline().strip()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        # The sandbox needs rights that containers lack; only pages of the tests are opened.
        environment = {**os.environ, "DISPLAY": f":{display}", "HOME": self.home.name, "XDG_RUNTIME_DIR": self.home.name, "LANG": "en_GB.UTF-8", "LANGUAGE": "en_GB",
                       "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1", "WEBKIT_DISABLE_DMABUF_RENDERER": "1", "LIBGL_ALWAYS_SOFTWARE": "1", "GIO_USE_VFS": "local", "GSETTINGS_BACKEND": "memory"}
        self.processes.append(subprocess.Popen([WEBKIT, f"--port={self.port}", "--host=127.0.0.1"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        self.until(self.is_ready)
        made = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": {"timeouts": {"script": PATIENCE * 1000, "pageLoad": PATIENCE * 1000}}}})
        self.session = f"/session/{made['sessionId']}"
        self.ask("POST", f"{self.session}/window/rect", {"width": self.size[0], "height": self.size[1]})

    def __exit__(self, *_):
        if self.session:
            try:
                self.ask("DELETE", self.session)
            except (WebKitError, OSError):
                pass
        for process in reversed(self.processes):
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.home.cleanup()

    def is_ready(self):
        if self.processes[-1].poll() is not None:
            raise WebKitError(f"WebKitWebDriver ended with {self.processes[-1].returncode}")
        try:
            return self.ask("GET", "/status")["ready"]
        except OSError:
            return False

    def ask(self, method, path, body=None):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", method=method, data=None if body is None else json.dumps(body).encode(),
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=2 * PATIENCE) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as reply:
            error = json.load(reply)["value"]
            raise (Stale if error["error"] == "stale element reference" else WebKitError)(f"{path}: {error['error']}: {error['message']}") from None

    def go(self, url):
        self.ask("POST", f"{self.session}/url", {"url": url})

    def reload(self):
        self.ask("POST", f"{self.session}/refresh", {})

    def run(self, script, *arguments):
        return self.ask("POST", f"{self.session}/execute/sync", {"script": script, "args": list(arguments)})

    def click(self, element):
        self.ask("POST", f"{self.session}/element/{element}/click", {})

    def clear(self, element):
        self.ask("POST", f"{self.session}/element/{element}/clear", {})

    def type(self, element, text):
        # WebKit types no line breaks: a line ends with the key Return.
        self.ask("POST", f"{self.session}/element/{element}/value", {"text": text.replace("\n", "\ue006")})
