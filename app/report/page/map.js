"use strict";
// A plane of a potential map in colours, with atoms near it and the value at the pointer.

/** Colours from the most negative to the most positive potential, as [red, green, blue]. */
const kPotentialColours = [[170, 15, 35], [240, 130, 105], [248, 248, 248], [105, 160, 225], [20, 60, 170]];

/** Returns the colour of a potential over the limit of the colours. */
function potentialColour(share) {
  const at = 2 * (Math.min(Math.max(share, -1), 1) + 1), k = Math.min(Math.floor(at), 3);
  return kPotentialColours[k].map((part, c) => part + (at - k) * (kPotentialColours[k + 1][c] - part));
}

/** The picture of a slice of `map` on a canvas; value: an element for the potential at the pointer. */
class MapPicture {
  constructor(canvas, value, map, length) {
    Object.assign(this, { canvas, value, map, length });
    this.choose(map.slices[0]);
    canvas.addEventListener("pointermove", (event) => this.point(event.offsetX, event.offsetY));
    canvas.addEventListener("pointerleave", () => { value.textContent = ""; });
    new ResizeObserver(() => this.draw()).observe(canvas.parentElement);
  }

  /** Shows one of the slices. */
  choose(slice) {
    this.slice = slice;
    this.potential = new Float32Array(bytesOf(slice.potential).buffer);
    this.atoms = new Float32Array(bytesOf(slice.atoms).buffer);
    const sizes = this.potential.map(Math.abs).filter(Number.isFinite).sort();
    this.limit = sizes[Math.floor(0.98 * (sizes.length - 1))] || 1;
    const [n, m] = slice.points, points = new ImageData(n, m);
    for (let v = 0; v < m; ++v) {
      for (let u = 0; u < n; ++u) {
        points.data.set([...potentialColour(this.potential[v * n + u] / this.limit), 255], 4 * ((m - 1 - v) * n + u));
      }
    }
    this.picture = document.createElement("canvas");
    Object.assign(this.picture, { width: n, height: m });
    this.picture.getContext("2d").putImageData(points, 0, 0);
    this.canvas.setAttribute("aria-label", `Electrostatic potential in the plane ${slice.axis} = ${shown(slice.at, 4)} ${this.length}, from ${shown(Math.min(...this.potential), 4)} to ${shown(Math.max(...this.potential), 4)} ${this.map.unit}`);
    this.draw();
  }

  draw() {
    const { canvas, slice } = this, ratio = window.devicePixelRatio || 1, left = 46, bottom = 38, bar = 92;
    const whole = canvas.parentElement.clientWidth;
    if (!whole) return;
    const size = slice.points.map((n, k) => n * slice.spacing[k]);  // each point stands for the cell around it
    const width = Math.max(whole - left - bar, 50), height = Math.min((width * size[1]) / size[0], 1000);
    canvas.style.height = `${height + bottom + 10}px`;
    Object.assign(canvas, { width: whole * ratio, height: (height + bottom + 10) * ratio });
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.font = "12px system-ui, sans-serif";
    const low = slice.origin.map((from, k) => from - slice.spacing[k] / 2);
    const x = (u) => left + ((u - low[0]) / size[0]) * width, y = (v) => 10 + height - ((v - low[1]) / size[1]) * height;
    this.at = (px, py) => [low[0] + ((px - left) / width) * size[0], low[1] + ((10 + height - py) / height) * size[1]];
    pen.imageSmoothingQuality = "high";
    pen.drawImage(this.picture, left, 10, width, height);
    for (let i = 0; i < this.atoms.length; i += 3) {
      pen.beginPath();
      pen.arc(x(this.atoms[i]), y(this.atoms[i + 1]), 3, 0, 7);
      pen.fillStyle = this.atoms[i + 2] > 0 ? "#005aff" : this.atoms[i + 2] < 0 ? "#ff1e00" : "#969696";
      pen.strokeStyle = "#1e1e1e";
      pen.fill();
      pen.stroke();
    }
    pen.fillStyle = pen.strokeStyle = colourOf("--soft");
    pen.strokeRect(left - 0.5, 9.5, width + 1, height + 1);
    pen.textAlign = "center";
    const across = new Ticks(low[0], low[0] + size[0], width / 60), up = new Ticks(low[1], low[1] + size[1], height / 60);
    for (const value of across.values) pen.fillText(across.text(value), x(value), height + 24);
    pen.fillText(`${slice.u} (${this.length})`, left + width / 2, height + 40);
    pen.textAlign = "right";
    for (const value of up.values) pen.fillText(up.text(value), left - 5, y(value) + 4);
    this.drawBar(pen, left + width + 14, height);
    pen.translate(11, 10 + height / 2);
    pen.rotate(-Math.PI / 2);
    pen.textAlign = "center";
    pen.fillText(`${slice.v} (${this.length})`, 0, 0);
  }

  /** Draws the bar that shows which potentials the colours stand for. */
  drawBar(pen, left, height) {
    for (let row = 0; row < height; ++row) {
      pen.fillStyle = `rgb(${potentialColour(1 - (2 * row) / height).map(Math.round).join(",")})`;
      pen.fillRect(left, 10 + row, 14, 1.5);
    }
    pen.fillStyle = colourOf("--soft");
    pen.strokeRect(left - 0.5, 9.5, 15, height + 1);
    pen.textAlign = "left";
    const ticks = new Ticks(-this.limit, this.limit, height / 60);
    for (const value of ticks.values) pen.fillText(ticks.text(value), left + 19, 14 + ((1 - value / this.limit) / 2) * height);
    pen.fillText(this.map.unit, left, height + 26);
  }

  /** Writes the potential of the nearest point. */
  point(px, py) {
    const { slice } = this, r = this.at(px, py), n = slice.points[0];
    const [u, v] = r.map((along, k) => Math.round((along - slice.origin[k]) / slice.spacing[k]));
    const isInside = u >= 0 && v >= 0 && u < n && v < slice.points[1];
    this.value.textContent = isInside ? `${slice.u} ${shown(r[0], 4)} · ${slice.v} ${shown(r[1], 4)} ${this.length} · ${shown(this.potential[v * n + u], 5)} ${this.map.unit}` : "";
  }
}
