"use strict";
// The page of an ensemble: means over runs with the same values, runs against time, and a table of the runs.

const kRuns = kData.runs;

/** Returns the runs by their varied values, in the order in which these first occur: [{values, runs}]. */
function groupsOfRuns() {
  const groups = new Map();
  for (const run of kRuns) {
    const key = JSON.stringify(run.values);
    if (!groups.has(key)) groups.set(key, { values: run.values, runs: [] });
    groups.get(key).runs.push(run);
  }
  return [...groups.values()];
}

/** Returns mean, standard deviation and standard error of the means of runs; NaN where they are not known. */
function spreadOf(values) {
  const n = values.length, mean = values.reduce((sum, value) => sum + value, 0) / n;
  const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1));
  return { n, mean, deviation: n > 1 ? deviation : NaN, error: n > 1 ? deviation / Math.sqrt(n) : NaN };
}

/** Returns what is known of a quantity in each group: [{values, n, mean, deviation, error, block}]. */
function statisticsOf(quantity) {
  return groupsOfRuns().map(({ values, runs }) => {
    const found = runs.filter((run) => run.good && run.means[quantity]).map((run) => run.means[quantity]);
    const errors = found.map(([, error]) => error).filter((error) => error !== null);
    const block = errors.length ? Math.sqrt(errors.reduce((sum, error) => sum + error ** 2, 0) / errors.length) : NaN;
    return { values, ...spreadOf(found.map(([mean]) => mean)), block };
  });
}

function showMeans() {
  const quantities = Object.keys(kData.quantities), select = byId("quantity");
  if (!quantities.length) return;
  byId("means").hidden = false;
  for (const name of quantities) element(select, "option", { value: name, text: words(name) });
  select.value = ["temperature", "droplet_molecules"].find((name) => quantities.includes(name)) ?? quantities[0];
  const draw = () => {
    const name = select.value, unit = kData.quantities[name], groups = statisticsOf(name);
    byId("means-table").replaceChildren();
    const few = (value) => (Number.isFinite(value) ? Number(value.toPrecision(6)) : null);
    fillTable(byId("means-table"), [...kData.keys, "runs", label("mean", unit), "standard error", "between runs", "within a run"],
      groups.map((group) => [...group.values, group.n, ...[group.mean, group.error, group.deviation, group.block].map(few)]));
    drawMeans(name, unit, groups);
  };
  byId("means-text").textContent = `Of the ${counted(kRuns.filter((run) => run.good).length, "run")} that reached their aim, from step ${kData.means_from} on. ` +
    "The standard error is that of the mean over runs; “between runs” is the standard deviation of their means, “within a run” the error that blocks of a run give (root mean square), which should be about as large.";
  select.addEventListener("change", draw);
  draw();
}

/** Draws the means against the value of the only key that is varied, if it is a number. */
function drawMeans(name, unit, groups) {
  byId("means-chart").replaceChildren();
  const points = groups.map((group) => ({ x: Number(group.values[0]), ...group })).filter((point) => point.n > 0).sort((a, b) => a.x - b.x);
  if (kData.keys.length !== 1 || points.length < 2 || points.some((point) => !Number.isFinite(point.x))) return;
  const line = (words, of, more = {}) => ({ name: words, unit, x: points.map((point) => point.x), y: points.map(of), ...more });
  new Chart(byId("means-chart"), {
    title: `Mean of ${words(name)}`, xLabel: kData.keys[0], yLabel: label(words(name), unit), range: new Range(),
    series: [line("mean", (point) => point.mean, { colour: "--c0" }), line("mean + standard error", (point) => point.mean + point.error, { colour: "--c0", dashed: true }),
      line("mean − standard error", (point) => point.mean - point.error, { colour: "--c0", dashed: true })],
  });
}

/** Draws the runs for which the page has series over each other. */
function showTimeCharts() {
  const drawn = kRuns.filter((run) => run.energy || run.droplet), range = new Range();
  const named = (run) => [run.number, ...run.values].join(", ");
  // Charges that are zero throughout have no chart.
  const chart = (title, table, name, quantity) => {
    const series = drawn.map((run) => ({ run, columns: columnsOf(run[table]) })).filter(({ columns }) => columns[name]?.y.some(Number.isFinite));
    if (!series.some(({ columns }) => columns[name].y.some((value) => Number.isFinite(value) && value !== 0))) return;
    const unit = series[0].columns[name].unit;
    new Chart(byId("charts"), { title, xLabel: label("time", series[0].columns.time.unit), yLabel: label(quantity, unit), range,
      series: series.map(({ run, columns }) => ({ name: named(run), unit, x: columns.time.y, y: columns[name].y })) });
  };
  chart("Temperature", "energy", "temperature", "temperature");
  chart("Potential energy", "energy", "potential", "energy");
  chart("Molecules in the droplet", "droplet", "molecules", "number");
  chart("Charge of the droplet", "droplet", "charge", "charge");
  byId("time").hidden = !range.charts.length;
  if (!range.charts.length) return;
  byId("time-text").textContent = `Lines are runs, by number${kData.keys.length ? " and values" : ""}.` +
    (drawn.length < kRuns.length ? ` ${drawn.length} of ${kRuns.length} are shown.` : "");
  showToolbar(range, columnsOf(drawn[0].energy ?? drawn[0].droplet).time.unit, "time");
}

showMeans();
showTimeCharts();
fillTable(byId("run-list"), ["Run", ...kData.keys, "seed", "end", "steps", "message"],
  kRuns.map((run) => [run.number, ...run.values, run.seed, run.end, run.steps, run.message]));
listContents();
watchAppearance();
