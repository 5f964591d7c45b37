"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const data = JSON.parse($("points").textContent);
  const N = data.runs.length, form = $("choose"), count = $("count"), live = $("live");
  const W = 440, H = 330, LEFT = 58, RIGHT = 16, TOP = 26, BOTTOM = 46, SERIES = 10;
  const HELD = ["obfuscated", "residual", "public"], AXES = [["fidelity", "damage"], ["privacy", "damage"], ["privacy", "fidelity"]];
  const range = (n) => [...Array(n).keys()];
  let answers = {}; // read once a drawing: asking the form for every point is slow
  const asked = (name) => answers[name];
  const read = () => {
    answers = Object.fromEntries([...form.querySelectorAll("select")].map((select) => [select.name, select.value]));
    answers.dial = data.dials.find((dial) => dial.name === answers.by);
  };
  const state = { shown: [], some: null, only: "", chosen: -1, sort: "damage", down: false, all: false };

  const make = (name, given, ...inside) => {
    const svg = ["svg", "g", "path", "line", "text", "rect", "circle"].includes(name);
    const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
    for (const [key, value] of Object.entries(given || {})) if (value !== null && value !== false) node.setAttribute(key, value);
    node.append(...inside.filter((child) => child !== null));
    return node;
  };
  const number = (x, digits = 3) => x === null || x === undefined ? "–"
    : x.toLocaleString("en", { maximumSignificantDigits: Math.abs(x) >= 1000 ? 6 : digits, maximumFractionDigits: 6 });
  const spread = (m) => m ? `${number(m.v)}${m.se === null ? "" : ` ± ${number(m.se, 2)}`}` : "–";

  // What a point says: {v, se, n}, or null where nothing was measured.
  const mean = (column, i, by = 1) => column && column.v[i] !== null
    ? { v: column.v[i] * by, se: column.se[i] === null ? null : column.se[i] * by, n: column.n[i] } : null;
  const hit = (role, i, b = Number(asked("budget"))) => {
    const column = data.hits[b]?.[role];
    if (!column) return null;
    if (asked("as") === "amount") return mean(column, i);
    const most = mean(data.hits[b].informed, i); // certain: its error is 0
    return most && most.v > 0 ? mean(column, i, 100 / most.v) : null;
  };
  const best = (i) => {
    const ways = HELD.map((role) => hit(role, i)).filter(Boolean);
    return ways.length ? ways.reduce((a, b) => (b.v > a.v ? b : a)) : null;
  };
  const measure = {
    fidelity: (i) => mean(data.means[asked("fidelity")], i),
    damage: (i) => (asked("attacker") === "held" ? best(i) : hit(asked("attacker"), i)),
    privacy: (i) => mean(data.means[asked("privacy")], i),
  };
  const units = (of) => [...new Set(of.map((i) => data.units[data.unit[i]]))].filter(Boolean);
  const word = (name) => form.elements[name]?.selectedOptions?.[0]?.textContent ?? "";
  const title = {
    fidelity: () => word("fidelity"),
    privacy: () => word("privacy"),
    damage: () => `damage, ${asked("as") === "amount" ? units(state.shown).join(" or ") : "% of the fully informed attacker's"}`,
  };

  const value = (dial, i) => dial.values[dial.at[i]];
  const label = (i) => data.dials.filter((dial) => !["default", "none"].includes(value(dial, i))).map((dial) => (dial.name === "case" ? value(dial, i) : `${dial.label} ${value(dial, i)}`)).join(", ") || data.title;

  // Scales: linear, or of logarithms; ticks at round values, or at the few that occur.
  const ticks = (low, high) => {
    const raw = (high - low) / 5, power = 10 ** Math.floor(Math.log10(raw));
    const step = power * [1, 2, 5, 10].find((m) => m * power >= 0.85 * raw);
    const first = Math.ceil(low / step - 1e-9), last = Math.floor(high / step + 1e-9);
    return range(last - first + 1).map((k) => Number(((first + k) * step).toPrecision(12)));
  };
  const scale = (values, start, end, dial) => {
    const own = [...new Set(values)].sort((a, b) => a - b);
    let low = own[0], high = own[own.length - 1];
    const log = dial && low > 0 && high / low >= 4, few = dial && own.length <= 7;
    let round = [];
    if (!dial) { // from 0, or from below it, to round ends
      low = Math.min(0, low); high = Math.max(0, high) || (low < 0 ? 0 : 1);
      const [a, b] = ticks(low, high), step = b - a, first = Math.floor(low / step + 1e-9), last = Math.ceil(high / step - 1e-9);
      round = range(last - first + 1).map((k) => Number(((first + k) * step).toPrecision(12)));
      low = round[0]; high = round[round.length - 1];
    }
    const f = log ? Math.log : (x) => x;
    if (dial) { const pad = (f(high) - f(low)) * 0.08 || 0.5; low = f(low) - pad; high = f(high) + pad; }
    const place = (x) => start + ((f(x) - low) / (high - low)) * (end - start);
    place.ticks = round.length ? round : few || log ? thinned(own, place) : ticks(low, high);
    return place;
  };
  const thinned = (own, place) => {
    const kept = [];
    for (const x of own) if (!kept.length || Math.abs(place(x) - place(kept[kept.length - 1])) > 26) kept.push(x);
    return kept;
  };

  const shapes = [
    (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
    (x, y, r) => `M${x} ${y - 1.2 * r}l${1.2 * r} ${2.1 * r}h${-2.4 * r}z`,
    (x, y, r) => `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z`,
    (x, y, r) => `M${x} ${y - 1.3 * r}l${1.3 * r} ${1.3 * r}l${-1.3 * r} ${1.3 * r}l${-1.3 * r} ${-1.3 * r}z`,
    (x, y, r) => `M${x} ${y + 1.2 * r}l${1.2 * r} ${-2.1 * r}h${-2.4 * r}z`,
  ];
  const look = (s) => `c${s % 5}${s >= 5 ? " hollow" : ""}`;
  const dialOf = () => answers.dial;
  const series = (i) => { const dial = dialOf(); return dial ? Math.min(dial.at[i], SERIES - 1) : 0; };

  class Chart {
    constructor(figure, [x, y]) {
      Object.assign(this, { figure, x, y, svg: figure.querySelector("svg"), at: new Map() });
      const layer = (name) => this.svg.appendChild(make("g", { class: name }));
      [this.axes, this.every, this.few, this.one] = ["axes", "every", "few", "one"].map(layer);
      this.box = this.svg.appendChild(make("rect", { class: "box", visibility: "hidden" }));
      this.svg.addEventListener("keydown", (event) => this.key(event));
      this.svg.addEventListener("pointerdown", (event) => this.down(event));
      this.svg.addEventListener("pointermove", (event) => this.move(event));
      this.svg.addEventListener("pointerup", (event) => this.up(event));
      this.svg.addEventListener("pointercancel", () => { this.from = null; this.box.setAttribute("visibility", "hidden"); });
    }
    draw() {
      const of = state.shown.map((i) => [i, measure[this.x](i), measure[this.y](i)]).filter(([, a, b]) => a && b);
      this.at = new Map(); this.axes.replaceChildren(); this.every.replaceChildren();
      const empty = state.shown.length - of.length;
      const harmless = this.y === "damage" && asked("as") === "share" && state.shown.some((i) => data.hits[Number(asked("budget"))]?.informed.v[i] === 0);
      const why = harmless ? "; with this budget even who knows all does no damage to some of the networks" : "";
      this.figure.querySelector(".none").textContent = of.length ? (empty ? `${empty} of the settings have no figure here${why}.` : "") : `Nothing was measured here${why}.`;
      this.svg.setAttribute("aria-label", `${title[this.y]()} against ${title[this.x]()}: ${of.length} settings. Arrow keys choose one, Escape lets a marked group go.`);
      if (!of.length) return;
      const dial = this.x === "privacy";
      this.fx = scale(of.map(([, a]) => a.v), LEFT, W - RIGHT, dial);
      const tops = this.y === "damage" ? of.flatMap(([i, , b]) => [b.v, ...this.levels(i).map((l) => l.m.v)]) : of.map(([, , b]) => b.v);
      this.fy = scale(tops, H - BOTTOM, TOP, false);
      this.frame();
      // Dials take few values: what differs by series stands side by side.
      const kinds = dial ? Math.min(SERIES, dialOf()?.values.length ?? 1) : 1;
      const r = of.length > 2000 ? 2.2 : of.length > 300 ? 3.2 : 4.6;
      this.r = r;
      for (const [i, a, b] of of) this.at.set(i, [this.fx(a.v) + (dial ? (series(i) - (kinds - 1) / 2) * Math.min(7, 28 / kinds) : 0), this.fy(b.v)]);
      this.marks(this.every, of.map(([i]) => i), r);
    }
    marks(layer, of, r) {
      const drawn = range(SERIES).map(() => []);
      const round = (x) => Math.round(10 * x) / 10;
      for (const i of of) {
        const s = series(i), at = this.at.get(i);
        if (at) drawn[s].push(shapes[s % 5](round(at[0]), round(at[1]), r));
      }
      layer.replaceChildren(...drawn.map((parts, s) => parts.length ? make("path", { d: parts.join(""), class: `dot ${look(s)}` }) : null).filter(Boolean));
    }
    frame() {
      const { fx, fy, axes } = this, say = (x, y, words, anchor, kind = "tick") => axes.append(make("text", { x, y, class: kind, "text-anchor": anchor }, words));
      for (const t of fy.ticks) {
        axes.append(make("line", { x1: LEFT, x2: W - RIGHT, y1: fy(t), y2: fy(t), class: t === 0 ? "axis" : "grid" }));
        say(LEFT - 8, fy(t) + 4, number(t), "end");
      }
      for (const t of fx.ticks) {
        axes.append(make("line", { x1: fx(t), x2: fx(t), y1: H - BOTTOM, y2: H - BOTTOM + 5, class: "axis" }));
        say(fx(t), H - BOTTOM + 18, number(t), "middle");
      }
      axes.append(make("line", { x1: LEFT, x2: W - RIGHT, y1: H - BOTTOM, y2: H - BOTTOM, class: "axis" }));
      say((LEFT + W - RIGHT) / 2, H - 8, title[this.x](), "middle", "unit");
      say(4, 14, title[this.y](), "start", "unit");
    }
    levels(i) {
      return data.roles.map((role) => ({ role, m: hit(role.name, i) })).filter(({ role, m }) => m && role.name !== asked("attacker"));
    }
    mark() { // the group that is marked
      this.svg.classList.toggle("dimmed", state.some !== null);
      this.marks(this.few, state.some ? state.shown.filter((i) => state.some.has(i)) : [], (this.r || 4) * 1.15);
    }
    choose() { // the one point, its errors, and what other attackers do to its network
      const i = state.chosen, at = this.at.get(i), { fx, fy } = this;
      this.one.replaceChildren();
      if (!at) return;
      const [x, y] = at, add = (node) => this.one.append(node);
      if (this.y === "damage") {
        const levels = this.levels(i).map((level) => ({ ...level, at: fy(level.m.v) })).sort((p, q) => q.at - p.at);
        let last = Infinity; // words stand over their lines, apart from each other and within the chart
        for (const level of levels) level.word = last = Math.min(last - 13, level.at - 3);
        last = TOP - 16;
        for (const level of [...levels].reverse()) level.word = last = Math.max(last + 13, level.word);
        for (const { role, at: y, word: over } of levels) {
          add(make("line", { x1: LEFT, x2: W - RIGHT, y1: y, y2: y, class: `level l-${role.name}` }));
          add(make("text", { x: W - RIGHT, y: over, class: "tick level-word", "text-anchor": "end" }, role.label));
        }
      }
      const a = measure[this.x](i), b = measure[this.y](i);
      if (b.se) add(make("path", { class: "whisker", d: `M${x - 4} ${fy(b.v - b.se)}h8m-4 0V${fy(b.v + b.se)}m-4 0h8` }));
      if (a.se && this.x !== "privacy") add(make("path", { class: "whisker", d: `M${fx(a.v - a.se)} ${y - 4}v8m0-4H${fx(a.v + a.se)}m0-4v8` }));
      add(make("circle", { cx: x, cy: y, r: this.r + 4.5, class: "ring" }));
      this.marks(this.one.appendChild(make("g")), [i], this.r * 1.3);
    }
    place(event) {
      const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
      return [p.x, p.y];
    }
    down(event) { if (event.button === 0 && event.isPrimary) { this.from = this.place(event); if (event.pointerType !== "touch") this.svg.setPointerCapture(event.pointerId); } }
    move(event) {
      if (!this.from || event.pointerType === "touch") return;
      const [x, y] = this.place(event), [u, v] = this.from;
      if (!this.moved && Math.hypot(x - u, y - v) < 5) return;
      this.moved = [Math.min(x, u), Math.min(y, v), Math.max(x, u), Math.max(y, v)];
      const [a, b, c, d] = this.moved;
      for (const [key, given] of Object.entries({ x: a, y: b, width: c - a, height: d - b, visibility: "visible" })) this.box.setAttribute(key, given);
      if (!this.waits) this.waits = requestAnimationFrame(() => { this.waits = 0; if (this.moved) this.brush(); });
    }
    brush() {
      const [a, b, c, d] = this.moved;
      state.some = new Set(state.shown.filter((i) => { const at = this.at.get(i); return at && at[0] >= a && at[0] <= c && at[1] >= b && at[1] <= d; }));
      charts.forEach((chart) => chart.mark());
    }
    up(event) {
      if (!this.from) return;
      const [x, y] = this.place(event);
      this.box.setAttribute("visibility", "hidden");
      if (this.moved) { this.brush(); this.moved = this.from = null; if (!state.some.size) state.some = null; marked(); return; }
      this.from = null;
      let least = 26, found = -1;
      for (const [i, at] of this.at) { const far = Math.hypot(at[0] - x, at[1] - y); if (far < least) { least = far; found = i; } }
      if (found >= 0) choose(found);
      else if (state.some) { state.some = null; marked(); }
    }
    key(event) {
      const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, Home: -Infinity, End: Infinity }[event.key];
      if (event.key === "Escape" && state.some) { state.some = null; marked(); }
      if (!step || !this.at.size || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      const line = [...this.at].filter(([i]) => !state.some || state.some.has(i)).sort((a, b) => a[1][0] - b[1][0] || a[1][1] - b[1][1]).map(([i]) => i);
      const here = line.indexOf(state.chosen);
      choose(line[here < 0 ? 0 : Math.max(0, Math.min(line.length - 1, here + step))], `${line.length}`);
    }
  }

  const charts = [...document.querySelectorAll("figure.linked")].map((figure, k) => new Chart(figure, AXES[k]));

  // The chosen point: its figures, its bars, its commands.
  const row = (head, ...cells) => make("tr", {}, make("th", { scope: "row" }, head), ...cells.map((cell) => make("td", {}, cell)));
  const figures = (name, m) => row(name, number(m?.v), number(m?.se, 2), m ? String(m.n) : "–");
  const bars = (i) => {
    const roles = data.roles.map((role) => ({ role, m: hit(role.name, i) })).filter(({ m }) => m);
    const svg = $("bars"), start = 118, end = W - 64;
    svg.replaceChildren();
    svg.setAttribute("viewBox", `0 0 ${W} ${Math.max(1, roles.length) * 34 + 6}`);
    svg.setAttribute("aria-label", roles.map(({ role, m }) => `${role.label} ${spread(m)}`).join("; ") || "no attack was measured");
    if (!roles.length) { svg.append(make("text", { x: 8, y: 22, class: "tick" }, "No attack was measured.")); return; }
    const most = Math.max(...roles.map(({ m }) => m.v + (m.se || 0))) || 1, f = (v) => start + (Math.max(0, v) / most) * (end - start);
    roles.forEach(({ role, m }, k) => {
      const y = 34 * k + 6, box = { x: start, y, width: Math.max(1, f(m.v) - start), height: 24 };
      svg.append(make("text", { x: start - 10, y: y + 16, "text-anchor": "end", class: "tick" }, role.label), make("rect", { ...box, class: `r-${role.name}` }));
      if (role.pattern) svg.append(make("rect", { ...box, fill: `url(#p-${role.name})` }));
      if (m.se) svg.append(make("path", { class: "whisker", d: `M${f(m.v - m.se)} ${y + 8}v8m0-4H${f(m.v + m.se)}m0-4v8` }));
      svg.append(make("text", { x: f(m.v + (m.se || 0)) + 8, y: y + 16, class: "tick strong" }, number(m.v)));
    });
  };
  // A flag is never broken in two.
  const line = (name, words) => $(name).replaceChildren(...words.split(" ").flatMap((part, k) => [k ? " " : "", make("span", {}, part)]));
  const tell = (i) => {
    $("name").textContent = label(i);
    const done = [`${data.runs[i]} release${data.runs[i] === 1 ? "" : "s"}`, `${data.faithful[i]} faithful`];
    if (data.refused[i]) done.push(`${data.refused[i]} refused`);
    if (data.covered[i] !== null) done.push(`${data.covered[i]} of ${data.elements[i]} elements have a partner within alpha`);
    $("done").textContent = `${done.join(", ")}.`;
    $("reason").textContent = data.reason[i] === null ? "" : `Where it failed: ${data.reasons[data.reason[i]]}`;
    $("figures").replaceChildren(
      ...data.measures.filter(({ name }) => mean(data.means[name], i)).map(({ name, label: said }) => figures(name === "distance" && data.value_units[data.value_unit[i]] ? `${said}, ${data.value_units[data.value_unit[i]]}` : said, mean(data.means[name], i))),
      ...data.roles.map((role) => [role, hit(role.name, i)]).filter(([, m]) => m).map(([role, m], k) => [k ? [] : make("tr", {}, make("th", { scope: "rowgroup", colspan: 4, class: "group" }, `${title.damage()}, budget ${word("budget")}`)), figures(role.label, m)]).flat(2));
    bars(i);
    line("draw", data.draw[i] ?? "no command has this fault: it exists in studies only");
    line("repeat", data.draw[i] ? `${data.draw[i]} ${data.repeat[i]}` : "none");
    $("repeated").textContent = `run ${data.run[i]}`;
    $("notes").replaceChildren(...data.note[i].map((k) => make("li", {}, data.notes[k])));
  };
  const choose = (i, of) => {
    state.chosen = i;
    charts.forEach((chart) => chart.choose());
    tell(i); table();
    live.textContent = `${label(i)}: ${word("fidelity")} ${spread(measure.fidelity(i))}; ${title.damage()} ${spread(measure.damage(i))}; ${data.runs[i]} releases${of ? `; one of ${of}` : ""}`;
  };

  // The table: what is marked, or all that is shown.
  const ROWS = 25;
  const table = () => {
    const columns = ["privacy", "fidelity", "damage"].filter((name) => !data.dials.some((d) => d.name === asked(name)));
    const of = state.some ? state.shown.filter((i) => state.some.has(i)) : [...state.shown];
    const dial = data.dials.find((d) => d.name === state.sort);
    const key = dial ? (i) => dial.at[i] : state.sort === "runs" ? (i) => data.runs[i] : state.sort === "within" ? (i) => data.means.within.v[i] : (i) => measure[state.sort](i)?.v ?? null;
    const keys = new Map(of.map((i) => [i, key(i)]));
    of.sort((a, b) => { const u = keys.get(a), v = keys.get(b); return u === null || v === null ? (u === null) - (v === null) : (state.down ? v - u : u - v) || a - b; });
    const cell = (name, said) => make("th", { scope: "col", "aria-sort": state.sort === name ? (state.down ? "descending" : "ascending") : "none" }, make("button", { type: "button", "data-sort": name }, said));
    const whole = state.all || of.length <= 2 * ROWS;
    $("head").replaceChildren(make("td"), ...data.dials.map((d) => cell(d.name, d.label)), cell("runs", "releases"), cell("within", "within beta, %"), ...columns.map((name) => cell(name, title[name]())));
    $("rows").replaceChildren(...of.slice(0, whole ? of.length : ROWS).map((i) => {
      const button = make("button", { type: "button", "data-point": i, "aria-pressed": String(i === state.chosen), "aria-label": `Choose ${label(i)}` }, i === state.chosen ? "chosen" : "choose");
      return make("tr", i === state.chosen ? { class: "now" } : {}, make("th", { scope: "row" }, button), ...data.dials.map((d) => make("td", {}, value(d, i))), make("td", {}, String(data.runs[i])), make("td", {}, number(mean(data.means.within, i)?.v)), ...columns.map((name) => make("td", {}, spread(measure[name](i)))));
    }));
    $("more").hidden = whole;
    $("more").textContent = `Show all ${of.length}`;
  };
  $("settings").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.id === "more") { state.all = true; table(); return; }
    if (button.dataset.sort) {
      const name = button.dataset.sort;
      state.down = state.sort === name && !state.down; state.sort = name;
      table(); $("head").querySelector(`[data-sort="${name}"]`).focus();
    } else { const i = Number(button.dataset.point); choose(i); $("rows").querySelector(`[data-point="${i}"]`)?.focus(); }
  });

  const legend = () => {
    const dial = dialOf(), there = new Set(state.shown.map(series));
    $("legend").replaceChildren(...(dial?.values ?? []).slice(0, SERIES).map((said, s) => !there.has(s) ? null : make("li", {},
      make("svg", { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" }, make("path", { d: shapes[s % 5](8, 8, 5), class: `dot ${look(s)}` })),
      dial.values.length > SERIES && s === SERIES - 1 ? "all others" : `${dial.name === "case" ? "" : `${dial.label} `}${said}`)).filter(Boolean));
  };
  const said = () => {
    const some = state.some ? `, ${state.some.size.toLocaleString("en")} of them marked` : "";
    count.textContent = state.shown.length ? `${state.shown.length.toLocaleString("en")} of ${N.toLocaleString("en")} settings shown${state.only}${some}.` : "No setting is left: choose fewer filters, or begin again.";
    $("free").hidden = !state.some;
  };
  const marked = () => { charts.forEach((chart) => { chart.mark(); chart.choose(); }); said(); state.all = false; table(); };
  const start = () => { // the least damage among the most faithful
    const rank = (i) => [-(data.means.within.v[i] ?? -1), measure.damage(i)?.v ?? Infinity];
    return state.shown.reduce((a, b) => { const [p, q] = rank(a), [u, v] = rank(b); return u < p || (u === p && v < q) ? b : a; }, state.shown[0]);
  };
  const draw = () => {
    read();
    const kept = data.dials.map((dial) => {
      const boxes = [...form.querySelectorAll(`input[name="f-${dial.name}"]`)], on = boxes.filter((box) => box.checked);
      return [dial, on.length && on.length < boxes.length ? new Set(on.map((box) => Number(box.value))) : null]; // none checked: all
    }).filter(([, values]) => values);
    state.only = kept.map(([dial, values]) => `, ${dial.label} ${[...values].map((k) => dial.values[k]).join(" or ")}`).join("");
    state.shown = range(N).filter((i) => kept.every(([dial, values]) => values.has(dial.at[i])));
    if (state.some) { state.some = new Set(state.shown.filter((i) => state.some.has(i))); if (!state.some.size) state.some = null; }
    state.all = false;
    legend(); charts.forEach((chart) => chart.draw());
    $("chosen").hidden = $("settings").hidden = !state.shown.length;
    said();
    if (!state.shown.length) { charts.forEach((chart) => { chart.few.replaceChildren(); chart.one.replaceChildren(); }); return; }
    charts.forEach((chart) => chart.mark());
    choose(state.shown.includes(state.chosen) ? state.chosen : start());
  };

  form.addEventListener("change", draw);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => { state.some = null; draw(); }));
  $("free").addEventListener("click", () => { state.some = null; marked(); });
  document.querySelectorAll("[data-copy]").forEach((button) => button.addEventListener("click", () => {
    const text = $(button.dataset.copy);
    getSelection().selectAllChildren(text);
    Promise.resolve(navigator.clipboard?.writeText(text.textContent)).then(() => { live.textContent = "copied"; }, () => { live.textContent = "selected; copy it by Ctrl+C"; });
  }));
  draw();
})();
