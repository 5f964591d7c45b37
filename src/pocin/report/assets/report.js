"use strict";
(() => {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
  const maps = [];
  const repaint = () => maps.forEach((map) => map.draw());

  // Light or dark: the system's wish until the button is pressed.
  const theme = document.getElementById("theme");
  const told = () => theme.setAttribute("aria-pressed", String(isDark()));
  theme.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    told();
    repaint();
  });
  dark.addEventListener("change", () => { told(); repaint(); });
  addEventListener("beforeprint", () => maps.forEach((map) => map.draw(true)));
  addEventListener("afterprint", repaint);
  told();

  const number = (x) => x.toLocaleString("en", { maximumFractionDigits: Math.abs(x) < 1000 ? 2 : 0 });

  // Which mark is near a point: marks are kept in the cells of a grid that they touch.
  class Near {
    constructor(segments, cell) {
      this.segments = segments;
      this.cell = cell;
      this.cells = new Map();
      for (let i = 0; i * 4 < segments.length; i++) {
        const [x1, y1, x2, y2] = segments.subarray(4 * i, 4 * i + 4);
        const steps = Math.max(1, Math.ceil(Math.hypot(x2 - x1, y2 - y1) / cell));
        for (let s = 0; s <= steps; s++) {
          const key = this.key(x1 + ((x2 - x1) * s) / steps, y1 + ((y2 - y1) * s) / steps);
          const held = this.cells.get(key);
          if (!held) this.cells.set(key, [i]);
          else if (held[held.length - 1] !== i) held.push(i);
        }
      }
    }
    key(x, y) { return Math.floor(x / this.cell) * 100003 + Math.floor(y / this.cell); }
    find(x, y, reach) {
      let best = -1, least = reach;
      const span = Math.ceil(reach / this.cell);
      for (let a = -span; a <= span; a++) {
        for (let b = -span; b <= span; b++) {
          for (const i of this.cells.get(this.key(x + a * this.cell, y + b * this.cell)) || []) {
            const far = this.distance(i, x, y);
            if (far < least) { least = far; best = i; }
          }
        }
      }
      return best;
    }
    distance(i, x, y) {
      const s = this.segments, x1 = s[4 * i], y1 = s[4 * i + 1], dx = s[4 * i + 2] - x1, dy = s[4 * i + 3] - y1;
      const long = dx * dx + dy * dy;
      const t = long ? Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / long)) : 0;
      return Math.hypot(x - x1 - t * dx, y - y1 - t * dy);
    }
  }

  class NetworkMap {
    constructor(view) {
      this.view = view;
      this.data = JSON.parse(document.getElementById(view.dataset.map).textContent);
      this.figure = view.closest("figure");
      this.tip = view.querySelector(".tip");
      this.live = this.figure.querySelector(".live");
      this.canvas = view.querySelector("canvas");
      this.world = view.querySelector(".world");
      this.halo = view.querySelector(".halo");
      this.k = 1; this.x = 0; this.y = 0; this.chosen = -1; this.moving = false;
      this.lines = this.edges();
      this.segments = this.markSegments();
      this.near = new Near(this.segments, 12);
      // Marks grow more slowly than the map; arrows, with their heads, not at all.
      this.shapes = [...view.querySelectorAll(".sites circle, .links path, .moves > path")].map((shape) => {
        const name = shape.tagName === "circle" ? "r" : "stroke-width";
        return [shape, name, Number(shape.getAttribute(name)), shape.closest(".moves") ? -1 : -0.45];
      });
      this.order = this.data.total.map((_, i) => i).sort((a, b) => this.data.total[b] - this.data.total[a]);
      this.byMark = this.moves();
      this.listen();
      if (this.canvas) new ResizeObserver(() => this.draw()).observe(view);
      this.draw();
    }

    // Edges, to the right of the way they are driven, as x1, y1, x2, y2.
    edges() {
      const { xy, ends, offset } = this.data;
      const out = new Float64Array(ends.length * 2);
      for (let e = 0; e * 2 < ends.length; e++) {
        const a = 2 * ends[2 * e], b = 2 * ends[2 * e + 1];
        const dx = xy[b] - xy[a], dy = xy[b + 1] - xy[a + 1], long = Math.hypot(dx, dy) || 1;
        const ox = (-dy / long) * offset, oy = (dx / long) * offset;
        out.set([xy[a] + ox, xy[a + 1] + oy, xy[b] + ox, xy[b + 1] + oy], 4 * e);
      }
      return out;
    }
    markSegments() {
      const { marks, on, xy } = this.data, out = new Float64Array(marks.length * 4);
      marks.forEach((m, i) => {
        const at = on === "node" ? [xy[2 * m], xy[2 * m + 1], xy[2 * m], xy[2 * m + 1]] : this.lines.subarray(4 * m, 4 * m + 4);
        out.set(at, 4 * i);
      });
      return out;
    }
    // In the curator's copy: for each mark, the elements that stand there now and whence they came.
    moves() {
      const found = new Map();
      for (const move of this.data.moves || []) {
        if (!found.has(move[0])) found.set(move[0], []);
        found.get(move[0]).push(move);
      }
      return found;
    }
    middle(i) {
      const s = this.segments;
      return [(s[4 * i] + s[4 * i + 2]) / 2, (s[4 * i + 1] + s[4 * i + 3]) / 2];
    }

    listen() {
      const { view } = this, fingers = new Map();
      let last = null;
      view.addEventListener("wheel", (event) => {
        if (!(event.ctrlKey || event.metaKey || view.contains(document.activeElement))) return;
        event.preventDefault();
        this.zoom(Math.exp(-event.deltaY * 0.0018), ...this.place(event));
      }, { passive: false });
      view.addEventListener("pointerdown", (event) => {
        view.setPointerCapture(event.pointerId);
        fingers.set(event.pointerId, this.place(event));
        view.focus({ preventScroll: true });
        last = null;
      });
      view.addEventListener("pointermove", (event) => {
        const at = this.place(event);
        if (!fingers.has(event.pointerId)) { this.choose(this.pick(...at), at); return; }
        const before = fingers.get(event.pointerId);
        fingers.set(event.pointerId, at);
        if (fingers.size === 1) {
          view.classList.add("drag");
          this.pan(at[0] - before[0], at[1] - before[1]);
        } else {
          const [p, q] = [...fingers.values()], wide = Math.hypot(p[0] - q[0], p[1] - q[1]);
          if (last) this.zoom(wide / last, (p[0] + q[0]) / 2, (p[1] + q[1]) / 2);
          last = wide;
        }
      });
      const lift = (event) => { fingers.delete(event.pointerId); view.classList.remove("drag"); last = null; };
      view.addEventListener("pointerup", (event) => { lift(event); this.choose(this.pick(...this.place(event)), this.place(event)); });
      view.addEventListener("pointercancel", lift);
      view.addEventListener("pointerleave", () => this.choose(-1));
      view.addEventListener("dblclick", (event) => this.zoom(2, ...this.place(event)));
      view.addEventListener("keydown", (event) => this.key(event));
      view.addEventListener("blur", () => this.choose(-1));
      this.figure.querySelectorAll("[data-zoom]").forEach((button) => button.addEventListener("click", () => {
        const by = { in: 1.6, out: 1 / 1.6 }[button.dataset.zoom];
        if (by) this.zoom(by, this.data.w / 2, this.data.h / 2); else this.all();
      }));
      const button = this.figure.querySelector("[data-moves]");
      if (button) button.addEventListener("click", () => {
        const shown = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", String(shown));
        this.moving = shown;
        const group = this.view.querySelector(".moves");
        if (group) group.toggleAttribute("hidden", !shown);
        this.draw();
      });
      const search = this.figure.querySelector("[data-find]");
      search.addEventListener("change", () => this.find(search));
      this.moving = button ? button.getAttribute("aria-pressed") === "true" : false;
    }
    key(event) {
      const step = 60, by = { ArrowLeft: [step, 0], ArrowRight: [-step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] }[event.key];
      if (by) this.pan(...by);
      else if (event.key === "+" || event.key === "=") this.zoom(1.4, this.data.w / 2, this.data.h / 2);
      else if (event.key === "-") this.zoom(1 / 1.4, this.data.w / 2, this.data.h / 2);
      else if (event.key === "0" || event.key === "Home") this.all();
      else if (event.key === "Escape") this.choose(-1);
      else if ((event.key === "n" || event.key === "p") && !event.ctrlKey && !event.metaKey && this.order.length) this.next(event.key === "n" ? 1 : -1);
      else return;
      event.preventDefault();
    }
    // What an id was typed for is chosen and brought into view; an unknown one is said to be so.
    find(search) {
      const text = search.value.trim(), mark = text ? this.data.ids.indexOf(Number(text)) : -1;
      search.setCustomValidity(text && mark < 0 ? `no ${this.data.word} ${text} is marked` : "");
      search.reportValidity();
      if (mark < 0) return;
      if (this.canvas) this.k = Math.max(this.k, 4);
      this.show(mark, true);
    }
    next(by) {
      const size = this.order.length, at = this.chosen < 0 ? (by > 0 ? -1 : 0) : this.order.indexOf(this.chosen);
      this.show(this.order[(at + by + size) % size], false);
    }
    show(mark, centred) {
      const [x, y] = this.middle(mark);
      const outside = (v, most) => v < 0 || v > most;
      if (centred || outside(x * this.k + this.x, this.data.w) || outside(y * this.k + this.y, this.data.h)) {
        this.x = this.data.w / 2 - x * this.k; this.y = this.data.h / 2 - y * this.k;
        this.draw();
      }
      this.choose(mark, [x * this.k + this.x, y * this.k + this.y]);
      this.live.textContent = this.tip.textContent;
    }
    // Where an event is, in the frame's units.
    place(event) {
      const box = this.view.getBoundingClientRect(), scale = this.data.w / box.width;
      return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    }
    pick(px, py) {
      const scale = this.data.w / this.view.clientWidth;
      return this.near.find((px - this.x) / this.k, (py - this.y) / this.k, (14 * scale) / this.k);
    }
    pan(dx, dy) { this.x += dx; this.y += dy; this.choose(-1); this.draw(); }
    zoom(by, px, py) {
      const k = Math.max(0.8, Math.min(60, this.k * by)), real = k / this.k;
      this.x = px - (px - this.x) * real; this.y = py - (py - this.y) * real; this.k = k;
      this.choose(-1);
      this.draw();
    }
    all() { this.k = 1; this.x = 0; this.y = 0; this.choose(-1); this.draw(); }

    choose(mark, at) {
      if (mark !== this.chosen) {
        this.chosen = mark;
        if (this.canvas) this.draw(); else this.mark();
      }
      this.tip.hidden = mark < 0;
      if (mark < 0) return;
      this.tip.textContent = this.told(mark);
      const scale = this.view.clientWidth / this.data.w, x = at[0] * scale, y = at[1] * scale;
      const wide = this.tip.offsetWidth, high = this.tip.offsetHeight;
      this.tip.style.left = Math.max(4, Math.min(x + 14, this.view.clientWidth - wide - 4)) + "px";
      this.tip.style.top = (y + 14 + high > this.view.clientHeight ? Math.max(4, y - high - 10) : y + 14) + "px";
    }
    told(i) {
      const d = this.data, many = d.count[i] === 1 ? "" : d.count[i] + " " + d.element + "s, ";
      const rows = [d.word + " " + d.ids[i] + (d.on === "edge" ? ": " + d.nodes[d.ends[2 * d.marks[i]]] + " to " + d.nodes[d.ends[2 * d.marks[i] + 1]] : "")];
      rows.push("released: " + many + number(d.total[i]) + " " + d.unit);
      if (d.real) rows.push("really here: " + number(d.real[i]) + " " + d.unit);
      for (const [now, from, value] of (this.byMark.get(i) || []).slice(0, 6)) {
        rows.push((now === from ? "one stayed" : "one from " + d.word + " " + d.ids[from]) + ", really " + number(value) + " " + d.unit);
      }
      return rows.join("\n");
    }

    // SVG: the halo of the chosen mark, and where what stands there came from.
    mark() {
      const group = this.halo, i = this.chosen, d = this.data;
      group.replaceChildren();
      if (i < 0) return;
      const add = (shape, kind) => {
        const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
        path.setAttribute("d", shape);
        if (kind) path.setAttribute("class", kind);
        group.append(path);
      };
      const s = this.segments.subarray(4 * i, 4 * i + 4), r = (d.size[i] + 3) * Math.pow(this.k, -0.45);
      if (d.on === "node") add(`M${s[0] - r} ${s[1]}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`);
      else add(`M${s[0]} ${s[1]}L${s[2]} ${s[3]}`);
      for (const [now, from] of this.byMark.get(i) || []) {
        if (now !== from) add(`M${this.middle(from).join(" ")}L${this.middle(now).join(" ")}`, "go");
      }
    }

    draw(light) {
      this.view.classList.toggle("zoomed", this.k > 1.01);
      if (!this.canvas) {
        if (this.k !== this.drawn) {
          for (const [shape, name, size, power] of this.shapes) shape.setAttribute(name, size * Math.pow(this.k, power));
          this.drawn = this.k;
        }
        this.world.setAttribute("transform", `translate(${this.x} ${this.y}) scale(${this.k})`);
        this.mark();
        return;
      }
      if (light) { this.paint("light"); return; }
      if (this.waiting) return;
      this.waiting = true;
      requestAnimationFrame(() => { this.waiting = false; this.paint(); });
    }
    colours(light) {
      const kept = root.dataset.theme;
      if (light) root.dataset.theme = light;
      const style = getComputedStyle(root), get = (name) => style.getPropertyValue(name).trim();
      const found = { ground: get("--ground"), edge: get("--edge"), halo: get("--halo"), move: get("--move"), levels: [get("--edge"), ...[1, 2, 3, 4, 5, 6].map((i) => get("--v" + i))] };
      if (light) { if (kept) root.dataset.theme = kept; else delete root.dataset.theme; }
      return found;
    }
    paint(light) {
      const d = this.data, wide = this.view.clientWidth || 900, dense = Math.min(devicePixelRatio || 1, 2);
      const scale = (wide * dense) / d.w, canvas = this.canvas;
      const w = Math.round(wide * dense), h = Math.round(d.h * scale);
      if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
      const pen = canvas.getContext("2d"), c = this.colours(light), k = scale * this.k;
      pen.setTransform(1, 0, 0, 1, 0, 0);
      pen.fillStyle = c.ground;
      pen.fillRect(0, 0, w, h);
      const fx = (x) => x * k + this.x * scale, fy = (y) => y * k + this.y * scale;
      const grow = Math.pow(this.k, 0.55), s = this.segments, lines = this.lines;
      const stroke = (list, from, colour, width) => {
        pen.beginPath();
        for (const i of list) {
          const x1 = fx(from[4 * i]), y1 = fy(from[4 * i + 1]), x2 = fx(from[4 * i + 2]), y2 = fy(from[4 * i + 3]);
          if (Math.max(x1, x2) < 0 || Math.min(x1, x2) > w || Math.max(y1, y2) < 0 || Math.min(y1, y2) > h) continue;
          pen.moveTo(x1, y1); pen.lineTo(x2, y2);
        }
        pen.strokeStyle = colour; pen.lineWidth = width; pen.lineCap = "round"; pen.stroke();
      };
      if (d.on === "node") {
        this.every ||= Array.from({ length: lines.length / 4 }, (_, i) => i);
        pen.globalAlpha = Math.min(1, 0.4 + 0.2 * this.k); // a dense network is not a grey blot
        stroke(this.every, lines, c.edge, 0.8 * dense);
        pen.globalAlpha = 1;
      }
      this.byLevel ||= [0, 1, 2, 3, 4, 5, 6].map((v) => d.level.flatMap((level, i) => (level === v ? [i] : [])));
      this.byLevel.forEach((list, v) => {
        if (d.on === "edge") { stroke(list, s, c.levels[v], (0.45 + 0.28 * v) * Math.pow(this.k, 0.35) * dense); return; }
        pen.beginPath();
        for (const i of list) {
          const x = fx(s[4 * i]), y = fy(s[4 * i + 1]), r = d.size[i] * grow * scale;
          if (x + r < 0 || x - r > w || y + r < 0 || y - r > h) continue;
          pen.moveTo(x + r, y); pen.arc(x, y, r, 0, 2 * Math.PI);
        }
        pen.fillStyle = c.levels[v]; pen.fill();
        pen.strokeStyle = c.ground; pen.lineWidth = 0.7 * dense; pen.stroke();
      });
      const go = (moves, width, alpha) => {
        pen.beginPath();
        for (const [now, from] of moves) {
          if (now === from) continue;
          const [a, b] = this.middle(from), [e, f] = this.middle(now);
          pen.moveTo(fx(a), fy(b)); pen.lineTo(fx(e), fy(f));
        }
        pen.globalAlpha = alpha; pen.strokeStyle = c.move; pen.lineWidth = width * dense; pen.stroke(); pen.globalAlpha = 1;
      };
      if (this.moving) go(d.moves, 0.6, d.moves.length > 2000 ? 0.25 : 0.6);
      const i = this.chosen;
      if (i < 0) return;
      go(this.byMark.get(i) || [], 2, 1);
      pen.strokeStyle = c.halo; pen.lineWidth = 2.5 * dense;
      pen.beginPath();
      if (d.on === "edge") { pen.moveTo(fx(s[4 * i]), fy(s[4 * i + 1])); pen.lineTo(fx(s[4 * i + 2]), fy(s[4 * i + 3])); }
      else pen.arc(fx(s[4 * i]), fy(s[4 * i + 1]), d.size[i] * grow * scale + 3 * dense, 0, 2 * Math.PI);
      pen.stroke();
    }
  }

  document.querySelectorAll(".view").forEach((view) => maps.push(new NetworkMap(view)));
  requestAnimationFrame(() => requestAnimationFrame(() => { root.dataset.ready = String(Math.round(performance.now())); }));
})();
