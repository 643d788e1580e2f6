"use strict";
// Puts the data of the page into its sections: which columns of which tables make a chart, and what tables show.

const kParts = kData.parts;

const kEventColours = { evaporated: "--c5", condensed: "--c2", ejected: "--c6", removed: "--c3" };

/** Draws the charts against time. */
function showTimeCharts() {
  const range = new Range(), parent = byId("charts");
  const energy = columnsOf(kParts.energy), ledger = columnsOf(kParts.ledger), droplet = columnsOf(kParts.droplet);
  const events = columnsOf(kParts.events);
  const first = Object.values({ ...droplet, ...energy }).length ? (energy.time ? energy : droplet) : null;
  if (!first) return;
  // A minimiser has steps, but no time.
  const across = first.time.y[first.time.y.length - 1] > 0 || !first.step ? "time" : "step";
  const xLabel = label(across, first[across].unit);
  const marks = Object.entries(kEventColours).flatMap(([name, colour]) =>
    [...(events[name]?.y ?? [])].flatMap((count, k) => (count > (events[name].y[k - 1] ?? 0) ? [{ x: events.time.y[k], colour }] : [])));
  const chart = (title, table, names, more = {}) => {
    const x = table[across]?.y;
    const series = names.filter((name) => table[name]?.y.some(Number.isFinite))
      .map((name) => ({ name: words(name), unit: table[name].unit, x, y: table[name].y, ...more.of?.(name) }));
    if (!x?.length || !series.length) return;
    new Chart(parent, { title, xLabel, yLabel: label(more.quantity ?? title.toLowerCase(), table[names.find((name) => table[name])].unit), series, range, marks: more.marks });
  };
  const parts = Object.keys(energy).slice(3, Object.keys(energy).indexOf("kinetic"));
  const varies = (column) => column?.y.some((value) => value !== column.y[0] && Number.isFinite(value));
  chart("Energies", energy, ["total", "potential", "kinetic", "conserved"], { quantity: "energy" });
  chart("Components of the potential energy", energy, parts.filter((name) => varies(energy[name]) || energy[name].y[0]), { quantity: "energy" });
  const kept = energy.conserved ?? energy.total;
  if (kept) {
    const drift = { ...energy, drift: { ...kept, y: kept.y.map((value) => value - kept.y[0]) } };
    chart(energy.conserved ? "Conserved energy relative to the start" : "Total energy relative to the start", drift, ["drift"], { quantity: "energy" });
  }
  chart("Energy that came in, by cause", ledger, Object.keys(ledger).slice(4).filter((name) => !name.startsWith("removed_")), { quantity: "energy" });
  chart("Temperature", { ...energy }, ["temperature"]);
  chart("Temperature of droplet and vapour", droplet, ["temperature", "vapour_temperature"], {
    quantity: "temperature", of: (name) => ({ name: name === "temperature" ? "droplet" : "vapour" }),
  });
  chart("Molecules", droplet, ["molecules", "vapour_molecules", "clusters"], {
    quantity: "number", marks, of: (name) => ({ name: { molecules: "in the droplet", vapour_molecules: "in the vapour", clusters: "clusters" }[name], hidden: name === "clusters" }),
  });
  chart("Radius of the droplet", droplet, ["radius"], { quantity: "radius" });
  if (varies(droplet.charge) || droplet.charge?.y[0]) chart("Charge of the droplet", droplet, ["charge"], { quantity: "charge" });
  if (varies(droplet.rayleigh_share) || droplet.rayleigh_share?.y[0]) chart("Share of Rayleigh’s limit", droplet, ["rayleigh_share"], { quantity: "share" });
  chart("Shape: principal values of the gyration tensor", droplet, ["gyration_1", "gyration_2", "gyration_3"], { quantity: "gyration" });
  if (kParts.events?.rows && across === "time") {
    chart("Events so far", events, Object.keys(kEventColours).filter((name) => varies(events[name]) || events[name].y[0]), {
      quantity: "molecules", of: (name) => ({ steps: true, colour: kEventColours[name] }),
    });
  }
  for (const name of ["energy", "ledger", "droplet", "events"]) {
    if (kParts[name]) element(byId("thinned"), "li", { text: rowsText(`${name}.csv`, kParts[name]) });
  }
  if (marks.length) element(byId("thinned"), "li", { text: "Short lines at the lower edge of “Molecules” are events, in the colours of “Events so far”." });
  byId("time").hidden = !range.charts.length;
  showToolbar(range, first[across].unit, across);
}

function showEvents() {
  const events = kParts.events;
  if (!events) return;
  byId("events").hidden = false;
  fillTable(byId("event-totals"), ["Event", "how often", "molecules"], events.totals.map((total) => [total.event, total.events, total.molecules]));
  const count = events.list.length, unit = events.columns[0].unit;
  byId("event-summary").textContent = count < events.rows ? `The last ${count} of ${events.rows} events` : `List of ${counted(count, "event")}`;
  byId("event-summary").parentElement.hidden = !count;
  fillTable(byId("event-list"), [label("time", unit), "event", "name", "molecule", "molecules", label("charge", events.charge_unit), label("kinetic", events.energy_unit)],
    events.list.map((event) => [event.time, event.event, event.name, event.molecule, event.molecules, event.charge, event.kinetic]));
}

/** Draws the profiles of the chosen step, beside those of the first. */
function showProfiles() {
  const profile = kParts.profile;
  if (!profile?.blocks.length) return;
  byId("profile").hidden = false;
  const columns = columnsOf(profile), shells = profile.shells, select = byId("block"), slider = byId("block-slider");
  profile.blocks.forEach((step, k) => element(select, "option", { value: k, text: `step ${step}` }));
  slider.max = profile.blocks.length - 1;
  const rowsOf = (column, block) => column.y.subarray(block * shells, (block + 1) * shells);
  const draw = () => {
    const block = Number(select.value), compares = byId("compare").checked && block > 0, range = new Range();
    byId("profile-charts").replaceChildren();
    const chart = (title, names) => {
      const of = (name, b, more) => ({ name: words(name).replace("density ", "") + (more.dashed ? " at first" : ""), unit: columns[name].unit, x: rowsOf(columns.r, b), y: rowsOf(columns[name], b), ...more });
      const series = names.flatMap((name, k) => {
        const colour = `--c${k % 10}`;
        return [of(name, block, { colour }), ...(compares ? [of(name, 0, { colour, dashed: true })] : [])];
      });
      if (series.some((one) => one.y.some(Number.isFinite))) {
        new Chart(byId("profile-charts"), { title, xLabel: label("r", columns.r.unit), yLabel: label(title.toLowerCase(), columns[names[0]].unit), series, range });
      }
    };
    const densities = Object.keys(columns).filter((name) => name.startsWith("density_"));
    if (densities.length) chart("Density", densities);
    chart("Temperature", ["temperature"]);
    chart("Potential", ["potential"]);
    chart("Charge density", ["charge_density"]);
  };
  const choose = (block) => {
    select.value = slider.value = block;
    draw();
  };
  select.addEventListener("change", () => choose(select.value));
  slider.addEventListener("input", () => choose(slider.value));
  byId("compare").addEventListener("change", draw);
  choose(profile.blocks.length - 1);
  const some = profile.blocks.length < profile.written ? `${profile.blocks.length} of ${profile.written} profiles, evenly chosen` : `${profile.written > 1 ? "all " : ""}${counted(profile.written, "profile")}`;
  element(byId("profile-note"), "li", { text: `profile.csv: ${some}; each is a mean over the labels since the previous one, the first over only one label.` });
}

function showClusters() {
  const clusters = kParts.clusters;
  if (!clusters) return;
  byId("clusters").hidden = false;
  byId("cluster-text").textContent = `Step ${clusters.step}: ${counted(clusters.molecules, "molecule")} in ${counted(clusters.clusters, "cluster")}; molecules with sites nearer than ${shown(clusters.link_distance)} ${kData.length} belong together.`;
  const most = 30, sizes = [...clusters.sizes].reverse();
  const rows = sizes.slice(0, most).map(([size, number]) => [size, number, (size * number) / clusters.molecules]);
  fillTable(byId("cluster-sizes"), ["Molecules in a cluster", "clusters", "share of all molecules"], rows.map(([size, number, share]) => [size, number, `${shown(100 * share, 3)} %`]));
  addBars(byId("cluster-sizes"), rows.map((row) => row[2]));
  if (sizes.length > most) byId("cluster-text").textContent += ` The table has the ${most} largest of ${sizes.length} sizes.`;
}

/** Shows where the wall time went, and how fast each part of the run was. */
function showTimings() {
  const timings = kParts.timings;
  if (!timings) return;
  byId("timings").hidden = false;
  const { seconds, steps, phases, parts } = timings;
  const last = parts[parts.length - 1].last_step;
  const rate = (made, time) => (made > 0 && time > 0 ? made / time : null);
  const speed = rate(steps, seconds);
  const again = steps - (last - parts[0].first_step);
  byId("timings-text").textContent = `${shown(seconds, 4)} s up to step ${last}` + (speed ? `: ${counted(steps, "step")}, ${shown(speed, 4)} steps per second, inputs and outputs included.` : ".") +
    (again > 0 ? ` Since the run resumed from checkpoints, ${counted(again, "step was", "steps were")} repeated.` : "");
  const few = (value) => (value === null ? null : Number(value.toPrecision(4)));
  const share = (phase) => (seconds > 0 ? phase.seconds / seconds : 0);
  fillTable(byId("timings-phases"), ["Phase", "seconds", "µs per step", "share"],
    phases.map((phase) => [phase.name, few(phase.seconds), few(steps > 0 ? 1e6 * phase.seconds / steps : null), `${shown(100 * share(phase), 3)} %`]));
  addBars(byId("timings-phases"), phases.map(share));
  byId("timings-summary").parentElement.hidden = parts.length === 1;
  byId("timings-summary").textContent = `The ${counted(parts.length, "part")} of the run`;
  fillTable(byId("timings-parts"), ["From step", "to step", "seconds", "steps per second"],
    parts.map((part) => [part.first_step, part.last_step, few(part.seconds), few(rate(part.last_step - part.first_step, part.seconds))]));
}

function showMap() {
  const map = kParts.map;
  if (!map) return undefined;
  byId("map").hidden = false;
  const picture = new MapPicture(byId("slice"), byId("slice-value"), map, kData.length);
  map.slices.forEach((slice, k) => {
    const button = element(byId("map-axes"), "button", { type: "button", "aria-pressed": String(k === 0), text: `${slice.axis} = ${shown(slice.at, 4)} ${kData.length}` });
    button.addEventListener("click", () => {
      byId("map-axes").querySelectorAll("button").forEach((each) => each.setAttribute("aria-pressed", String(each === button)));
      picture.choose(slice);
    });
  });
  const every = map.slices[0].every > 1 ? ` One of every ${map.slices[0].every} points along an axis is shown.` : "";
  byId("slice-text").textContent = `Mean of ${counted(map.frames, "map")}. Red is negative, blue is positive; the colours cover 98% of the points of a plane. Circles are atoms up to ${map.atom_distance} ${kData.length} from the plane at step ${map.step}, with the colour of their charge.${every}`;
  return picture;
}

function showAtoms() {
  if (!kParts.frames) return;
  byId("atoms").hidden = false;
  const camera = new Camera(), kinds = new Map();
  for (const frame of kParts.frames) {
    new View(byId("views"), frame, camera, kData.length);
    for (const kind of frame.kinds) if (kind.count) kinds.set(kind.name, kind);
  }
  for (const kind of kinds.values()) {
    const button = element(byId("kinds"), "button", { type: "button", "aria-pressed": "true" });
    element(button, "i", { style: `--swatch: rgb(${colourOfKind(kind).map((part) => Math.round(255 * part)).join(",")})` });
    button.append(kind.name);
    button.addEventListener("click", () => {
      const hides = !camera.hidden.delete(kind.name);
      if (hides) camera.hidden.add(kind.name);
      button.setAttribute("aria-pressed", String(!hides));
      for (const view of camera.views) view.show();
      camera.draw();
    });
  }
  return camera;
}

const kCamera = showAtoms();
showTimeCharts();
showEvents();
showProfiles();
showClusters();
const kMap = showMap();
showTimings();
listContents();
watchAppearance(() => {
  for (const view of kCamera?.views ?? []) view.draw();
  kMap?.draw();
});
