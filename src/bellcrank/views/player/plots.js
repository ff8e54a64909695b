// Curves over time, and phase portraits, tied to the time of the scene.

const INKS = {
  light: ["#0072b2", "#d55e00", "#009e73", "#c0508e", "#4a9fd8", "#c98a00", "#444b57", "#7b61c4"],
  dark: ["#4aa8e8", "#ff8f43", "#2fd0a0", "#ec8fc0", "#8cc9f2", "#f0b73c", "#c3cad6", "#ab97f0"],
};
const MOST = 8; // curves drawn in one plot

/** Round steps for an axis. */
function ticks(low, high, count) {
  const raw = (high - low) / Math.max(count, 1), power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= raw * 0.999);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(k * step);
  return { step, found };
}

function written(x, step) {
  if (Math.abs(x) < 1e-9 * step) return "0";
  if (Math.abs(x) >= 1e5 || step < 1e-4) return x.toExponential(Math.max(0, Math.min(4,
    Math.floor(Math.log10(Math.abs(x))) - Math.floor(Math.log10(step))))).replace("e+", "e");
  return x.toFixed(Math.max(0, Math.min(6, -Math.floor(Math.log10(step) + 1e-9) + (`${step}`.includes("25") ? 1 : 0))));
}

class Plot {
  constructor(card, data, first, player) {
    this.data = data;
    this.player = player;
    this.hidden = new Set();
    this.canvas = card.querySelector("canvas");
    this.legend = card.querySelector(".legend");
    this.choice = card.querySelector("select");
    data.panels.forEach((panel, k) => this.choice.add(new Option(panel.title, k)));
    this.choice.addEventListener("change", () => this.show(+this.choice.value));
    const seek = (event) => {
      if (event.buttons !== 1 || this.panel.x) return;
      const box = this.canvas.getBoundingClientRect();
      const { x0, x1 } = this.frame;
      const part = (event.clientX - box.left - x0) / (x1 - x0);
      player.seek(player.begin + part * (player.end - player.begin));
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      seek(event);
    });
    this.canvas.addEventListener("pointermove", seek);
    this.show(first);
  }

  show(k) {
    this.panel = this.data.panels[k];
    this.choice.value = k;
    this.hidden.clear();
    this.stale = true;
    this.legend.replaceChildren();
    this.values = this.panel.series.slice(0, MOST).map((series, i) => {
      const row = document.createElement("button"), value = document.createElement("b");
      const dash = document.createElement("i");
      row.title = series.long || series.name;
      row.append(dash, document.createTextNode(series.label), value);
      row.addEventListener("click", () => {
        if (this.hidden.has(i)) this.hidden.delete(i); else this.hidden.add(i);
        row.classList.toggle("off", this.hidden.has(i));
        this.stale = true;
        this.player.changed();
      });
      this.legend.append(row);
      return { dash, value };
    });
    if (this.panel.series.length > MOST) {
      const more = document.createElement("span");
      more.textContent = `+ ${this.panel.series.length - MOST} more`;
      this.legend.append(more);
    }
    this.player.changed();
  }

  inks() { return INKS[this.player.theme.dark ? "dark" : "light"]; }

  series() {
    return this.panel.series.slice(0, MOST).map((s, i) => ({
      x: this.panel.x ? this.data.columns[this.panel.x] : this.data.t,
      y: this.data.columns[s.name], ink: this.inks()[i % 8], off: this.hidden.has(i),
    }));
  }

  range(arrays) {
    let low = Infinity, high = -Infinity;
    for (const a of arrays) for (const v of a) if (isFinite(v)) {
      if (v < low) low = v;
      if (v > high) high = v;
    }
    if (!(high >= low)) return [-1, 1];
    const size = Math.max(Math.abs(low), Math.abs(high)), middle = (low + high) / 2;
    if (high - low <= 1e-6 * size) { // a constant, but for rounding
      const half = 0.1 * size || 1;
      return [middle - half, middle + half];
    }
    const margin = 0.07 * (high - low);
    return [low - margin, high + margin];
  }

  /** Axes and curves, drawn when something changed and then kept. */
  redraw() {
    const ratio = window.devicePixelRatio || 1;
    const w = this.canvas.clientWidth, h = this.canvas.clientHeight;
    this.canvas.width = Math.max(1, w * ratio);
    this.canvas.height = Math.max(1, h * ratio);
    this.kept = document.createElement("canvas");
    [this.kept.width, this.kept.height] = [this.canvas.width, this.canvas.height];
    const c = this.kept.getContext("2d"), style = getComputedStyle(document.documentElement);
    c.scale(ratio, ratio);
    const all = this.series(), drawn = all.filter((s) => !s.off);
    const xs = this.panel.x ? this.range(drawn.map((s) => s.x)) : [this.player.begin, this.player.end];
    const ys = this.range(drawn.map((s) => s.y));
    const yt = ticks(ys[0], ys[1], Math.max(2, Math.floor(h / 30)));
    c.font = "11px " + style.getPropertyValue("--font");
    const wide = Math.max(...yt.found.map((v) => c.measureText(written(v, yt.step)).width), 20);
    const f = { x0: wide + 12, x1: w - 12, y0: h - 32, y1: 8, xs, ys };
    f.X = (x) => f.x0 + ((x - xs[0]) / (xs[1] - xs[0] || 1)) * (f.x1 - f.x0);
    f.Y = (y) => f.y0 + ((y - ys[0]) / (ys[1] - ys[0] || 1)) * (f.y1 - f.y0);
    this.frame = f;
    this.axes(c, f, yt, ticks(xs[0], xs[1], Math.max(2, Math.floor((f.x1 - f.x0) / 70))), style);
    c.save();
    c.beginPath();
    c.rect(f.x0, f.y1 - 4, f.x1 - f.x0 + 1, f.y0 - f.y1 + 8);
    c.clip();
    c.lineJoin = "round";
    c.lineWidth = 1.6;
    for (const s of drawn) {
      c.strokeStyle = s.ink;
      c.beginPath();
      for (let i = 0; i < s.y.length; i++) c.lineTo(f.X(s.x[i]), f.Y(s.y[i]));
      c.stroke();
    }
    c.restore();
    this.values.forEach(({ dash }, i) => { dash.style.background = all[i].ink; });
    this.stale = false;
  }

  axes(c, f, yt, xt, style) {
    c.strokeStyle = style.getPropertyValue("--rule");
    c.fillStyle = style.getPropertyValue("--soft");
    c.lineWidth = 1;
    c.textAlign = "right";
    c.textBaseline = "middle";
    for (const v of yt.found) {
      const y = Math.round(f.Y(v)) + 0.5;
      c.beginPath(); c.moveTo(f.x0, y); c.lineTo(f.x1, y); c.stroke();
      c.fillText(written(v, yt.step), f.x0 - 6, y);
    }
    c.textAlign = "center";
    c.textBaseline = "top";
    for (const v of xt.found) {
      const x = Math.round(f.X(v)) + 0.5;
      if (this.panel.x) { c.beginPath(); c.moveTo(x, f.y0); c.lineTo(x, f.y1); c.stroke(); }
      c.fillText(written(v, xt.step), Math.min(x, f.x1 - 6), f.y0 + 5);
    }
    c.fillText(this.panel.x ? this.panel.xlabel : "time [s]", (f.x0 + f.x1) / 2, f.y0 + 18);
  }

  draw(i, part, t) {
    if (this.stale || !this.kept) this.redraw();
    const c = this.canvas.getContext("2d"), ratio = window.devicePixelRatio || 1, f = this.frame;
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.clearRect(0, 0, this.canvas.width, this.canvas.height);
    c.drawImage(this.kept, 0, 0);
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    const style = getComputedStyle(document.documentElement);
    const at = (a) => a[i] + part * (a[Math.min(i + 1, a.length - 1)] - a[i]);
    if (!this.panel.x) {
      c.strokeStyle = style.getPropertyValue("--accent");
      c.lineWidth = 1;
      c.beginPath(); c.moveTo(f.X(t), f.y0); c.lineTo(f.X(t), f.y1); c.stroke();
    }
    this.series().forEach((s, k) => {
      const y = at(s.y);
      this.values[k].value.textContent = shown(y);
      if (s.off) return;
      c.fillStyle = s.ink;
      c.strokeStyle = style.getPropertyValue("--card");
      c.lineWidth = 1.5;
      c.beginPath();
      c.arc(f.X(this.panel.x ? at(s.x) : t), f.Y(y), 3.6, 0, 7);
      c.fill(); c.stroke();
    });
  }
}
