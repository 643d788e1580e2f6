#!/usr/bin/env python3
"""The page of `dropmd report` in a browser: that it works, needs nothing from elsewhere, and fits screens and paper.

Usage: report_page_test.py PROGRAM [--pictures FOLDER]

PROGRAM is dropmd. The pictures are screenshots and a PDF to look at. Exit status 77 without Playwright (pip install
playwright) or a Chromium, which is looked for in DROPMD_CHROMIUM, on the path, and where `playwright install` puts it.
Where this python3 does not have Playwright, the test tries that of build/python-env, for which scripts/setup.sh --dev
installs it.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
try:
    from playwright.sync_api import sync_playwright
except ImportError as error:
    OTHER = SOURCE / "build/python-env/bin/python"
    if OTHER.is_file() and Path(sys.prefix).resolve() != OTHER.parents[1].resolve():
        os.execv(OTHER, [str(OTHER), "-B", *sys.argv])
    print(error)
    sys.exit(77)

TITLE = "</script><script>alert(1)</script> & \"quotes\" 'too' <b>"
EVENTS = """{step},{time},evaporated,{step},SOL,0,30,0,0,0.01,0,0,1.5,1
{step},{time},ejected,7,</td><b>&"NA",1,30,0,0,0.01,0,0,2.5,3
"""
# Of a canvas: the number of different colours, and a number that changes with its pixels.
LOOK = """canvas => {
  const copy = document.createElement("canvas");
  Object.assign(copy, { width: canvas.width, height: canvas.height });
  const pen = copy.getContext("2d");
  pen.drawImage(canvas, 0, 0);
  const words = new Uint32Array(pen.getImageData(0, 0, copy.width, copy.height).data.buffer);
  return { colours: new Set(words).size, sum: words.reduce((sum, word) => (Math.imul(sum, 31) + word) | 0, 0) };
}"""
NO_WEBGL = """const getContext = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
  return kind.startsWith("webgl") ? null : getContext.call(this, kind, ...more);
};"""
DESKTOP = {"viewport": {"width": 1280, "height": 900}}
PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True}


def browser_path(playwright):
    """The path of a Chromium, or None."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    found = [os.environ.get("DROPMD_CHROMIUM"), *map(shutil.which, names), playwright.chromium.executable_path]
    return next((path for path in found if path and os.access(path, os.X_OK)), None)


def make_pages(program, folder):
    """Makes a run with a droplet and one with maps, and their pages."""
    def run(*words):
        subprocess.run([program, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)

    samples = SOURCE / "inputs/samples"
    title = 'title="' + TITLE.replace('"', '\\"') + '"'
    run("run", samples / "evaporation.toml", "-q", "--backend", "cpu", "--steps", "400", "-o", "droplet", "--set", title,
        "--set", "droplet.every=20", "--set", "droplet.profile-every=100", "--set", "output.energy-every=5",
        "--set", "output.trajectory-every=200")
    run("run", "-q", "--resume", "droplet", "--steps", "440")
    with open(folder / "droplet/events.csv", "a") as events:
        for step in range(20, 400, 40):
            events.write(EVENTS.format(step=step, time=2 * step))
    run("run", samples / "droplet-4139-map.toml", "-q", "--backend", "cpu", "--steps", "20", "-o", "map")
    run("ensemble", samples / "lj-cluster-13-langevin.toml", "-q", "--backend", "cpu", "--steps", "400", "-o", "ensemble",
        "--vary", "integrator.temperature=0.1,0.2", "--replicas", "3")
    # A run that has just begun: tables without rows, with one row, and with nothing that is known.
    units = "# dropmd 0.1.0, units: real (length A, energy kcal/mol, time fs, temperature K)\n"
    for name, text in {
            "status.json": '{\n  "step": 0, "steps": 5, "time": 0, "state": "running"\n}\n',
            "energy.csv": units + "step,time,potential,vdw,kinetic,total,temperature\n",
            "ledger.csv": units + "step,time,total,conserved,bath\n0,0,-1,-1,nan\n",
            "droplet.csv": units + "step,time,molecules,radius,temperature\n0,0,1,nan,nan\n",
            "events.csv": units + "step,time,event,molecule,name,charge,kinetic,cluster_molecules\n",
            "profile.csv": units + "step,r,density_A,temperature,charge_density,potential\n0,1,nan,nan,nan,nan\n",
            "trajectory.xyz": "1\nProperties=species:S:1:pos:R:3\nAr 0 0 0\n"}.items():
        (folder / "begun").mkdir(exist_ok=True)
        (folder / "begun" / name).write_text(text)
    for name in ("droplet", "map", "begun", "ensemble"):
        run("report", name)


class ReportPage(unittest.TestCase):
    browser = folder = pictures = None

    def open(self, name, script=None, **options):
        """Opens a page; when the test ends, anything that went wrong in it fails the test."""
        context = self.browser.new_context(**{**DESKTOP, **options})
        page = context.new_page()
        page.set_default_timeout(20_000)
        wrong, url = [], (self.folder / name / "report.html").as_uri()
        page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
        page.on("console", lambda message: message.type == "error" and wrong.append(f"console: {message.text}"))
        page.on("dialog", lambda dialog: (wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: request.url != url and not request.url.startswith("data:")
                and wrong.append(f"request: {request.url}"))
        if script:
            page.add_init_script(script)
        page.goto(url)
        runs_scripts = options.get("java_script_enabled", True)
        if runs_scripts:
            self.settle(page)

        def close():
            if runs_scripts:
                self.settle(page)
            context.close()
            self.assertEqual(wrong, [])
        self.addCleanup(close)
        return page

    @staticmethod
    def settle(page):
        """Waits until what is to be drawn is drawn: two frames of the browser."""
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def look(self, page, selector):
        self.settle(page)
        return page.locator(selector).first.evaluate(LOOK)

    def drag(self, page, selector, begin, end):
        """Drags across an element, from one share of its size to another."""
        element = page.locator(selector).first
        element.scroll_into_view_if_needed()
        box = element.bounding_box()
        points = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in (begin, end)]
        page.mouse.move(*points[0])
        page.mouse.down()
        page.mouse.move(*points[1], steps=5)
        page.mouse.up()
        self.settle(page)

    def picture(self, page, name):
        if self.pictures:
            page.screenshot(path=self.pictures / f"{name}.png", full_page=True)

    def test_canvases_are_not_blank(self):
        for name in ("droplet", "map"):
            page = self.open(name)
            looks = page.locator("canvas:visible").evaluate_all(f"all => all.map({LOOK})")
            self.assertGreater(len(looks), 5)
            for number, look in enumerate(looks):
                self.assertGreater(look["colours"], 8, f"canvas {number} of {name}")
            self.picture(page, f"{name}-desktop")

    def test_texts_are_those_of_the_run(self):
        page = self.open("droplet")
        self.assertEqual(page.title(), TITLE)
        self.assertEqual(page.inner_text("h1"), TITLE)
        self.assertIn("finished, step 440 of 440", page.inner_text(".state"))
        page.click("#event-summary")
        self.assertIn('</td><b>&"NA"', page.inner_text("#event-list"))
        self.assertIn("List of 20 events", page.inner_text("#event-summary"))
        self.assertIn("Potential map: the run makes none", page.inner_text("#missing"))
        titles = page.locator("#charts figcaption").all_inner_texts()
        for title in ("Energies", "Temperature", "Molecules", "Radius of the droplet", "Events so far"):
            self.assertIn(title, titles)

    def test_zoom_pan_and_reset_change_the_range_of_all_charts(self):
        page = self.open("droplet")
        chart, other = "#charts figure:nth-child(1) canvas", "#charts figure:nth-child(2) canvas"
        whole, before = page.inner_text("#range"), self.look(page, other)["sum"]
        self.drag(page, chart, (0.4, 0.5), (0.7, 0.5))
        zoomed = page.inner_text("#range")
        self.assertNotEqual(zoomed, whole)
        page.mouse.move(1, 1)
        self.assertNotEqual(self.look(page, other)["sum"], before)
        page.click("#pan")
        self.drag(page, chart, (0.5, 0.5), (0.6, 0.5))
        panned = page.inner_text("#range")
        self.assertNotIn(panned, (whole, zoomed))
        page.focus(chart)
        page.keyboard.press("Shift+ArrowRight")
        self.assertNotEqual(page.inner_text("#range"), panned)
        page.click("#reset")
        self.assertEqual(page.inner_text("#range"), whole)
        page.click("#zoom")
        page.locator(chart).dblclick()
        page.click("#closer")
        page.click("#wider")
        self.assertEqual(page.inner_text("#range"), whole)

    def test_the_cursor_has_a_read_out(self):
        page = self.open("droplet")
        page.hover("#charts figure:nth-child(1) canvas")
        self.settle(page)
        self.assertRegex(page.inner_text("#charts figure:nth-child(1) output"), r"time \d+ · total −\d+")
        self.assertRegex(page.inner_text("#charts figure:nth-child(2) output"), r"time \d+ · ", "of all charts")
        page.mouse.move(1, 1)
        page.focus("#charts figure:nth-child(1) canvas")
        page.keyboard.press("ArrowRight")
        self.settle(page)
        first = page.inner_text("#charts figure:nth-child(1) output")
        page.keyboard.press("ArrowRight")
        self.settle(page)
        self.assertNotEqual(page.inner_text("#charts figure:nth-child(1) output"), first)

    def test_names_hide_lines_and_elements(self):
        page = self.open("droplet")
        for button, canvas in (("#charts .legend button", "#charts canvas"), ("#kinds button", "#views canvas")):
            page.mouse.move(1, 1)
            before = self.look(page, canvas)["sum"]
            page.locator(button).first.click()
            page.mouse.move(1, 1)
            self.assertNotEqual(self.look(page, canvas)["sum"], before)
            self.assertEqual(page.locator(button).first.get_attribute("aria-pressed"), "false")
            page.locator(button).first.click()
            page.mouse.move(1, 1)
            self.assertEqual(self.look(page, canvas)["sum"], before)

    def turn_views(self, page):
        view, other = "#views figure:nth-child(1) canvas", "#views figure:nth-child(2) canvas"
        before = [self.look(page, canvas)["sum"] for canvas in (view, other)]
        self.drag(page, view, (0.4, 0.4), (0.6, 0.5))
        turned = [self.look(page, canvas)["sum"] for canvas in (view, other)]
        self.assertNotEqual(turned[0], before[0])
        self.assertNotEqual(turned[1], before[1], "both views turn")
        page.focus(view)
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("+")
        self.assertNotEqual(self.look(page, view)["sum"], turned[0])
        page.keyboard.press("0")
        self.assertEqual([self.look(page, canvas)["sum"] for canvas in (view, other)], before)

    def test_views_turn(self):
        page = self.open("droplet")
        self.assertGreater(self.look(page, "#views canvas")["colours"], 1000, "shaded")
        self.turn_views(page)

    def test_views_turn_without_webgl(self):
        page = self.open("droplet", script=NO_WEBGL)
        self.assertGreater(self.look(page, "#views canvas")["colours"], 1000, "shaded")
        self.turn_views(page)
        self.picture(page, "droplet-without-webgl")

    def test_wall_time_by_phase_and_part(self):
        page = self.open("droplet")
        self.assertRegex(page.inner_text("#timings-text"), r"s up to step 440: 440 steps, .* steps per second")
        rows = page.locator("#timings-phases tbody tr")
        self.assertGreater(rows.count(), 4)
        self.assertRegex(rows.first.inner_text(), r"\w+\s+\d+(\.\d+)?\s+\d+(\.\d+)?\s+\d+(\.\d+)? %")
        widths = page.locator("#timings-phases .share").evaluate_all("all => all.map(bar => bar.clientWidth)")
        self.assertEqual(len(widths), rows.count())
        self.assertGreater(widths[0], 20)
        self.assertEqual(widths[:-1], sorted(widths[:-1], reverse=True), "the longest phase is the first")
        page.click("#timings-summary")
        self.assertEqual(page.locator("#timings-parts tbody tr").count(), 2)
        self.assertIn("Wall time by phase: there is no timings.csv", self.open("begun").inner_text("#missing"))

    def test_profiles_of_another_step(self):
        page = self.open("droplet")
        canvas = "#profile-charts canvas"
        before = self.look(page, canvas)["sum"]
        page.select_option("#block", "1")
        self.assertNotEqual(self.look(page, canvas)["sum"], before)
        self.assertEqual(page.input_value("#block-slider"), "1")

    def test_planes_of_a_map(self):
        page = self.open("map")
        before = self.look(page, "#slice")["sum"]
        page.hover("#slice")
        self.assertRegex(page.inner_text("#slice-value"), r"x .* · y .* Å · .* V")
        page.locator("#map-axes button").nth(1).click()
        self.assertNotEqual(self.look(page, "#slice")["sum"], before)

    def test_an_ensemble_has_means_and_charts(self):
        page = self.open("ensemble")
        self.picture(page, "ensemble")
        self.assertEqual(page.locator("#run-list tbody tr").count(), 6)
        self.assertEqual(page.locator("#means-table tbody tr").count(), 2)
        self.assertEqual(page.locator("#means-chart canvas").count(), 1)
        for selector in ("#means-chart canvas", "#charts canvas"):
            self.assertGreater(self.look(page, selector)["colours"], 5)
        before = page.locator("#means-table tbody").inner_text()
        page.locator("#quantity").select_option("potential")
        self.assertNotEqual(page.locator("#means-table tbody").inner_text(), before)
        self.assertGreater(self.look(page, "#means-chart canvas")["colours"], 5)

    def test_fits_a_phone(self):
        for name in ("droplet", "map", "ensemble"):
            page = self.open(name, **PHONE)
            widths = page.evaluate("[document.documentElement.scrollWidth, screen.width]")
            self.assertLessEqual(widths[0], widths[1])
            self.picture(page, f"{name}-phone")

    def test_a_run_that_has_just_begun(self):
        page = self.open("begun")
        self.assertIn("running, step 0 of 5", page.inner_text(".state"))
        self.assertGreater(self.look(page, "#views canvas")["colours"], 100)
        self.assertIn("there is no checkpoint yet", page.inner_text("#missing"))
        self.picture(page, "begun")

    def test_dark_scheme(self):
        page = self.open("droplet", color_scheme="dark")
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        self.assertEqual(background, "rgb(18, 22, 27)")
        self.picture(page, "droplet-dark")

    def test_prints_in_black_on_white_with_everything_unfolded(self):
        page = self.open("droplet", color_scheme="dark")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(page.locator("details:not([open])").count(), 0)
        self.assertEqual(page.evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
        corner = "c => [...c.getContext('2d').getImageData(1, 1, 1, 1).data].slice(3).concat(colourOf('--ink'))"
        self.assertEqual(page.locator("#charts canvas").first.evaluate(corner), [0, "#000000"])
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        self.assertEqual(page.locator("details[open]").count(), 0)
        pdf = page.pdf(format="A4", print_background=True)
        self.assertGreater(len(pdf), 50_000)
        if self.pictures:
            (self.pictures / "droplet.pdf").write_bytes(pdf)

    def test_says_what_it_can_without_scripts(self):
        page = self.open("droplet", java_script_enabled=False)
        text = page.locator("body").inner_text()
        self.assertIn("Charts and views need JavaScript", text)
        self.assertIn("finished, step 440 of 440", text)


def main():
    program, *more = sys.argv[1:]
    if more:
        ReportPage.pictures = Path(more[more.index("--pictures") + 1]).absolute()
        ReportPage.pictures.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        path = browser_path(playwright)
        if not path:
            print("no Chromium (apt-get install chromium, or playwright install chromium)")
            return 77
        ReportPage.folder = Path(folder)
        make_pages(Path(program).absolute(), ReportPage.folder)
        # Root has no sandbox, and machines without a GPU draw WebGL in software.
        ReportPage.browser = playwright.chromium.launch(
            executable_path=path, timeout=60_000, args=["--no-sandbox", "--enable-unsafe-swiftshader"])
        result = unittest.main(argv=sys.argv[:1], exit=False, verbosity=2).result
        ReportPage.browser.close()
        return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
