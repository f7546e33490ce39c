// What each parameter does: how much it matters, and the best and the median for each value.

function importanceTable(set) {
  const params = set.varying.slice().sort((a, b) => b.importance - a.importance);
  const sum = params.reduce((all, param) => all + Math.max(0, param.importance), 0);
  if (!(sum > 0)) return null;
  return table("Importance of each parameter", ["Parameter", "Share of all importance"],
    params.map((param) => {
      const share = Math.max(0, param.importance) / sum;
      return [param.name,
        h("span", { class: "bar", style: "--share:" + share / (params[0].importance / sum) }, percent(share))];
    }), { class: "bars" });
}

function importanceText(set) {
  const { explained, rows } = set.raw.importance;
  return "Permutation importance of a random forest (Breiman 2001) of 48 trees, grown on the " +
    (set.isTime ? "logarithm of the time of " : "figures of ") + count(rows) +
    " measured configurations: by how much its predictions for configurations that a tree has not " +
    "seen get worse when one parameter\u2019s values are shuffled. These predictions explain " +
    percent(Math.max(0, explained)) + " of the variance" +
    (explained < 0.5 ? ", which is little: take the order with caution." : ".") +
    " Configurations that failed have no time and do not count; parameters that depend on each " +
    "other share their importance.";
}

function drawEffect(card, set, param, groups, y) {
  const p = plot(card, 170, param.name + ": best and median " + set.figureName + " for each value",
    { left: 44, bottom: 24, top: 8, right: 8 }, false);
  const at = scaledTo(y, p.bottom, p.top);
  const shown = groups.map((group, code) => ({ group, code })).filter(({ group }) => group.n > 0);
  const room = (p.right - p.left) / Math.max(1, shown.length);
  const every = Math.ceil(34 / room);
  for (const value of ticks(at, 4)) {
    p.root.append(svg("line", { class: "grid", x1: p.left, x2: p.right, y1: at.at(value), y2: at.at(value) }),
      svg("text", { class: "tick end", x: p.left - 5, y: at.at(value) + 4 }, tickText(value)));
  }
  shown.forEach(({ group, code }, i) => {
    const x = p.left + room * (i + 0.5);
    const name = param.values[code];
    p.root.append(
      svg("line", { class: "stem", x1: x, x2: x, y1: within(p, at.at(group.best)), y2: within(p, at.at(group.median)) }),
      dotOrArrow(p, "hollow", x, at.at(group.median)), dotOrArrow(p, "dot", x, at.at(group.best)));
    p.root.append(svg("rect", { class: "catch", x: x - room / 2, y: p.top, width: room, height: p.bottom - p.top },
      svg("title", {}, param.name + "=" + name + ": best " + withUnit(set, group.best) + ", median " +
        withUnit(set, group.median) + ", " + group.n + " measured")));
    if (i % every === 0) {
      const most = Math.max(3, Math.floor((room * every) / 6.5));
      const text = name.length > most ? name.slice(0, most - 1) + "\u2026" : name;
      p.root.append(svg("text", { class: "tick middle", x, y: p.bottom + 16 }, text));
    }
  });
  card.append(behind(() => table(param.name + ": best and median",
    [param.name, { text: "Best", number: true }, { text: "Median", number: true },
      { text: "Measured", number: true }],
    shown.map(({ group, code }) => [param.values[code], withUnit(set, group.best),
      withUnit(set, group.median), count(group.n)]))));
}

// What is far worse than all that matters is an arrow at the edge, so that it does not flatten the rest.
const within = (p, y) => Math.min(p.bottom, Math.max(p.top, y));
function dotOrArrow(p, kind, x, y) {
  if (y >= p.top - 1 && y <= p.bottom + 1) return svg("circle", { class: kind, cx: x, cy: y, r: kind === "dot" ? 4 : 3.5 });
  const [tip, foot] = y < p.top ? [p.top - 2, p.top + 6] : [p.bottom + 2, p.bottom - 6];
  return svg("path", { class: kind === "dot" ? "dot" : "beyond",
    d: "M" + x + "," + tip + "l5," + (foot - tip) + "h-10z" });
}
// From the best to where most of the values are, at most to what is four times as bad.
function effectRange(set, all) {
  const sorted = all.slice().sort((a, b) => (set.better(a, b) ? -1 : 1));
  const [best, worst] = [sorted[0], sorted[sorted.length - 1]];
  if (Math.min(best, worst) <= 0) return [Math.min(best, worst), Math.max(best, worst)];
  const most = sorted[Math.floor(0.8 * (sorted.length - 1))];
  const ratio = (value) => (set.maximize ? best / value : value / best);
  const far = Math.min(ratio(worst), 4, Math.max(1.3, ratio(most) * 1.1));
  return set.maximize ? [best / far, best] : [best, best * far];
}

// The same values on another stretch of the page.
function scaledTo(of, from, to) {
  return scale(of.low, of.high, from, to, of.logarithmic);
}

function effects() {
  const set = state.set;
  const rows = passingRows();
  const params = set.varying.slice().sort((a, b) => b.importance - a.importance);
  if (rows.length < 2 || params.length === 0) return leaveOut("effects");
  const grouped = params.map((param) =>
    byCode(set, (row) => param.codes[row], param.values.length, rows));
  const all = grouped.flat().filter((group) => group.n > 0).flatMap((g) => [g.best, g.median]);
  const positive = all.every((value) => value > 0);
  const y = scale(...roomy(effectRange(set, all), positive), 0, 1, positive);
  const grid = h("div", { class: "grid-of-charts" });
  fill("effects", "Effect of each parameter", null, filterLine(), importanceTable(set),
    h("p", { class: "note" }, importanceText(set)),
    h("h3", {}, "Best and median by value"),
    h("p", { class: "note legend" }, h("span", { class: "key dot-key" }), "best ",
      h("span", { class: "key hollow-key" }), "median of what was measured, by the search\u2019s figures" +
      "; one " + (positive ? "logarithmic " : "") + "scale" + (set.isTime ? " in ms" : "") +
      " for all, which ends where most values are; an arrow is worse. A search measures good regions more often, so medians lean towards good values."),
    grid);
  params.forEach((param, i) => {
    const card = h("figure", { class: "card" }, h("figcaption", {}, param.name));
    grid.append(card);
    drawEffect(card, set, param, grouped[i], y);
  });
}
