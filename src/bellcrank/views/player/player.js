// One file that plays a machine: scene, plots and timeline on one clock.

const GRIDS = { light: [0.42, 0.47, 0.55], dark: [0.52, 0.58, 0.68] };

/** Turn what travelled as text into arrays, in place. */
function unpack(data) {
  data.t = decode(data.t, Float32Array);
  data.positions = decode(data.positions, Float32Array);
  data.orientations = decode(data.orientations, Float32Array);
  for (const name in data.columns) data.columns[name] = decode(data.columns[name], Float32Array);
  for (const arrow of data.arrows) arrow.vectors = decode(arrow.vectors, Float32Array);
  return data;
}

class Player {
  constructor(root, data) {
    this.root = root;
    this.data = unpack(data);
    this.find = (name) => root.querySelector(name);
    this.canvas = this.find(".scene canvas");
    this.begin = data.t[0];
    this.end = data.t[data.t.length - 1];
    this.still = data.t.length < 2 || !(this.end > this.begin);
    this.time = this.begin;
    this.speed = data.speed;
    this.digits = Math.max(2, Math.min(6, Math.ceil(2.5 - Math.log10(this.end - this.begin || 1))));
    this.loop = true;
    this.on = new Set(data.switches.filter((s) => s.on).map((s) => s.key));
    this.pick(matchMedia("(prefers-color-scheme: dark)").matches);
    this.renderer = new Renderer(this.canvas);
    this.load();
    this.camera = new Camera(this.canvas, data.world, () => this.changed());
    this.controls();
    this.plots = [...root.querySelectorAll(".plot")].map(
      (card, k) => new Plot(card, data, Math.min(k, data.panels.length - 1), this));
    const asked = /[#&]t=([-+.\deE]+)/.exec(location.hash);
    if (asked) this.seek(+asked[1]);
    else if (!this.still && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.play(true);
    new ResizeObserver(() => this.resized()).observe(root);
    this.resized();
  }

  load() {
    const make = (s) => this.renderer.mesh(decode(s.vertices, Float32Array),
      decode(s.faces, s.wide ? Uint32Array : Uint16Array));
    this.units = Object.fromEntries(Object.entries(this.data.units).map(([k, s]) => [k, make(s)]));
    this.parts = this.data.parts.map((part) => ({ ...part, mesh: make(part.surface) }));
    this.ties = this.data.ties.map((tie) => ({ ...tie, mesh: make(tie.surface) }));
    this.traces = this.still ? [] : this.data.marks.filter((m) => m.kind === "point").map((mark) => {
      const points = new Float32Array(3 * this.data.t.length);
      for (let i = 0; i < this.data.t.length; i++) {
        this.locate(i, 0);
        points.set(this.place(mark.at), 3 * i);
      }
      return { path: this.renderer.path(points), colour: mark.colour };
    });
    this.labels = this.data.marks.map((mark) => {
      const label = document.createElement("span");
      label.className = mark.kind;
      label.textContent = mark.name;
      this.find(".labels").append(label);
      return { label, mark };
    });
  }

  // --- time

  changed() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame((now) => { this.waiting = false; this.tick(now); });
  }

  tick(now) {
    if (this.playing) {
      const passed = Math.min(0.1, (now - (this.last ?? now)) / 1000) * this.speed;
      let t = this.time + passed;
      if (t > this.end) {
        t = this.loop ? this.begin + ((t - this.begin) % (this.end - this.begin)) : this.end;
        if (!this.loop) this.play(false);
      }
      this.time = t;
      this.last = now;
    }
    this.paint();
    if (this.playing) this.changed();
  }

  play(yes) {
    this.playing = yes && !this.still;
    if (this.playing && this.time >= this.end) this.time = this.begin;
    this.last = undefined;
    this.root.classList.toggle("playing", this.playing);
    this.changed();
  }

  seek(t) {
    this.play(false);
    this.time = Math.max(this.begin, Math.min(this.end, t));
    this.changed();
  }

  /** Number of the record before a time, and how far it is to the next. */
  record(t) {
    const ts = this.data.t;
    let low = 0, high = ts.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (ts[middle] <= t) low = middle; else high = middle;
    }
    const gap = ts[high] - ts[low];
    return [low, gap > 0 ? Math.max(0, Math.min(1, (t - ts[low]) / gap)) : 0];
  }

  // --- space

  /** Place all bodies at a part of the way from a record to the next. */
  locate(i, part) {
    const { positions: r, orientations: e, bodies, t } = this.data, n = bodies.length;
    const j = Math.min(i + 1, t.length - 1);
    this.poses = bodies.map((_, k) => {
      const [a, b] = [3 * (i * n + k), 3 * (j * n + k)], [c, d] = [4 * (i * n + k), 4 * (j * n + k)];
      const p = [0, 1, 2].map((x) => r[a + x] + part * (r[b + x] - r[a + x]));
      let same = 0;
      for (let x = 0; x < 4; x++) same += e[c + x] * e[d + x];
      const q = [0, 1, 2, 3].map((x) => (1 - part) * e[c + x] + part * Math.sign(same || 1) * e[d + x]);
      const size = Math.hypot(...q) || 1;
      return { p, columns: columnsOf(q.map((x) => x / size)) };
    });
  }

  place([body, point]) {
    const { p, columns: [x, y, z] } = this.poses[body];
    return add(p, add(add(scale(point[0], x), scale(point[1], y)), scale(point[2], z)));
  }

  /** Everything solid at the present time. */
  things() {
    const found = [], size = this.data.world.size;
    for (const part of this.parts) {
      if (part.kind === "axis" && !this.on.has("axes")) continue;
      const { p, columns } = this.poses[part.body];
      found.push({ mesh: part.mesh, model: affine(columns, p), colour: part.colour,
        opacity: part.opacity, ghost: part.kind === "axis" });
    }
    for (const tie of this.ties) {
      const [a, b] = tie.ends.map((end) => this.place(end)), d = sub(b, a), [x, y, z] = upright(d);
      found.push({ mesh: tie.mesh, colour: tie.colour,
        model: affine([scale(tie.radius, x), scale(tie.radius, y), scale(norm(d), z)], a) });
    }
    for (const mark of this.data.marks) if (mark.kind === "point") {
      const r = 0.02 * size;
      found.push({ mesh: this.units.ball, colour: [248, 248, 248],
        model: affine([[r, 0, 0], [0, r, 0], [0, 0, r]], this.place(mark.at)) });
    }
    if (this.on.has("frames")) this.poses.forEach(({ p, columns }) => columns.forEach((axis, k) => {
      const colour = [[214, 48, 49], [34, 154, 72], [48, 96, 220]][k];
      this.arrow(found, p, scale(0.12 * size, axis), 0.0045 * size, colour);
    }));
    const [i, part] = this.now;
    for (const arrow of this.data.arrows) if (this.on.has(arrow.kind)) {
      const v = [0, 1, 2].map((c) => {
        const a = arrow.vectors[3 * i + c], b = arrow.vectors[Math.min(3 * i + 3 + c, arrow.vectors.length - 3 + c)];
        return arrow.scale * (a + part * (b - a));
      });
      this.arrow(found, this.place(arrow.at), v, 0.006 * size, arrow.colour);
    }
    return found;
  }

  arrow(found, at, v, r, colour) {
    const length = norm(v);
    if (!(length > 1e-3 * this.data.world.size)) return;
    const [x, y, z] = upright(v), head = Math.min(6 * r, 0.5 * length), wide = Math.min(2.6 * r, head / 2.2);
    const thin = Math.min(r, 0.45 * wide);
    found.push({ mesh: this.units.shaft, colour, ghost: true,
      model: affine([scale(thin, x), scale(thin, y), scale(length - head, z)], at) });
    found.push({ mesh: this.units.cone, colour, ghost: true,
      model: affine([scale(wide, x), scale(wide, y), scale(head, z)], add(at, scale(length - head, z))) });
  }

  // --- picture

  paint() {
    this.now = this.record(this.time);
    this.locate(...this.now);
    const seen = this.camera.seen, paths = [];
    if (this.on.has("traces")) for (const { path, colour } of this.traces) {
      const page = this.theme.dark ? 30 : 242;
      const faint = colour.map((c) => 0.38 * c + 0.62 * page);
      paths.push({ path, colour: faint, alpha: 1, width: 1.6 });
      paths.push({ path, colour, alpha: 1, width: 2.6, count: this.now[0] + 1 });
    }
    this.renderer.draw(this.things(), paths, seen, this.data.world, this.theme);
    this.write(seen);
    this.plots.forEach((plot) => plot.draw(...this.now, this.time));
    const part = this.still ? 0 : (this.time - this.begin) / (this.end - this.begin);
    this.find(".scrub").value = part;
    this.find(".scrub").style.setProperty("--part", part);
    this.find(".clock").textContent = `${this.time.toFixed(this.digits)} s`;
    this.find(".longest").hidden = !(this.on.has("reaction") || this.on.has("force"));
    this.root.dataset.time = this.time;
  }

  write(seen) {
    const w = this.canvas.clientWidth, h = this.canvas.clientHeight;
    for (const { label, mark } of this.labels) {
      const wanted = this.on.has("labels") && (mark.kind !== "body" || this.on.has("names"));
      const [x, y, , depth] = apply(seen.view, this.place(mark.at));
      label.hidden = !wanted || depth <= 0;
      if (label.hidden) continue;
      label.style.transform =
        `translate(${((x / depth + 1) / 2) * w + 9}px, ${((1 - y / depth) / 2) * h - 20}px)`;
    }
  }

  resized() {
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.max(1, Math.round(this.canvas.clientWidth * ratio));
    this.canvas.height = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
    this.plots.forEach((plot) => { plot.stale = true; });
    this.changed();
  }

  // --- controls

  pick(dark) {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    this.theme = { dark, grid: GRIDS[dark ? "dark" : "light"] };
    (this.plots || []).forEach((plot) => { plot.stale = true; });
  }

  controls() {
    const scrub = this.find(".scrub"), speed = this.find(".speed"), loop = this.find(".loop");
    this.find(".play").addEventListener("click", () => this.play(!this.playing));
    scrub.addEventListener("input", () =>
      this.seek(this.begin + scrub.value * (this.end - this.begin)));
    speed.addEventListener("change", () => { this.speed = +speed.value; });
    loop.addEventListener("click", () => {
      this.loop = !this.loop;
      loop.setAttribute("aria-pressed", this.loop);
    });
    this.find(".theme").addEventListener("click", () => { this.pick(!this.theme.dark); this.changed(); });
    this.find(".home").addEventListener("click", () => this.camera.reset());
    this.root.classList.toggle("still", this.still);
    for (const { key, label, on } of this.data.switches) {
      const button = document.createElement("button");
      button.textContent = label;
      button.dataset.key = key;
      button.setAttribute("aria-pressed", on);
      button.addEventListener("click", () => {
        if (this.on.has(key)) this.on.delete(key); else this.on.add(key);
        button.setAttribute("aria-pressed", this.on.has(key));
        this.changed();
      });
      this.find(".switches").append(button);
    }
    document.addEventListener("keydown", (event) => {
      if (["INPUT", "SELECT", "BUTTON"].includes(event.target.tagName) && event.key !== "Escape") return;
      if (event.key === " ") { event.preventDefault(); this.play(!this.playing); }
      const step = (this.end - this.begin) / 200;
      if (event.key === "ArrowRight") this.seek(this.time + step);
      if (event.key === "ArrowLeft") this.seek(this.time - step);
    });
  }
}

for (const root of document.querySelectorAll(".bellcrank")) {
  try {
    root.player = new Player(root, JSON.parse(root.querySelector("script").textContent));
  } catch (error) {
    root.querySelector(".trouble").textContent = `The scene cannot be drawn: ${error.message}`;
  }
}
