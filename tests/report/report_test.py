#!/usr/bin/env python3
"""The report in headless Chromium: it draws, complains about nothing, loads nothing, and filters.

    report_test.py --tuner TUNER

Status 77 where there is no Chromium (apt-get install chromium).
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from browser import Browser, find_chromium

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
from tracked import copy_tracked  # noqa: E402

TUNER = ""
SHIPPED = pathlib.Path()  # a folder with the shipped results alone
HOSTILE = '</script><img src=x onerror="window.broken=1">'


def report(folder, target, *words):
    page = pathlib.Path(folder, "report.html")
    subprocess.run([TUNER, "report", str(target), "-o", str(page), "--force", *words], check=True,
                   capture_output=True)
    return page


def ranking(folder, rows, kernel="made", size="n5"):
    """A folder with one ranked CSV: rows of (BM, FORM, state, time, message)."""
    place = pathlib.Path(folder, "results", kernel, "some-device")
    place.mkdir(parents=True)
    shutil.copy(SHIPPED / "results" / "softmax" / "nvidia-h200" / "device.json", place)
    lines = ["rank,state,BM,FORM,n,time_ms,ci_low_ms,ci_high_ms,min_ms,samples,basis,tie,message,verified"]
    for at, (bm, form, state, time, message) in enumerate(rows):
        measured = state == "ok"
        quoted = [f'"{text}"' for text in (form.replace('"', '""'), message.replace('"', '""'))]
        figures = f"{time},{time * 0.99},{time * 1.01},{time * 0.98},31,search" if measured else ",,,,,"
        lines.append(f"{at + 1 if measured else ''},{state},{bm},{quoted[0]},5,{figures},"
                     f"{'false' if measured else ''},{quoted[1]},{'true' if measured else ''}")
    (place / f"{size}.csv").write_text("\n".join(lines) + "\n")
    return pathlib.Path(folder, "results")


class Pages(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="tuner-report-")
        self.addCleanup(self.scratch.cleanup)

    def show(self, page, **look):
        browser = Browser(find_chromium(), **look)
        self.addCleanup(browser.__exit__)
        browser.open(page)
        self.assertEqual(browser.complaints, [])
        self.assertEqual(browser.evaluate("document.documentElement.dataset.ready"), "true")
        self.assertEqual([url for url in browser.events if not url.startswith("file://")], [])
        return browser

    def texts(self, browser, selector):
        return browser.evaluate(
            f"Array.from(document.querySelectorAll({selector!r}), one => one.textContent)")

    def test_the_shipped_results_are_drawn_in_every_scheme_and_width(self):
        page = report(self.scratch.name, SHIPPED / "results" / "softmax", "--limit", "gbps=4800")
        for look in ({}, {"dark": True}, {"width": 390, "height": 844}):
            browser = self.show(page, **look)
            titles = self.texts(browser, "main section:not([hidden]) h2")
            for title in ("Devices and sizes", "Ranking", "Effect of each parameter",
                          "Parallel coordinates", "States and failures", "What was measured"):
                self.assertIn(title, titles)
            self.assertGreater(len(self.texts(browser, "#ranking tbody tr")), 5)
            self.assertLessEqual(browser.evaluate("document.documentElement.scrollWidth"),
                                 look.get("width", 1200), "the page is wider than the screen")

    def test_a_size_that_is_chosen_is_shown(self):
        browser = self.show(report(self.scratch.name, SHIPPED / "results" / "softmax"))
        browser.evaluate("""(() => { const size = document.getElementById('choose-size');
            size.value = 'M8192_N8192'; size.dispatchEvent(new Event('change')); })()""")
        browser.frames()
        self.assertEqual(self.texts(browser, "#headline h2"), ["softmax on NVIDIA H200, M8192_N8192"])
        self.assertEqual(browser.complaints, [])

    def test_filters_by_button_by_brush_and_by_range(self):
        rows = [(bm, form, "ok", 1 + i, "") for i, (bm, form) in
                enumerate((bm, form) for bm in (8, 16, 32) for form in ("a", "b"))]
        browser = self.show(report(self.scratch.name, ranking(self.scratch.name, rows)))
        first = "#ranking tbody td:first-child"
        self.assertEqual(self.texts(browser, first), ["1", "2", "3", "4", "5", "6"])
        browser.evaluate("document.querySelector('[data-param=FORM][data-value=b]').click()")
        browser.frames()
        self.assertEqual(self.texts(browser, first), ["2", "4", "6"])
        self.assertIn("3 of 6 measured configurations shown", self.texts(browser, "#said"))
        # The upper two of BM's three values, by dragging along its axis.
        box = browser.evaluate("""(() => { const box = document.querySelector('[data-axis=BM]')
            .getBoundingClientRect(); scrollTo(0, box.top - 100);
            const now = document.querySelector('[data-axis=BM]').getBoundingClientRect();
            return [now.left + 16, now.top, now.bottom]; })()""")
        for kind, y in (("mousePressed", box[1] + 1), ("mouseMoved", (box[1] + box[2]) / 2),
                        ("mouseReleased", (box[1] + box[2]) / 2 + 12)):
            browser.send("Input.dispatchMouseEvent", type=kind, x=box[0], y=y, button="left", buttons=1,
                         clickCount=1)
        browser.frames()
        self.assertEqual(self.texts(browser, first), ["4", "6"])
        browser.evaluate("""(() => { const to = document.querySelector('[data-bound="1"]');
            to.value = '5'; to.dispatchEvent(new Event('change')); })()""")
        browser.frames()
        self.assertEqual(self.texts(browser, first), ["4"])
        browser.evaluate("document.querySelector('#ranking .filtered button').click()")
        browser.frames()
        self.assertEqual(len(self.texts(browser, first)), 6)
        self.assertEqual(browser.complaints, [])

    def test_the_headline_says_what_is_missing_and_why(self):
        without = ranking(self.scratch.name, [(8, "a", "ok", 1, ""), (16, "a", "ok", 2, "")])
        shown = self.texts(self.show(report(self.scratch.name, without)), "#headline .note")
        self.assertEqual(shown, ["Not shown: over a baseline (the study names none, or these results do not hold it); "
                                 "over the reference (these results do not hold its time); share of the "
                                 "device\u2019s limit (the study has no metric such as gbps or gflops)."])
        bare = self.show(report(self.scratch.name, SHIPPED / "results" / "softmax"))
        self.assertIn("tuner report --limit gbps=NUMBER does)", self.texts(bare, "#headline .note")[0])
        limited = self.show(report(self.scratch.name, SHIPPED / "results" / "softmax", "--limit", "gbps=4800"))
        self.assertNotIn("limit", self.texts(limited, "#headline .note")[0])
        self.assertIn("of 4\u202f800, the limit that was given", " ".join(self.texts(limited, "#headline .detail")))

    def test_on_paper_no_heading_is_left_alone_at_the_foot_of_a_page(self):
        browser = self.show(report(self.scratch.name, SHIPPED / "results" / "softmax"))
        browser.send("Emulation.setEmulatedMedia", media="print")
        alone = browser.evaluate("""Array.from(document.querySelectorAll('main h2, main h3, main .lead'))
            .filter(one => getComputedStyle(one).breakAfter !== 'avoid').length""")
        self.assertEqual(alone, 0)
        self.assertEqual(browser.evaluate("getComputedStyle(document.getElementById('choose')).display"), "none")

    def test_hostile_texts_are_shown_and_do_nothing(self):
        rows = [(8, HOSTILE, "ok", 1, ""), (16, "b", "ok", 2, ""), (32, "b", "compile", 0, HOSTILE)]
        browser = self.show(report(self.scratch.name, ranking(self.scratch.name, rows)))
        self.assertIsNone(browser.evaluate("window.broken"))
        self.assertEqual(browser.evaluate("document.querySelectorAll('img').length"), 0)
        self.assertIn(HOSTILE, self.texts(browser, "#headline dd"))
        self.assertIn(HOSTILE, self.texts(browser, "#failures pre"))

    def test_failures_alone_are_a_report_too(self):
        rows = [(8, "a", "compile", 0, "error: x1"), (16, "a", "compile", 0, "error: x2")]
        folder = ranking(self.scratch.name, rows)
        page = pathlib.Path(self.scratch.name, "report.html")
        done = subprocess.run([TUNER, "report", str(folder), "-o", str(page)], capture_output=True, check=False)
        self.assertEqual(done.returncode, 1)
        browser = self.show(page)
        self.assertEqual(self.texts(browser, "#failures table:last-of-type pre"), ["error: x1"])

    def test_the_page_of_the_shipped_results_is_small(self):
        page = report(self.scratch.name, SHIPPED / "results" / "matmul")
        self.assertLess(page.stat().st_size, 2_000_000)

    def test_every_chart_has_a_name_and_its_numbers(self):
        browser = self.show(report(self.scratch.name, SHIPPED / "results" / "softmax"))
        nameless = browser.evaluate(
            "Array.from(document.querySelectorAll('svg[role=img]')).filter(one => !one.ariaLabel).length")
        self.assertEqual(nameless, 0)
        browser.evaluate("document.querySelectorAll('details.behind').forEach(one => { one.open = true; })")
        browser.frames()
        self.assertEqual(browser.evaluate(
            "Array.from(document.querySelectorAll('details.behind')).filter(one => !one.querySelector('table')).length"), 0)
        unnamed = browser.evaluate("""Array.from(document.querySelectorAll('button, select, input'))
            .filter(one => !(one.textContent || one.labels && one.labels.length || one.ariaLabel)).length""")
        self.assertEqual(unnamed, 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tuner", required=True)
    arguments, rest = parser.parse_known_args()
    global TUNER, SHIPPED
    TUNER = str(pathlib.Path(arguments.tuner).resolve())
    if find_chromium() is None:
        print("SKIPPED: there is no chromium here, so that nobody looks at the report "
              "(apt-get install chromium)", file=sys.stderr)
        return 77
    with tempfile.TemporaryDirectory(prefix="tuner-shipped-") as folder:
        SHIPPED = copy_tracked(folder, "results")
        program = unittest.main(argv=[sys.argv[0], *rest], exit=False)
    return 0 if program.result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
