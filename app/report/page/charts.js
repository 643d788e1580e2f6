"use strict";
// Line charts on canvases: zoom by dragging, pan, reset, a cursor with read-out, all by mouse, touch and keyboard.

/** Returns the numbers of a column of the page's data: base64 of Float32, to which its offset is added. */
function numbersOf(column) {
  return Float64Array.from(new Float32Array(bytesOf(column.data).buffer), (value) => value + column.offset);
}

/** Returns the bytes that a base64 text stands for. */
function bytesOf(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

/** Returns the value of a CSS variable, such as "--ink". */
function colourOf(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Whether the page is being drawn for paper. */
function isPrinting() {
  return document.documentElement.classList.contains("printing");
}

/** Makes an element with attributes (text: its contents) in a parent. */
function element(parent, name, attributes = {}) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "text") made.textContent = value;
    else made.setAttribute(key, value);
  }
  return parent.appendChild(made);
}

/** Numbers on an axis: multiples of 1, 2 or 5 times a power of ten, about `wanted` of them, and how they are written. */
class Ticks {
  constructor(low, high, wanted) {
    const least = (high - low) / Math.max(wanted, 1);
    const power = 10 ** Math.floor(Math.log10(least));
    this.step = power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10);
    this.values = [];
    for (let k = Math.ceil(low / this.step - 1e-9); k * this.step <= high + 1e-9 * this.step && this.values.length < 50; ++k) {
      this.values.push(k * this.step);
    }
    this.exponential = Math.max(Math.abs(low), Math.abs(high)) >= 1e6 || this.step < 1e-4;
  }
  text(value) {
    if (Math.abs(value) < 1e-6 * this.step) return "0";
    if (this.exponential) return Number(value.toPrecision(6)).toExponential().replace("e+", "e").replace("-", "−");
    return value.toFixed(Math.max(0, -Math.floor(Math.log10(this.step) + 1e-9))).replace("-", "−");
  }
}

/** Returns a number for a read-out, or a dash for one that is not known. */
function shown(value, digits = 7) {
  return Number.isFinite(value) ? String(Number(value.toPrecision(digits))).replace("-", "−") : "–";
}

/** The range of x that several charts share, and the cursor in it. */
class Range {
  constructor() {
    this.charts = [];
    this.mode = "zoom";
    this.cursor = NaN;
    this.changed = () => {};
  }
  /** Adds a chart with values of x from `low` to `high`. */
  add(chart, low, high) {
    this.charts.push(chart);
    this.least = Math.min(this.least ?? low, low);
    this.greatest = Math.max(this.greatest ?? high, high);
    this.low = this.least;
    this.high = this.greatest;
  }
  set(low, high) {
    const widest = this.greatest - this.least;
    const width = Math.min(Math.max(high - low, widest * 1e-6), widest);
    this.low = Math.min(Math.max((low + high - width) / 2, this.least), this.greatest - width);
    this.high = this.low + width;
    this.draw();
    this.changed();
  }
  reset() { this.set(this.least, this.greatest); }
  move(share) { this.set(this.low + share * (this.high - this.low), this.high + share * (this.high - this.low)); }
  /** Makes the range wider by a factor about a point that stays where it is. */
  scale(factor, about = (this.low + this.high) / 2) {
    this.set(about + (this.low - about) * factor, about + (this.high - about) * factor);
  }
  point(x) {
    this.cursor = x;
    this.draw();
  }
  /** Draws all charts in the next frame of the browser. */
  draw() {
    this.waiting ??= requestAnimationFrame(() => {
      this.waiting = undefined;
      for (const chart of this.charts) chart.draw();
    });
  }
}

/**
 * A chart in a figure of `parent`. series: {name, unit, x, y} with arrays x (ascending) and y; steps: drawn as steps;
 * marks: {x, colour, name} of short lines at the lower edge. range: a Range.
 */
class Chart {
  constructor(parent, { title, xLabel, yLabel, series, marks = [], range }) {
    Object.assign(this, { title, xLabel, yLabel, marks, range });
    this.figure = element(parent, "figure", { class: "chart" });
    element(this.figure, "figcaption", { text: title });
    const legend = element(this.figure, "div", { class: "legend" });
    this.canvas = element(this.figure, "canvas", { tabindex: 0, role: "img" });
    this.note = element(this.figure, "output", { class: "note" });
    this.series = series.map((one, k) => ({ ...one, colour: one.colour ?? `--c${k % 10}`, visible: !one.hidden }));
    for (const one of this.series) this.addToLegend(legend, one);
    const times = this.series.flatMap((one) => [one.x[0], one.x[one.x.length - 1]]).filter(Number.isFinite);
    const low = Math.min(...times), high = Math.max(...times);
    range.add(this, low, high > low ? high : low + 1);
    this.canvas.setAttribute("aria-label", `${title}: ${this.series.map((one) => this.summary(one)).join("; ")}`);
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  addToLegend(legend, one) {
    const button = element(legend, "button", { type: "button", "aria-pressed": String(one.visible) });
    element(button, "i", { style: `--swatch: var(${one.colour})`, class: one.dashed ? "dashed" : "" });
    button.append(one.name);
    button.addEventListener("click", () => {
      one.visible = !one.visible;
      button.setAttribute("aria-pressed", String(one.visible));
      this.draw();
    });
  }

  /** Says in words what a line shows, for those who cannot see it. */
  summary(one) {
    const known = one.y.filter(Number.isFinite);
    if (!known.length) return `${one.name} not known`;
    const least = known.reduce((a, b) => Math.min(a, b)), greatest = known.reduce((a, b) => Math.max(a, b));
    return `${one.name} from ${shown(known[0])} to ${shown(known[known.length - 1])} ${one.unit ?? ""}, ` +
           `least ${shown(least)}, greatest ${shown(greatest)}`;
  }

  /** Listens to pointers and keys. */
  listen() {
    const canvas = this.canvas, range = this.range;
    const xAt = (event) => this.xOf(event.clientX - canvas.getBoundingClientRect().left);
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      canvas.setPointerCapture(event.pointerId);
      this.drag = { from: xAt(event), to: xAt(event), pans: range.mode === "pan" || event.shiftKey };
    });
    canvas.addEventListener("pointermove", (event) => {
      const x = xAt(event);
      if (this.drag?.pans) {
        range.set(range.low + this.drag.from - x, range.high + this.drag.from - x);
        return;
      }
      if (this.drag) this.drag.to = x;
      range.point(x);
    });
    canvas.addEventListener("pointerup", () => {
      const drag = this.drag;
      this.drag = undefined;
      const pixels = drag && Math.abs(this.pixelOf(drag.to) - this.pixelOf(drag.from));
      if (drag && !drag.pans && pixels > 4) range.set(Math.min(drag.from, drag.to), Math.max(drag.from, drag.to));
      else range.draw();
    });
    canvas.addEventListener("pointercancel", () => { this.drag = undefined; range.draw(); });
    canvas.addEventListener("pointerleave", () => { if (!this.drag) range.point(NaN); });
    canvas.addEventListener("dblclick", () => range.reset());
    canvas.addEventListener("redraw", () => this.draw());
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;  // else it scrolls the page
      event.preventDefault();
      range.scale(1.002 ** event.deltaY, xAt(event));
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => {
      const sign = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (sign && event.shiftKey) range.move(0.1 * sign);
      else if (sign) range.point(this.neighbour(sign));
      else if (event.key === "+" || event.key === "=") range.scale(0.5, Number.isFinite(range.cursor) ? range.cursor : undefined);
      else if (event.key === "-") range.scale(2);
      else if (event.key === "0" || event.key === "Home" || event.key === "Escape") range.reset();
      else return;
      event.preventDefault();
    });
  }

  /** Returns the x of the point before or after the cursor, or the middle of the chart without a cursor. */
  neighbour(sign) {
    const x = this.series.find((one) => one.visible)?.x ?? this.series[0].x;
    if (!(this.range.cursor >= this.range.low && this.range.cursor <= this.range.high)) return (this.range.low + this.range.high) / 2;
    const k = nearest(x, this.range.cursor);
    return Math.min(Math.max(x[Math.min(Math.max(k + sign, 0), x.length - 1)], this.range.low), this.range.high);
  }

  pixelOf(x) { return this.left + ((x - this.range.low) / (this.range.high - this.range.low)) * this.width; }
  xOf(pixel) { return this.range.low + ((pixel - this.left) / this.width) * (this.range.high - this.range.low); }

  /** Returns the least and the greatest visible value, with a margin. */
  limits() {
    let low = Infinity, high = -Infinity;
    for (const one of this.series.filter((each) => each.visible)) {
      const [from, to] = this.visiblePart(one);
      for (let k = from; k < to; ++k) {
        if (one.y[k] < low) low = one.y[k];
        if (one.y[k] > high) high = one.y[k];
      }
    }
    if (!(low <= high) || !Number.isFinite(high - low)) return [0, 1];
    const margin = high > low ? 0.06 * (high - low) : Math.max(Math.abs(low) * 1e-3, 1e-9);
    return [low - margin, high + margin];
  }
  /** Returns the index of the first point to draw and that after the last: those in range and one on either side. */
  visiblePart(one) {
    return [Math.max(firstFrom(one.x, this.range.low) - 1, 0), Math.min(firstFrom(one.x, this.range.high) + 1, one.x.length)];
  }

  draw() {
    // On paper a chart is smaller than on a screen, so its text is drawn larger there, and with more dots.
    const larger = isPrinting() ? 1.6 : 1, ratio = (isPrinting() ? 3 : window.devicePixelRatio || 1) * larger;
    const clientWidth = this.canvas.clientWidth / larger, clientHeight = this.canvas.clientHeight / larger;
    if (!clientWidth) return;
    this.canvas.width = clientWidth * ratio;
    this.canvas.height = clientHeight * ratio;
    const pen = this.canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.font = "12px system-ui, sans-serif";
    const [low, high] = this.limits();
    const ticks = new Ticks(low, high, clientHeight / 34);
    this.left = 26 + Math.max(...ticks.values.map((value) => pen.measureText(ticks.text(value)).width), 10);
    this.top = 8;
    this.width = Math.max(clientWidth - this.left - 12, 10);
    this.height = clientHeight - this.top - 36;
    const yPixel = (y) => this.top + (1 - (y - low) / (high - low)) * this.height;
    this.drawAxes(pen, ticks, yPixel);
    pen.save();
    pen.beginPath();
    pen.rect(this.left, this.top, this.width, this.height);
    pen.clip();
    this.series.forEach((one, k) => { if (one.visible) this.drawLine(pen, one, k, yPixel); });
    this.drawMarks(pen);
    if (this.drag && !this.drag.pans) {
      pen.globalAlpha = 0.15;
      pen.fillStyle = colourOf("--accent");
      pen.fillRect(this.pixelOf(this.drag.from), this.top, this.pixelOf(this.drag.to) - this.pixelOf(this.drag.from), this.height);
      pen.globalAlpha = 1;
    }
    this.drawCursor(pen, yPixel);
    pen.restore();
  }

  drawAxes(pen, ticks, yPixel) {
    const bottom = this.top + this.height;
    pen.strokeStyle = colourOf("--rule");
    pen.fillStyle = colourOf("--soft");
    pen.lineWidth = 1;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const value of ticks.values) {
      const y = Math.round(yPixel(value)) + 0.5;
      pen.beginPath();
      pen.moveTo(this.left, y);
      pen.lineTo(this.left + this.width, y);
      pen.stroke();
      pen.fillText(ticks.text(value), this.left - 5, y);
    }
    pen.textAlign = "center";
    pen.textBaseline = "top";
    const across = new Ticks(this.range.low, this.range.high, this.width / 60);
    for (const value of across.values) {
      const x = this.pixelOf(value), half = pen.measureText(across.text(value)).width / 2;
      pen.fillRect(Math.round(x), bottom, 1, 4);
      pen.fillText(across.text(value), Math.min(x, this.left + this.width + 10 - half), bottom + 6);
    }
    pen.fillText(this.xLabel, this.left + this.width / 2, bottom + 21);
    pen.strokeStyle = colourOf("--soft");
    pen.strokeRect(this.left + 0.5, this.top + 0.5, this.width - 1, this.height - 1);
    pen.save();
    pen.translate(3, this.top + this.height / 2);
    pen.rotate(-Math.PI / 2);
    pen.fillText(this.yLabel, 0, 0);
    pen.restore();
  }

  drawLine(pen, one, k, yPixel) {
    const [from, to] = this.visiblePart(one);
    const dashes = isPrinting() ? [[], [6, 3], [2, 2], [8, 3, 2, 3]][k % 4] : [];
    pen.strokeStyle = pen.fillStyle = colourOf(one.colour);
    pen.lineWidth = to - from > 1500 ? 1 : 1.6;
    pen.setLineDash(one.dashed ? [5, 4] : dashes);
    pen.beginPath();
    let y = NaN;
    for (let i = from; i < to; ++i) {
      const before = y, x = this.pixelOf(one.x[i]);
      y = yPixel(one.y[i]);
      if (!Number.isFinite(y)) continue;
      if (Number.isFinite(before) && one.steps) pen.lineTo(x, before);
      if (Number.isFinite(before)) pen.lineTo(x, y);
      else pen.moveTo(x, y);
    }
    pen.stroke();
    pen.setLineDash([]);
    if (to - from > 40 || one.steps) return;
    for (let i = from; i < to; ++i) {
      if (!Number.isFinite(one.y[i])) continue;
      pen.beginPath();
      pen.arc(this.pixelOf(one.x[i]), yPixel(one.y[i]), 2.2, 0, 7);
      pen.fill();
    }
  }

  drawMarks(pen) {
    for (const mark of this.marks) {
      pen.fillStyle = colourOf(mark.colour);
      pen.fillRect(this.pixelOf(mark.x) - 0.5, this.top + this.height - 9, 1.5, 9);
    }
  }

  /** Draws the cursor at the nearest point and writes its values below the chart. */
  drawCursor(pen, yPixel) {
    const x = isPrinting() ? NaN : this.range.cursor, words = [];
    const pointed = this.series.filter((one) => one.visible && one.x.length);
    if (Number.isFinite(x) && pointed.length) {
      const at = pointed[0].x[nearest(pointed[0].x, x)];
      words.push(`${this.xLabel.split(" (")[0]} ${shown(at)}`);
      pen.fillStyle = colourOf("--soft");
      pen.fillRect(this.pixelOf(at) - 0.5, this.top, 1, this.height);
      for (const one of pointed) {
        const k = nearest(one.x, at);
        words.push(`${one.name} ${shown(one.y[k])}`);
        if (!Number.isFinite(one.y[k])) continue;
        pen.fillStyle = colourOf(one.colour);
        pen.beginPath();
        pen.arc(this.pixelOf(one.x[k]), yPixel(one.y[k]), 3.5, 0, 7);
        pen.fill();
      }
    }
    this.note.textContent = words.join(" · ");
  }
}

/** Returns the index of the first of ascending numbers that is at least x; their number if there is none. */
function firstFrom(numbers, x) {
  let low = 0, high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the index of the one of ascending numbers that is nearest to x. */
function nearest(numbers, x) {
  const k = Math.min(firstFrom(numbers, x), numbers.length - 1);
  return k > 0 && x - numbers[k - 1] < numbers[k] - x ? k - 1 : k;
}
