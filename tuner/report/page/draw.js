// Builds elements and says numbers. Text is always set as text: nothing in the data becomes markup.

function build(space, tag, attributes, children) {
  const node = space ? document.createElementNS(space, tag) : document.createElement(tag);
  for (const name of Object.keys(attributes || {})) {
    const value = attributes[name];
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}
const h = (tag, attributes, ...children) => build(null, tag, attributes, children);
const svg = (tag, attributes, ...children) =>
  build("http://www.w3.org/2000/svg", tag, attributes, children);

// As many digits as count, without an exponent where people would not want one.
function digits(value, count) {
  if (!Number.isFinite(value)) return "";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4) return value.toExponential(count - 1);
  const after = Math.max(0, count - 1 - Math.floor(Math.log10(size)));
  const text = value.toFixed(Math.min(after, 12));
  const [whole, rest] = text.split(".");
  const spaced = whole.replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
  return rest ? spaced + "." + rest : spaced;
}
const count = (value) => digits(value, 12).split(".")[0];
const percent = (share) => digits(100 * share, share < 0.0995 ? 2 : 3) + "\u00a0%";
const times = (ratio) => digits(ratio, ratio < 10 ? 3 : 4) + "\u00d7";
const withUnit = (set, value) =>
  set.isTime ? digits(value, 4) + "\u00a0ms" : digits(value, 5);
function duration(seconds) {
  if (seconds < 60) return digits(seconds, 3) + "\u00a0s";
  const whole = Math.round(seconds);
  if (whole < 3600) return Math.floor(whole / 60) + "\u00a0min " + (whole % 60) + "\u00a0s";
  return Math.floor(whole / 3600) + "\u00a0h " + (Math.floor(whole / 60) % 60) + "\u00a0min";
}

// A heading, what the section says in a sentence, and its parts.
function fill(id, title, lead, ...parts) {
  const section = document.getElementById(id);
  section.replaceChildren(
    h("h2", { id: id + "-title" }, title), lead ? h("p", { class: "lead" }, lead) : "",
    ...parts.flat().filter(Boolean));
  section.hidden = false;
  return section;
}
function leaveOut(id) {
  const section = document.getElementById(id);
  section.replaceChildren();
  section.hidden = true;
}

// heads: texts, or {text, number: true}. Cells: texts or nodes.
function table(caption, heads, rows, attributes) {
  const isNumber = heads.map((head) => typeof head === "object" && head.number);
  const cell = (content, i) => h("td", { class: isNumber[i] ? "number" : null }, content);
  return h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": caption },
    h("table", attributes || {},
      h("caption", { class: "unseen" }, caption),
      h("thead", {}, h("tr", {}, heads.map((head, i) =>
        h("th", { scope: "col", class: isNumber[i] ? "number" : null }, head.text || head)))),
      h("tbody", {}, rows.map((row) => h("tr", {}, row.map(cell))))));
}

// The numbers behind a chart, made when somebody asks for them.
function behind(make) {
  const details = h("details", { class: "behind" }, h("summary", {}, "Numbers as a table"));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(make());
  });
  return details;
}

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}
function colourParts(name) {
  const hex = colour(name).replace("#", "");
  return [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16));
}
// From the best (0) to the worst (1), one hue with rising lightness in both schemes.
function shade(t) {
  const best = colourParts("scale-best");
  const middle = colourParts("scale-middle");
  const worst = colourParts("scale-worst");
  const clamped = Number.isNaN(t) ? 0.5 : Math.min(1, Math.max(0, t));
  const [from, to, u] = clamped < 0.5 ? [best, middle, clamped * 2] : [middle, worst, clamped * 2 - 1];
  return "rgb(" + from.map((value, i) => Math.round(value + (to[i] - value) * u)).join(",") + ")";
}
