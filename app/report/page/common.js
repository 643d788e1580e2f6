"use strict";
// What the pages of runs and of ensembles share: the data, tables, the toolbar of charts, print.

const kData = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

/** Returns the columns of a table of the data by name: {name, unit, y}. */
function columnsOf(table) {
  return Object.fromEntries((table?.columns ?? []).map((column) => [column.name, { ...column, y: numbersOf(column) }]));
}

/** Returns "1 row", "2 rows". */
function counted(number, one, more = `${one}s`) {
  return `${number} ${number === 1 ? one : more}`;
}

/** Says how many rows of a file a chart shows. */
function rowsText(file, table) {
  const lost = table.skipped ? ` ${counted(table.skipped, "damaged row is", "damaged rows are")} left out.` : "";
  if (table.shown >= table.rows) return `${file}: ${table.rows > 1 ? "all " : ""}${counted(table.rows, "row")}.${lost}`;
  return `${file}: ${table.shown} of ${table.rows} rows; of each stretch, those with the least and the greatest values.${lost}`;
}

function label(name, unit) {
  return unit ? `${name} (${unit})` : name;
}

/** Returns the words for the name of a column. */
function words(name) {
  const known = { vdw: "van der Waals", coulomb: "Coulomb", lj_14: "van der Waals 1-4", coulomb_14: "Coulomb 1-4", urey_bradley: "Urey-Bradley" };
  return known[name] ?? name.replaceAll("_", " ");
}

/** Connects the buttons for the range of time. */
function showToolbar(range, unit, across) {
  for (const mode of ["zoom", "pan"]) {
    byId(mode).addEventListener("click", () => {
      range.mode = mode;
      for (const each of ["zoom", "pan"]) byId(each).setAttribute("aria-pressed", String(each === mode));
    });
  }
  byId("closer").addEventListener("click", () => range.scale(0.5));
  byId("wider").addEventListener("click", () => range.scale(2));
  byId("reset").addEventListener("click", () => range.reset());
  range.changed = () => { byId("range").textContent = `${across} ${shown(range.low, 5)} to ${shown(range.high, 5)} ${unit}`; };
  range.changed();
}

/** Fills a table: names of columns, then rows of texts and numbers. */
function fillTable(table, names, rows) {
  const head = element(element(table, "thead"), "tr");
  const isNumber = (value) => typeof value === "number" || value === null;
  names.forEach((name, c) => element(head, "th", { scope: "col", text: name, class: isNumber(rows[0]?.[c]) ? "number" : "" }));
  const body = element(table, "tbody");
  for (const row of rows) {
    const line = element(body, "tr");
    for (const value of row) element(line, "td", { text: isNumber(value) ? shown(value ?? NaN, Number.isSafeInteger(value) ? 16 : 6) : value, class: isNumber(value) ? "number" : "" });
  }
}

/** Appends a column of bars to the rows of a table. shares: of the longest bar, 0 to 1. */
function addBars(table, shares) {
  table.querySelectorAll("tbody tr").forEach((line, k) => element(element(line, "td"), "span", { class: "share", style: `--share: ${shares[k].toFixed(4)}` }));
}

/** Lists the sections that are shown at the head of the page. */
function listContents() {
  for (const section of document.querySelectorAll("main > section:not([hidden])")) {
    element(byId("contents"), "a", { href: `#${section.id}`, text: section.querySelector("h2").textContent });
  }
}

/**
 * Draws everything again when colours change: with the system's scheme, and for print, which is black on white with
 * everything unfolded.
 */
function watchAppearance(drawMore = () => {}) {
  const drawAll = () => {
    drawMore();
    for (const canvas of document.querySelectorAll("figure.chart canvas")) canvas.dispatchEvent(new Event("redraw"));
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  let foldedBefore = [];
  addEventListener("beforeprint", () => {
    document.documentElement.classList.add("printing");
    foldedBefore = [...document.querySelectorAll("details:not([open])")];
    for (const details of foldedBefore) details.open = true;
    drawAll();
  });
  addEventListener("afterprint", () => {
    document.documentElement.classList.remove("printing");
    for (const details of foldedBefore) details.open = false;
    drawAll();
  });
}
