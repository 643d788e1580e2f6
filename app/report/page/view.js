"use strict";
// Atoms as shaded spheres, in an orthographic view that turns: by WebGL 2, or on a plain canvas where that is missing.

/** Colours of elements, as is usual in molecular graphics; others get a hue from their name. */
const kElementColours = {
  H: "#f2f2f2", C: "#6f757c", N: "#3a5fe0", O: "#e0302a", F: "#7bd657", Na: "#9a4fe0", Mg: "#4fb32d", P: "#f08c1a",
  S: "#e8c72c", Cl: "#2fbf3a", K: "#7d3cc4", Ca: "#4a9a3d", Fe: "#c9652a", Zn: "#7a7fb0", Br: "#a03a26", I: "#8a1fa0",
  Li: "#c27bff", Rb: "#6b2fa8", Cs: "#55168c", Ar: "#55b8c9", Ne: "#9fdcea", Kr: "#4aa5b5", Xe: "#378b9b", He: "#c9f2f7",
};

/** Returns a colour as [red, green, blue] from 0 to 1. */
function colourOfKind(kind) {
  let text = kElementColours[kind.element];
  if (!text) {
    let sum = 0;
    for (const letter of kind.name) sum = (sum * 31 + letter.codePointAt(0)) % 360;
    const pen = document.createElement("canvas").getContext("2d");
    pen.fillStyle = `hsl(${(sum + 190) % 360}, 45%, 55%)`;
    text = pen.fillStyle;
  }
  return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16) / 255);
}

/** Returns a colour of CSS, "#rrggbb", as [red, green, blue] from 0 to 1. */
function partsOf(text) {
  return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16) / 255);
}

/** Returns the product of 3×3 matrices in row order. */
function product(a, b) {
  return a.map((_, k) => [0, 1, 2].reduce((sum, j) => sum + a[3 * Math.floor(k / 3) + j] * b[3 * j + (k % 3)], 0));
}

/** The orientation and zoom that several views share, and which kinds of atoms they show. */
class Camera {
  constructor() {
    this.views = [];
    this.hidden = new Set();
    this.reset();
  }
  reset() {
    this.rotation = [1, 0, 0, 0, 1, 0, 0, 0, 1];
    this.zoom = 1;
    this.turn(0.5, 0.35);
  }
  /** Turns by angles about the screen's vertical and horizontal axes. */
  turn(right, down) {
    const [c, s, d, t] = [Math.cos(right), Math.sin(right), Math.cos(down), Math.sin(down)];
    this.rotation = product([1, 0, 0, 0, d, -t, 0, t, d], product([c, 0, s, 0, 1, 0, -s, 0, c], this.rotation));
    this.draw();
  }
  scale(factor) {
    this.zoom = Math.min(Math.max(this.zoom * factor, 0.02), 50);
    this.draw();
  }
  draw() {
    this.waiting ??= requestAnimationFrame(() => {
      this.waiting = undefined;
      for (const view of this.views) view.draw();
    });
  }
}

const kVertexShader = `#version 300 es
in vec2 corner;  // of a square about an atom, -1 to 1
in vec3 position;
in float radius;  // 0: hidden
in vec3 colour;
uniform mat3 rotation;
uniform vec2 scale;  // from lengths to half a canvas
uniform float depth;  // length that is 1 in depth
out vec2 at;
out vec3 tint;
out float z, size;
void main() {
  vec3 turned = rotation * position;
  at = corner;
  tint = colour;
  z = turned.z;
  size = radius;
  gl_Position = vec4((turned.xy + corner * radius) * scale, -turned.z / depth, radius > 0.0 ? 1.0 : 0.0);
}`;
const kFragmentShader = `#version 300 es
precision highp float;
in vec2 at;
in vec3 tint;
in float z, size;
uniform float depth, fog;  // fog: length over which atoms fade to the background
uniform vec3 paper;
out vec4 colour;
void main() {
  float r2 = dot(at, at);
  if (r2 > 1.0) discard;
  float height = sqrt(1.0 - r2);
  vec3 normal = vec3(at, height);
  float light = 0.32 + 0.68 * max(dot(normal, normalize(vec3(-0.4, 0.55, 0.75))), 0.0);
  float shine = pow(max(dot(normal, normalize(vec3(-0.25, 0.4, 0.9))), 0.0), 40.0);
  vec3 lit = tint * light * (0.55 + 0.45 * smoothstep(0.0, 0.45, height)) + 0.25 * shine;
  colour = vec4(mix(lit, paper, clamp(0.30 - 0.30 * z / fog, 0.0, 0.6)), 1.0);
  gl_FragDepth = clamp(0.5 - 0.5 * (z + size * height) / depth, 0.0, 1.0);
}`;

/** Draws spheres by WebGL 2: one square for each atom, which the shader turns into a sphere. */
class GlPainter {
  constructor(canvas, atoms) {
    const gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
    if (!gl) throw new Error("no WebGL 2");
    this.gl = gl;
    this.n = atoms.kind.length;
    const program = gl.createProgram();
    for (const [type, source] of [[gl.VERTEX_SHADER, kVertexShader], [gl.FRAGMENT_SHADER, kFragmentShader]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    gl.useProgram(program);
    this.uniform = (name) => gl.getUniformLocation(program, name);
    const colours = new Float32Array(3 * this.n);
    atoms.kind.forEach((kind, i) => colours.set(atoms.kinds[kind].colour, 3 * i));
    const buffer = (name, data, size, divisor) => {
      const made = gl.createBuffer(), at = gl.getAttribLocation(program, name);
      gl.bindBuffer(gl.ARRAY_BUFFER, made);
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(at, size, gl.FLOAT, false, 0, 0);
      gl.vertexAttribDivisor(at, divisor);
      return made;
    };
    buffer("corner", new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), 2, 0);
    buffer("position", atoms.position, 3, 1);
    buffer("colour", colours, 3, 1);
    this.radii = buffer("radius", new Float32Array(this.n), 1, 1);
    gl.enable(gl.DEPTH_TEST);
  }
  /** radii: [atoms], 0 for those that are hidden. */
  setRadii(radii) {
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.radii);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, radii, this.gl.STATIC_DRAW);
  }
  draw({ width, height, rotation, pixels, depth, fog, paper }) {
    const gl = this.gl;
    gl.viewport(0, 0, width, height);
    gl.clearColor(...paper, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.uniformMatrix3fv(this.uniform("rotation"), true, rotation);
    gl.uniform2f(this.uniform("scale"), (2 * pixels) / width, (2 * pixels) / height);
    gl.uniform1f(this.uniform("depth"), depth);
    gl.uniform1f(this.uniform("fog"), fog);
    gl.uniform3fv(this.uniform("paper"), paper);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.n);
  }
}

/** Draws spheres on a plain canvas: pictures of a sphere, from the farthest atom to the nearest. */
class PlainPainter {
  constructor(canvas, atoms) {
    this.pen = canvas.getContext("2d");
    this.atoms = atoms;
    this.pictures = atoms.kinds.map((kind) => {
      const size = 64, picture = document.createElement("canvas"), pen = picture.getContext("2d");
      picture.width = picture.height = size;
      const shade = (light) => `rgb(${kind.colour.map((part) => Math.min(255, Math.round(255 * part * light))).join(",")})`;
      const glow = pen.createRadialGradient(0.36 * size, 0.32 * size, 1, size / 2, size / 2, size / 2);
      [[0, 1.25], [0.5, 0.9], [1, 0.35]].forEach(([at, light]) => glow.addColorStop(at, shade(light)));
      pen.fillStyle = glow;
      pen.arc(size / 2, size / 2, size / 2 - 0.5, 0, 7);
      pen.fill();
      return picture;
    });
    this.z = new Float32Array(atoms.kind.length);
    this.drawnAt = 0;
  }
  setRadii(radii) { this.radii = radii; }
  /** If there are many atoms, only a part is drawn while the view moves, and all when it rests. */
  draw(view) {
    const moves = performance.now() - this.drawnAt < 300, n = this.z.length, most = 8000;
    clearTimeout(this.rest);
    this.drawEvery(moves ? Math.ceil(n / most) : 1, view);
    this.drawnAt = performance.now();
    if (moves && n > most) this.rest = setTimeout(() => this.drawEvery(1, view), 300);
  }
  drawEvery(stride, { width, height, rotation: m, pixels, paper }) {
    const { pen, z } = this, r = this.atoms.position;
    const order = Uint32Array.from({ length: Math.ceil(z.length / stride) }, (_, k) => k * stride);
    pen.fillStyle = `rgb(${paper.map((part) => 255 * part).join(",")})`;
    pen.fillRect(0, 0, width, height);
    for (const i of order) z[i] = m[6] * r[3 * i] + m[7] * r[3 * i + 1] + m[8] * r[3 * i + 2];
    for (const i of order.sort((a, b) => z[a] - z[b])) {
      const size = this.radii[i] * pixels;
      if (!size) continue;
      const x = m[0] * r[3 * i] + m[1] * r[3 * i + 1] + m[2] * r[3 * i + 2];
      const y = m[3] * r[3 * i] + m[4] * r[3 * i + 1] + m[5] * r[3 * i + 2];
      pen.drawImage(this.pictures[this.atoms.kind[i]], width / 2 + x * pixels - size, height / 2 - y * pixels - size, 2 * size, 2 * size);
    }
  }
}

/** A view of one frame of the page's data in a figure of `parent`. length: unit of lengths. */
class View {
  constructor(parent, frame, camera, length) {
    this.camera = camera;
    this.length = length;
    const figure = element(parent, "figure", { class: "view" });
    element(figure, "figcaption", { text: frame.label });
    this.canvas = element(figure, "canvas", { tabindex: 0, role: "img" });
    this.bar = element(figure, "span", { class: "scale" });
    const counts = frame.kinds.filter((kind) => kind.count).map((kind) => `${kind.count} ${kind.name}`).join(", ");
    element(figure, "span", { class: "note", text: frame.note ? `This view shows ${frame.note}.` : counts });
    this.canvas.setAttribute("aria-label", `${frame.label}, three-dimensional view of ${frame.atoms} atoms: ${counts}`);
    this.atoms = this.atomsOf(frame);
    try {
      this.painter = new GlPainter(this.canvas, this.atoms);
    } catch {
      this.painter = new PlainPainter(this.canvas, this.atoms);
    }
    this.show();
    this.listen();
    camera.views.push(this);
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  /** Returns positions relative to the middle of the atoms; sets the size of the view, which holds most of them. */
  atomsOf(frame) {
    const whole = new Int16Array(bytesOf(frame.position).buffer);
    const kind = bytesOf(frame.kind), n = kind.length;
    const position = Float32Array.from(whole, (number) => number * frame.scale);
    for (let axis = 0; axis < 3; ++axis) {
      const along = Float32Array.from({ length: n }, (_, i) => position[3 * i + axis]).sort();
      const middle = along[n >> 1];
      for (let i = 0; i < n; ++i) position[3 * i + axis] -= middle;
    }
    const distance = Float32Array.from({ length: n }, (_, i) => Math.hypot(...position.subarray(3 * i, 3 * i + 3))).sort();
    const kinds = frame.kinds.map((each) => ({ ...each, colour: colourOfKind(each) }));
    const largest = Math.max(...kinds.map((each) => each.radius));
    const most = distance[Math.min(n - 1, Math.floor(0.97 * n))] || 0;
    // Views with one camera have one scale, that of the larger, so that sizes can be compared.
    this.camera.radius = Math.max(this.camera.radius ?? 0, 1.15 * most + largest);
    this.depth = (distance[n - 1] || 0) + 2 * largest;
    return { position, kind, kinds };
  }

  /** Shows the kinds of atoms that are not hidden. */
  show() {
    const radii = this.atoms.kinds.map((kind) => (this.camera.hidden.has(kind.name) ? 0 : kind.radius));
    this.painter.setRadii(Float32Array.from(this.atoms.kind, (kind) => radii[kind]));
  }

  draw() {
    const { clientWidth, clientHeight } = this.canvas;
    if (!clientWidth) return;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const width = Math.round(clientWidth * ratio), height = Math.round(clientHeight * ratio);
    if (this.canvas.width !== width || this.canvas.height !== height) Object.assign(this.canvas, { width, height });
    const pixels = (this.camera.zoom * Math.min(width, height)) / (2 * this.camera.radius);
    this.painter.draw({
      width, height, pixels, rotation: this.camera.rotation, depth: this.depth, fog: this.camera.radius, paper: partsOf(colourOf("--panel")),
    });
    // The bar is 1, 2 or 5 times a power of ten long, at most a fifth of the width.
    const most = width / 5 / pixels, power = 10 ** Math.floor(Math.log10(most));
    const bar = power * [5, 2, 1].find((factor) => factor * power <= most);
    this.bar.style.width = `${(bar * pixels) / ratio}px`;
    this.bar.textContent = `${shown(bar, 3)} ${this.length}`;
  }

  /** Listens to pointers and keys. */
  listen() {
    const { canvas, camera } = this, pointers = new Map();
    const spread = () => {
      const [a, b] = [...pointers.values()];
      return Math.hypot(a.x - b.x, a.y - b.y);
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    });
    canvas.addEventListener("pointermove", (event) => {
      const from = pointers.get(event.pointerId);
      if (!from) return;
      const before = pointers.size === 2 ? spread() : 0, x = event.clientX - from.x, y = event.clientY - from.y;
      pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      if (pointers.size === 2) camera.scale(spread() / Math.max(before, 1));
      else camera.turn((2.5 * x) / canvas.clientHeight, (2.5 * y) / canvas.clientHeight);
    });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (event) => pointers.delete(event.pointerId));
    canvas.addEventListener("dblclick", () => camera.reset());
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey && document.activeElement !== canvas) return;  // else it scrolls the page
      event.preventDefault();
      camera.scale(0.999 ** event.deltaY);
    }, { passive: false });
    const turns = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] };
    canvas.addEventListener("keydown", (event) => {
      if (turns[event.key]) camera.turn(...turns[event.key]);
      else if (event.key === "+" || event.key === "=") camera.scale(1.2);
      else if (event.key === "-") camera.scale(1 / 1.2);
      else if (event.key === "0" || event.key === "Home") camera.reset();
      else return;
      event.preventDefault();
    });
  }
}
