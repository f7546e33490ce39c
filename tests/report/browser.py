"""A page in headless Chromium, asked over the DevTools protocol through a pipe: no packages needed."""

import json
import os
import select
import shutil
import subprocess
import tempfile
import time


def find_chromium():
    """The program, or None: it is for tests only."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        found = shutil.which(name)
        if found:
            return found
    return None


class BrowserError(Exception):
    """The browser or the page did not do what was asked."""


class Browser:
    """One page. What its console says against it is collected in `complaints`."""

    def __init__(self, program, width=1200, height=900, dark=False):
        self.folder = tempfile.mkdtemp(prefix="tuner-browser-")
        to_read, self.to = os.pipe()
        self.from_, to_write = os.pipe()

        def pipes():
            # Chromium reads its orders from 3 and answers on 4.
            reading, writing = os.dup(to_read), os.dup(to_write)
            os.dup2(reading, 3)
            os.dup2(writing, 4)
        self.process = subprocess.Popen(
            [program, "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run", "--disable-extensions",
             f"--user-data-dir={self.folder}", "about:blank"],
            preexec_fn=pipes, pass_fds=(3, 4), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.buffer, self.last, self.session, self.complaints, self.events = b"", 0, None, [], []
        targets = self.send("Target.getTargets")["targetInfos"]
        page = next(one["targetId"] for one in targets if one["type"] == "page")
        self.session = self.send("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(domain + ".enable")
        self.resize(width, height)
        scheme = "dark" if dark else "light"
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.from_)
        shutil.rmtree(self.folder, ignore_errors=True)

    def resize(self, width, height, scale=1):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale,
                  mobile=width < 600)

    def send(self, method, seconds=120, **parameters):
        """The result of a command."""
        self.last += 1
        order = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            order["sessionId"] = self.session
        text = json.dumps(order).encode() + b"\0"
        while text:
            text = text[os.write(self.to, text):]
        end = time.monotonic() + seconds
        while True:
            message = self.receive(end)
            if message.get("id") == self.last:
                if "error" in message:
                    raise BrowserError(f"{method}: {message['error']}")
                return message["result"]
            self.note(message)

    def receive(self, end):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.from_], [], [], max(0, end - time.monotonic()))
            piece = os.read(self.from_, 1 << 20) if ready else b""
            if not piece:
                raise BrowserError("the browser does not answer")
            self.buffer += piece
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def note(self, message):
        method, parameters = message.get("method", ""), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            thrown = details.get("exception", {}).get("description", details["text"])
            self.complaints.append("exception: " + thrown)
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.complaints.append("console: " + json.dumps(parameters["args"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.complaints.append("log: " + parameters["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.events.append(parameters["request"]["url"])

    def open(self, path):
        """Loads a file; returns once its script has run, with the seconds that took."""
        before = time.monotonic()
        self.send("Page.navigate", url="file://" + str(path))
        while not self.evaluate("document.readyState === 'complete'"):
            time.sleep(0.01)
        return time.monotonic() - before

    def evaluate(self, expression):
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            thrown = answer["exceptionDetails"].get("exception", {})
            raise BrowserError(f"{expression}: {thrown.get('description', answer['exceptionDetails']['text'])}")
        return answer["result"].get("value")

    def frames(self):
        """Returns when what was asked for has been drawn."""
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))")
