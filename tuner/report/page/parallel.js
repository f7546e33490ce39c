// Parallel coordinates, which are also the filter. Configurations between two neighbouring axes that
// have both values in common are one line, coloured by the best of them: so there are never more than
// a few thousand lines, however many configurations were measured.

const MOST_AXES = 10;
const FIGURE_BINS = 80;

function chosenAxes(set) {
  return set.varying.slice().sort((a, b) => b.importance - a.importance).slice(0, MOST_AXES)
    .sort((a, b) => set.params.indexOf(a) - set.params.indexOf(b));
}

// Axes with where each code is; the last one is the figure, in bins.
function layAxes(set, p, figureScale) {
  const axes = chosenAxes(set).map((param) => {
    const n = param.values.length;
    const step = (p.bottom - p.top) / Math.max(1, n - 1);
    return {
      param, place: set.params.indexOf(param), name: param.name, bins: n,
      code: (row) => param.codes[row],
      y: (code) => (n === 1 ? (p.top + p.bottom) / 2 : p.bottom - code * step),
    };
  });
  const span = p.bottom - p.top;
  axes.push({
    param: null, name: set.figureName + (set.isTime ? ", ms" : ""), bins: FIGURE_BINS,
    code: (row) => Math.max(0, Math.min(FIGURE_BINS - 1,
      Math.floor(((p.bottom - figureScale.at(set.value[row])) / span) * FIGURE_BINS))),
    y: (code) => p.bottom - ((code + 0.5) / FIGURE_BINS) * span,
  });
  axes.forEach((axis, i) => {
    axis.x = p.left + ((p.right - p.left) * i) / Math.max(1, axes.length - 1);
  });
  return axes;
}

// The lines between two axes: from, to, and the best figure of all that go along there.
function strands(set, a, b, rows) {
  const best = new Float64Array(a.bins * b.bins).fill(NaN);
  for (const row of rows) {
    const at = a.code(row) * b.bins + b.code(row);
    const value = set.value[row];
    if (Number.isNaN(best[at]) || set.better(value, best[at])) best[at] = value;
  }
  const out = [];
  best.forEach((value, at) => {
    if (!Number.isNaN(value)) out.push({ from: Math.floor(at / b.bins), to: at % b.bins, value });
  });
  return out;
}

function drawStrands(pen, a, b, list, style) {
  for (const one of list) {
    const middle = (a.x + b.x) / 2;
    pen.strokeStyle = style(one);
    pen.beginPath();
    pen.moveTo(a.x, a.y(one.from));
    pen.bezierCurveTo(middle, a.y(one.from), middle, b.y(one.to), b.x, b.y(one.to));
    pen.stroke();
  }
}

function drawLines(set, p, axes, figureScale) {
  const rows = passingRows();
  const [low, high] = [figureScale.low, figureScale.high];
  const share = (value) => {
    const t = figureScale.logarithmic
      ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
    return set.maximize ? 1 - t : t;
  };
  const faint = colour("faint-line");
  for (let i = 0; i + 1 < axes.length; i++) {
    const [a, b] = [axes[i], axes[i + 1]];
    p.pen.lineWidth = 1;
    if (isFiltered()) drawStrands(p.pen, a, b, strands(set, a, b, set.measured), () => faint);
    const list = strands(set, a, b, rows);
    list.sort((x, y) => (set.better(x.value, y.value) ? 1 : -1));
    p.pen.lineWidth = 1.4;
    drawStrands(p.pen, a, b, list, (one) => shade(share(one.value)));
  }
  if (rows.length === 0) return;
  const best = rows.reduce((x, y) => (set.better(set.value[y], set.value[x]) ? y : x));
  p.pen.lineWidth = 3;
  for (let i = 0; i + 1 < axes.length; i++) {
    drawStrands(p.pen, axes[i], axes[i + 1],
      [{ from: axes[i].code(best), to: axes[i + 1].code(best) }], () => colour("accent"));
  }
}

function axisLabels(p, axis) {
  p.root.append(
    svg("line", { class: "rail", x1: axis.x, x2: axis.x, y1: p.top, y2: p.bottom }),
    svg("text", { class: "axis-name middle", x: axis.x, y: p.top - 14 },
      axis.name.length > 14 ? axis.name.slice(0, 13) + "\u2026" : axis.name, svg("title", {}, axis.name)));
  if (!axis.param) return;
  const every = Math.ceil((13 * axis.bins) / (p.bottom - p.top + 13));
  const allowed = state.allowed.get(axis.place);
  axis.param.values.forEach((value, code) => {
    const out = allowed && !allowed.has(code);
    p.root.append(svg("circle", { class: out ? "stop out" : "stop", cx: axis.x, cy: axis.y(code), r: 3 }));
    if (code % every) return;
    p.root.append(svg("text", { class: out ? "value out" : "value", x: axis.x + 6, y: axis.y(code) + 4 },
      value.length > 9 ? value.slice(0, 8) + "\u2026" : value));
  });
}

// Dragging along an axis lets through what lies between; a tap is one value more or less.
function addBrush(p, axis, figureScale) {
  const strip = svg("rect", { class: "catch brush", x: axis.x - 16, y: p.top - 8, width: 40,
    height: p.bottom - p.top + 16, "data-axis": axis.name });
  const mark = svg("rect", { class: "brushed", x: axis.x - 8, width: 16, y: 0, height: 0 });
  let from = null;
  const yOf = (event) => event.clientY - p.root.getBoundingClientRect().top;
  strip.addEventListener("pointerdown", (event) => {
    from = yOf(event);
    strip.setPointerCapture(event.pointerId);
  });
  strip.addEventListener("pointermove", (event) => {
    if (from === null) return;
    mark.setAttribute("y", Math.min(from, yOf(event)));
    mark.setAttribute("height", Math.abs(yOf(event) - from));
  });
  strip.addEventListener("pointerup", (event) => {
    if (from === null) return;
    const [top, bottom] = [Math.min(from, yOf(event)), Math.max(from, yOf(event))];
    from = null;
    mark.setAttribute("height", 0);
    brushed(p, axis, figureScale, top, bottom);
  });
  strip.addEventListener("pointercancel", () => { from = null; });
  p.root.append(mark, strip);
}

function brushed(p, axis, figureScale, top, bottom) {
  const isTap = bottom - top < 5;
  if (!axis.param) {
    const value = (y) => {
      const u = (y - p.bottom) / (p.top - p.bottom);
      const { low, high, logarithmic } = figureScale;
      return logarithmic ? low * Math.pow(high / low, u) : low + u * (high - low);
    };
    state.range = isTap ? null : [value(bottom), value(top)];
    filterChanged();
    return;
  }
  if (isTap) {
    let nearest = 0;
    axis.param.values.forEach((_, code) => {
      if (Math.abs(axis.y(code) - top) < Math.abs(axis.y(nearest) - top)) nearest = code;
    });
    toggleValue(axis.place, nearest);
    return;
  }
  const codes = new Set();
  axis.param.values.forEach((_, code) => {
    if (axis.y(code) >= top - 4 && axis.y(code) <= bottom + 4) codes.add(code);
  });
  allowOnly(axis.place, codes, axis.param);
}

// The same filter for keyboards.
function filterForm(set) {
  const rows = set.varying.map((param) => {
    const place = set.params.indexOf(param);
    const allowed = state.allowed.get(place);
    return h("div", { class: "filter-row", role: "group", "aria-label": param.name },
      h("span", { class: "filter-name" }, param.name),
      param.values.map((value, code) => h("button", {
        type: "button", class: "value-button", "data-param": param.name, "data-value": value,
        "aria-pressed": String(Boolean(allowed && allowed.has(code))),
        onclick: () => toggleValue(place, code),
      }, value)));
  });
  const bound = (which, text) => h("label", {}, text, h("input", {
    type: "number", step: "any", "data-bound": which,
    value: state.range && Number.isFinite(state.range[which]) ? Number(state.range[which].toPrecision(6)) : "",
    onchange: (event) => {
      const range = state.range ? state.range.slice() : [-Infinity, Infinity];
      range[which] = event.target.value === "" ? [-Infinity, Infinity][which] : Number(event.target.value);
      state.range = range.some(Number.isFinite) ? range : null;
      filterChanged();
    },
  }));
  return h("div", { class: "filters" }, rows, h("div", { class: "filter-row" },
    h("span", { class: "filter-name" }, set.figureName + (set.isTime ? ", ms" : "")),
    bound(0, "from "), bound(1, "to ")));
}

function parallel() {
  const set = state.set;
  const axesOf = chosenAxes(set);
  if (set.measured.length < 2 || axesOf.length === 0) return leaveOut("parallel");
  const focus = document.activeElement && document.activeElement.dataset;
  const again = focus && focus.param ? [focus.param, focus.value] : null;
  const open = document.querySelector("#parallel details.form");
  const wasOpen = open ? open.open : true;
  const chart = h("div", { class: "chart wide-chart", tabindex: "0", role: "group",
    "aria-label": "Parallel coordinates; the buttons below filter, too" });
  fill("parallel", "Parallel coordinates",
    "Every measured configuration is a line through its values to its " + set.figureName +
    "; the strongest colour is the best. Drag along an axis, or tap a value, to filter: ranking, " +
    "effects and pairs follow." +
    (axesOf.length < set.varying.length
      ? " Shown are the " + axesOf.length + " parameters that matter most; the buttons have all." : ""),
    filterLine(), chart,
    h("details", { class: "form", open: wasOpen }, h("summary", {}, "Filter by value"), filterForm(set)));
  const inner = h("div", { style: "min-width:" + (axesOf.length + 1) * 74 + "px" });
  chart.append(inner);
  const p = plot(inner, 380, "Parallel coordinates of " + axesOf.map((one) => one.name).join(", "),
    { left: 24, right: 56, top: 40, bottom: 20 }, true);
  const positive = set.measured.every((row) => set.value[row] > 0);
  const y = scale(...roomy(extent(set.measured, (row) => set.value[row]), positive), p.bottom, p.top, positive);
  const axes = layAxes(set, p, y);
  drawLines(set, p, axes, y);
  axes.forEach((axis) => axisLabels(p, axis));
  for (const value of ticks(y, 6)) {
    p.root.append(svg("text", { class: "value", x: axes[axes.length - 1].x + 6, y: y.at(value) + 4 }, tickText(value)));
  }
  axes.forEach((axis) => addBrush(p, axis, y));
  if (again) {
    const button = Array.from(document.querySelectorAll(".value-button")).find((one) =>
      one.dataset.param === again[0] && one.dataset.value === again[1]);
    if (button) button.focus();
  }
}
