// An eye that circles a machine: drag turns, wheel and pinch zoom, right drag or shift moves.

const FIELD = 0.55; // vertical angle of view [rad]

class Camera {
  constructor(canvas, world, changed) {
    this.canvas = canvas;
    this.world = world;
    this.changed = changed;
    const [x, y] = upright(world.up);
    this.basis = [x, y, world.up];
    this.reset();
    this.listen();
  }

  reset() {
    const s = unit(this.world.sight), [x, y, z] = this.basis;
    this.azimuth = Math.atan2(dot(s, y), dot(s, x));
    this.elevation = Math.asin(Math.max(-1, Math.min(1, dot(s, z))));
    this.target = [...this.world.middle];
    this.zoom = 1;
    this.changed();
  }

  get sight() {
    const [x, y, z] = this.basis, c = Math.cos(this.elevation);
    return add(add(scale(c * Math.cos(this.azimuth), x), scale(c * Math.sin(this.azimuth), y)),
      scale(Math.sin(this.elevation), z));
  }

  /** Distance at which the bounds of the motion fill the picture. */
  fit(aspect) {
    const { low, high, middle } = this.world, s = this.sight;
    const right = unit(cross(this.world.up, s)), up = cross(s, right);
    const t = Math.tan(FIELD / 2) * 0.86;
    let far = 0;
    for (let k = 0; k < 8; k++) {
      const corner = [0, 1, 2].map((i) => (k & (1 << i) ? high[i] : low[i]));
      const d = sub(corner, middle);
      const need = Math.max(Math.abs(dot(d, right)) / (t * aspect), Math.abs(dot(d, up)) / t);
      far = Math.max(far, need + dot(d, s));
    }
    return Math.max(far, 0.6 * this.world.reach);
  }

  get seen() {
    const { width, height } = this.canvas, aspect = width / height, r = this.world.reach;
    if (!this.home || this.homeAspect !== aspect) {
      const now = [this.azimuth, this.elevation];
      const s = unit(this.world.sight), [x, y, z] = this.basis;
      this.azimuth = Math.atan2(dot(s, y), dot(s, x));
      this.elevation = Math.asin(Math.max(-1, Math.min(1, dot(s, z))));
      this.home = this.fit(aspect);
      this.homeAspect = aspect;
      [this.azimuth, this.elevation] = now;
    }
    const distance = this.home * this.zoom;
    const eye = add(this.target, scale(distance, this.sight));
    const reach = distance + 6 * r;
    const project = perspective(FIELD, aspect, Math.max(0.02 * distance, reach / 4000), reach);
    return { eye, sight: this.sight, view: multiply(project, lookAt(eye, this.target, this.world.up)) };
  }

  turn(dx, dy) {
    this.azimuth -= 0.008 * dx;
    this.elevation = Math.max(-1.5, Math.min(1.5, this.elevation + 0.008 * dy));
    this.changed();
  }

  slide(dx, dy) {
    const s = this.sight, right = unit(cross(this.world.up, s)), up = cross(s, right);
    const step = (2 * Math.tan(FIELD / 2) * this.home * this.zoom) / this.canvas.clientHeight;
    this.target = add(this.target, add(scale(-dx * step, right), scale(dy * step, up)));
    this.changed();
  }

  nearer(factor) {
    this.zoom = Math.max(0.05, Math.min(8, this.zoom * factor));
    this.changed();
  }

  listen() {
    const held = new Map(), { canvas } = this;
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("dblclick", () => this.reset());
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.nearer(Math.exp(0.0012 * event.deltaY));
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      held.set(event.pointerId, [event.clientX, event.clientY]);
    });
    const release = (event) => held.delete(event.pointerId);
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", release);
    canvas.addEventListener("pointermove", (event) => {
      const before = held.get(event.pointerId);
      if (!before) return;
      const now = [event.clientX, event.clientY];
      const [dx, dy] = [now[0] - before[0], now[1] - before[1]];
      if (held.size === 2) {
        const other = [...held].find(([id]) => id !== event.pointerId)[1];
        const gap = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]) || 1;
        this.nearer(gap(before) / gap(now));
      } else if (event.shiftKey || event.buttons & 6) this.slide(dx, dy);
      else this.turn(dx, dy);
      held.set(event.pointerId, now);
    });
  }
}
