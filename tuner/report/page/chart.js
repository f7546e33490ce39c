// Scales, axes, and a canvas under them for many points.

function scale(low, high, from, to, logarithmic) {
  const f = logarithmic ? Math.log : (x) => x;
  const span = f(high) - f(low) || 1;
  const at = (value) => from + ((f(value) - f(low)) / span) * (to - from);
  return { at, low, high, logarithmic, from, to };
}

function niceStep(span, wanted) {
  const raw = span / wanted;
  const power = Math.pow(10, Math.floor(Math.log10(raw)));
  for (const factor of [1, 2, 5, 10]) if (factor * power >= raw) return factor * power;
  return raw;
}

function ticks(of, wanted) {
  const { low, high } = of;
  if (!of.logarithmic || high / low < 3) {
    const step = niceStep(high - low || 1, wanted);
    const out = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) out.push(i * step);
    return out;
  }
  const out = [];
  const decades = Math.log10(high / low);
  const factors = decades > 4 ? [1] : decades > 1.5 ? [1, 3] : [1, 2, 5];
  for (let p = Math.floor(Math.log10(low)); p <= Math.ceil(Math.log10(high)); p++) {
    for (const factor of factors) {
      const value = factor * Math.pow(10, p);
      if (value >= low * 0.999 && value <= high * 1.001) out.push(value);
    }
  }
  return out;
}

// A round number says no more digits than it has.
const tickText = (value) => {
  const text = digits(value, 3);
  return text.includes(".") && !text.includes("e") ? text.replace(/\.?0+$/, "") : text;
};

// What a chart is drawn on: `width` of the container, room for axes, an SVG, and where it is asked
// for a canvas of the same size below.
function plot(container, height, label, margins, canvas) {
  const width = Math.max(240, container.clientWidth || 600);
  const m = Object.assign({ left: 56, right: 12, top: 10, bottom: 40 }, margins);
  const root = svg("svg", {
    width, height, viewBox: "0 0 " + width + " " + height, role: "img", "aria-label": label,
  });
  const holder = h("div", { class: "plot", style: "height:" + height + "px" });
  let pen = null;
  if (canvas) {
    const ratio = window.devicePixelRatio || 1;
    const sheet = h("canvas", {
      width: Math.round(width * ratio), height: Math.round(height * ratio), "aria-hidden": "true",
      style: "width:" + width + "px;height:" + height + "px",
    });
    holder.append(sheet);
    pen = sheet.getContext("2d");
    pen.scale(ratio, ratio);
  }
  holder.append(root);
  container.append(holder);
  return {
    width, height, m, root, pen, holder,
    left: m.left, right: width - m.right, top: m.top, bottom: height - m.bottom,
  };
}

function axes(p, x, y, xLabel, yLabel) {
  for (const value of ticks(y, 5)) {
    const at = y.at(value);
    p.root.append(
      svg("line", { class: "grid", x1: p.left, x2: p.right, y1: at, y2: at }),
      svg("text", { class: "tick end", x: p.left - 6, y: at + 4 }, tickText(value)));
  }
  for (const value of ticks(x, Math.max(2, Math.floor(p.width / 110)))) {
    const at = x.at(value);
    p.root.append(
      svg("line", { class: "mark", x1: at, x2: at, y1: p.bottom, y2: p.bottom + 4 }),
      svg("text", { class: "tick middle", x: at, y: p.bottom + 17 }, tickText(value)));
  }
  p.root.append(
    svg("line", { class: "mark", x1: p.left, x2: p.right, y1: p.bottom, y2: p.bottom }),
    svg("text", { class: "axis middle", x: (p.left + p.right) / 2, y: p.height - 4 }, xLabel),
    svg("text", { class: "axis", x: 0, y: p.top - 14 + 8 }, yLabel));
}

// Lowest and highest of rows; a little room around.
function extent(rows, value) {
  let low = Infinity;
  let high = -Infinity;
  for (const row of rows) {
    const v = value(row);
    if (v < low) low = v;
    if (v > high) high = v;
  }
  return [low, high];
}
function roomy([low, high], logarithmic) {
  if (logarithmic) return [low / 1.05, high * 1.05];
  const room = (high - low || Math.abs(high) || 1) * 0.05;
  return [low - room, high + room];
}
