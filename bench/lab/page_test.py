#!/usr/bin/python3
"""The page of the report in Chromium without a window: it fits windows of a desk and of a telephone, in light
and in dark colours. page_test.py --pictures FOLDER [RESULTS] writes pictures of the page instead, of invented
results or of those in a folder."""

import base64
import json
import os
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.request

sys.dont_write_bytecode = True
import plan
import report
import sample_rows

DRIVER, CHROMIUM = "/usr/bin/chromedriver", "/usr/bin/chromium"
LIMIT_S = 120  # of one answer of the driver
WIDTHS = (1300, 400)


class Browser:
    """Chromium, operated by chromedriver (W3C WebDriver)."""

    def __init__(self):
        self._driver = subprocess.Popen(
            [DRIVER, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        limit = threading.Timer(LIMIT_S, self._driver.kill)
        limit.start()
        try:
            self._session = self._begin()
        except BaseException:
            self.close()
            raise
        finally:
            limit.cancel()

    def _begin(self):
        for line in self._driver.stdout:
            if "successfully on port " in line:
                self._url = "http://127.0.0.1:" + line.rsplit(" ", 1)[1].strip(". \n")
                break
        else:
            raise RuntimeError("chromedriver cannot be started")
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        wanted = {
            "browserName": "chrome",
            "goog:chromeOptions": {"binary": CHROMIUM, "args": arguments},
        }
        return "/session/" + self._post("/session", capabilities={"alwaysMatch": wanted})["sessionId"]

    def close(self):
        if hasattr(self, "_session"):
            urllib.request.urlopen(
                urllib.request.Request(self._url + self._session, method="DELETE"), timeout=LIMIT_S
            ).close()
        self._driver.kill()
        self._driver.wait()
        self._driver.stdout.close()

    def _post(self, path, **body):
        request = urllib.request.Request(
            self._url + path, json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=LIMIT_S) as response:
            return json.load(response)["value"]

    def command(self, name, **parameters):
        return self._post(self._session + "/goog/cdp/execute", cmd=name, params=parameters)

    def open(self, path):
        self._post(self._session + "/url", url="file://" + path)

    def run(self, script):
        """The value of the body of a function."""
        return self._post(self._session + "/execute/sync", script=script, args=[])

    def resize(self, width, colours):
        """Sets the size of the page and the colours that the system prefers."""
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False
        )
        self.command(
            "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": colours}]
        )

    def picture(self, path, top, height):
        """A picture of a part of the page as a PNG."""
        clip = {"x": 0, "y": top, "width": self.run("return innerWidth"), "height": height, "scale": 1}
        shot = self.command("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))


def written_report(out):
    experiments = plan.load()
    sample_rows.write_results(experiments, out)
    return os.path.abspath(report.write(experiments, out, False))


# Elements that are wider than the page and are not scrolled by themselves.
_TOO_WIDE = """
const scrolls = each => each && (getComputedStyle(each).overflowX === 'auto' || scrolls(each.parentElement));
return [...document.body.querySelectorAll('*')]
  .filter(each => each.getBoundingClientRect().right > document.documentElement.clientWidth + 0.5)
  .filter(each => !scrolls(each))
  .map(each => each.tagName + ' ' + each.textContent.slice(0, 40));
"""
# Text whose colour is nearly that of the page: differences of all three components below 96.
_UNREADABLE = """
const parts = colour => colour.match(/[0-9.]+/g).slice(0, 3).map(Number);
const page = parts(getComputedStyle(document.documentElement).backgroundColor);
return [...document.querySelectorAll('h1, h2, p, td, th, summary, pre, dt, dd, li, text')]
  .filter(each => each.textContent.trim())
  .filter(each => {
    const style = getComputedStyle(each);
    const colour = each.tagName === 'text' ? style.fill : style.color;
    return parts(colour).every((part, i) => Math.abs(part - page[i]) < 96);
  })
  .map(each => each.tagName + ' ' + each.textContent.slice(0, 40));
"""


@unittest.skipUnless(os.access(DRIVER, os.X_OK) and os.access(CHROMIUM, os.X_OK), "needs chromium, chromium-driver")
class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.out = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.out.cleanup)
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)
        cls.browser.open(written_report(cls.out.name))

    def test_it_fits_wide_and_narrow_windows_in_both_themes(self):
        for colours in ("light", "dark"):
            for width in WIDTHS:
                self.browser.resize(width, colours)
                with self.subTest(colours=colours, width=width):
                    self.assertLessEqual(
                        self.browser.run("return document.documentElement.scrollWidth"),
                        self.browser.run("return document.documentElement.clientWidth"),
                    )
                    self.assertEqual(self.browser.run(_TOO_WIDE), [])

    def test_text_can_be_read_in_both_themes(self):
        grounds = set()
        for colours in ("light", "dark"):
            self.browser.resize(WIDTHS[0], colours)
            grounds.add(self.browser.run("return getComputedStyle(document.documentElement).backgroundColor"))
            self.assertEqual(self.browser.run(_UNREADABLE), [], colours)
        self.assertEqual(len(grounds), 2, "the page has the colours that the system prefers")

    def test_plots_are_as_wide_as_the_window_permits(self):
        for width in WIDTHS:
            self.browser.resize(width, "light")
            sizes = self.browser.run("return [...document.querySelectorAll('svg')].map(each => each.clientWidth)")
            self.assertGreater(len(sizes), 20)
            self.assertGreater(min(sizes), 300, width)


def pictures(folder, results=None):
    """Pictures of the page, 2,000 pixels of its height each."""
    os.makedirs(folder, exist_ok=True)
    browser = Browser()
    try:
        with tempfile.TemporaryDirectory() as out:
            browser.open(os.path.abspath(os.path.join(results, "report.html")) if results else written_report(out))
            for colours in ("light", "dark"):
                for width in WIDTHS:
                    browser.resize(width, colours)
                    height = browser.run("return document.documentElement.scrollHeight")
                    for i, top in enumerate(range(0, height, 2000)):
                        name = f"{colours}-{width}-{i:02}.png"
                        browser.picture(os.path.join(folder, name), top, min(2000, height - top))
    finally:
        browser.close()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--pictures"]:
        pictures(*sys.argv[2:4])
    else:
        unittest.main()
