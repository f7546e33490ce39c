// Two parameters at once, as a heat map.

const pairChoice = { x: null, y: null, by: "best" };

function picker(label, options, chosen, change) {
  const id = "pick-" + label.toLowerCase().replace(/[^a-z]+/g, "-");
  return h("span", { class: "pick" }, h("label", { for: id }, label),
    h("select", { id, onchange: (event) => change(event.target.value) },
      options.map(([value, text]) =>
        h("option", { value, selected: String(value) === String(chosen) }, text))));
}

function pairCells(set, a, b, rows) {
  const width = a.values.length;
  return byCode(set, (row) => b.codes[row] * width + a.codes[row], width * b.values.length, rows);
}

function drawPairs(container, set, a, b, cells) {
  const longest = Math.max(...b.values.map((value) => value.length));
  const left = Math.min(140, 24 + longest * 7);
  const rowHeight = b.values.length > 24 ? 14 : 28;
  const p = plot(container, 46 + b.values.length * rowHeight,
    pairChoice.by + " " + set.figureName + " for each pair of " + a.name + " and " + b.name,
    { left, bottom: 36, top: 8 }, false);
  const width = Math.min(96, (p.right - p.left) / a.values.length);
  const known = cells.filter((cell) => cell.n > 0).map((cell) => cell[pairChoice.by]);
  const best = known.reduce((x, y) => (set.better(y, x) ? y : x), known[0]);
  const worst = known.reduce((x, y) => (set.better(y, x) ? x : y), known[0]);
  const far = Math.max(1e-9, Math.abs(Math.log(worst / best)));
  const every = Math.ceil(30 / width);
  cells.forEach((cell, i) => {
    const x = p.left + (i % a.values.length) * width;
    const y = p.top + Math.floor(i / a.values.length) * rowHeight;
    const name = a.name + "=" + a.values[i % a.values.length] + ", " + b.name + "=" +
      b.values[Math.floor(i / a.values.length)];
    if (cell.n === 0) {
      p.root.append(svg("rect", { class: "empty", x: x + 1, y: y + 1, width: width - 2, height: rowHeight - 2 },
        svg("title", {}, name + ": not measured")));
      return;
    }
    const value = cell[pairChoice.by];
    const t = Math.abs(Math.log(value / best)) / far;
    p.root.append(svg("rect", { x: x + 1, y: y + 1, width: width - 2, height: rowHeight - 2, rx: 2, fill: shade(t) },
      svg("title", {}, name + ": " + withUnit(set, value) + ", " + cell.n + " measured")));
    if (width > 44 && rowHeight > 20) {
      p.root.append(svg("text", { class: t < 0.45 ? "cell strong" : "cell", x: x + width / 2, y: y + rowHeight / 2 + 4 },
        digits(value, 3)));
    }
  });
  b.values.forEach((value, i) => p.root.append(svg("text",
    { class: "tick end", x: p.left - 6, y: p.top + (i + 0.5) * rowHeight + 4 }, value.slice(0, 18))));
  a.values.forEach((value, i) => {
    if (i % every) return;
    p.root.append(svg("text", { class: "tick middle", x: p.left + (i + 0.5) * width, y: p.bottom + 14 },
      value.slice(0, Math.max(3, Math.floor((width * every) / 7)))));
  });
  p.root.append(svg("text", { class: "axis", x: p.left, y: p.height - 4 }, a.name + " across, " + b.name + " down"));
}

function pairs() {
  const set = state.set;
  const params = set.varying.slice().sort((x, y) => y.importance - x.importance);
  const rows = passingRows();
  if (params.length < 2 || rows.length < 2) return leaveOut("pairs");
  const names = params.map((param) => [param.name, param.name]);
  const named = (name, otherwise) => params.find((param) => param.name === name) || otherwise;
  const a = named(pairChoice.x, params[0]);
  const b = named(pairChoice.y, params.find((param) => param !== a));
  const cells = pairCells(set, a, b, rows);
  const chart = h("div", { class: "chart" });
  const change = (what) => (value) => { pairChoice[what] = value; pairs(); };
  fill("pairs", "Pairs of parameters",
    "The " + pairChoice.by + " " + set.figureName + " of all configurations with both values, " +
    "by the search\u2019s figures. Stronger is better; a hatched field was never measured.",
    filterLine(),
    h("div", { class: "pickers" }, picker("Across", names, a.name, change("x")),
      picker("Down", names, b.name, change("y")),
      picker("Shown", [["best", "best"], ["median", "median"]], pairChoice.by, change("by"))),
    chart);
  if (a === b) {
    chart.append(h("p", { class: "note" }, "Choose two different parameters."));
    return;
  }
  drawPairs(chart, set, a, b, cells);
  chart.append(behind(() => table("Pairs", [a.name, b.name, { text: pairChoice.by, number: true },
    { text: "Measured", number: true }],
  cells.map((cell, i) => [a.values[i % a.values.length], b.values[Math.floor(i / a.values.length)],
    cell.n ? withUnit(set, cell[pairChoice.by]) : "", count(cell.n)]).filter((row) => row[3] !== "0"))));
}
