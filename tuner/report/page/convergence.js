// How the best value came down while the search went on.

// Rows in the order in which they came, and what the clock said, in seconds.
function courseOf(set) {
  const rows = Array.from({ length: set.n }, (_, row) => row);
  rows.sort((a, b) => set.course.order[a] - set.course.order[b]);
  return rows;
}

function bestSoFar(set, rows, clock) {
  const steps = [];
  let best = NaN;
  rows.forEach((row, i) => {
    const value = set.value[row];
    if (Number.isNaN(value) || !(value > 0)) return;
    if (!Number.isNaN(best) && !set.better(value, best)) return;
    best = value;
    steps.push({ x: clock(row, i), value, row, evaluation: i + 1 });
  });
  return steps;
}

function drawConvergence(container, set, rows, clock, xLabel) {
  const steps = bestSoFar(set, rows, clock);
  const p = plot(container, 300, "Best " + set.figureName + " so far, over " + xLabel, { top: 22 }, true);
  const last = Math.max(clock(rows[rows.length - 1], rows.length - 1), 1e-9);
  const positive = set.measured.every((row) => set.value[row] > 0);
  const y = scale(...roomy(extent(set.measured, (row) => set.value[row]), positive), p.bottom, p.top,
    positive);
  const x = scale(0, last, p.left, p.right, false);
  p.pen.fillStyle = colour("faint-point");
  const size = rows.length > 20000 ? 1 : rows.length > 2000 ? 2 : 3;
  rows.forEach((row, i) => {
    const value = set.value[row];
    if (!Number.isNaN(value)) p.pen.fillRect(x.at(clock(row, i)) - size / 2, y.at(value) - size / 2, size, size);
  });
  axes(p, x, y, xLabel, set.figureName + (set.isTime ? ", ms" : "") + (positive ? " (logarithmic)" : ""));
  let path = "";
  steps.forEach((step, i) => {
    path += (i ? "H" : "M") + x.at(step.x).toFixed(1) + (i ? "V" : ",") + y.at(step.value).toFixed(1);
  });
  p.root.append(svg("path", { class: "line", d: path + "H" + p.right }));
  for (const step of steps) {
    p.root.append(svg("circle", { class: "dot", cx: x.at(step.x), cy: y.at(step.value), r: 3 },
      svg("title", {}, withUnit(set, step.value) + " at evaluation " + step.evaluation)));
  }
  container.append(behind(() => table("Each better configuration as it came",
    [{ text: "Evaluation", number: true }, { text: "Recorded after", number: true },
      { text: "Best " + set.figureName, number: true }, "Configuration"],
    steps.map((step) => [count(step.evaluation), duration(set.course.seconds[step.row]),
      withUnit(set, step.value),
      set.varying.map((param) => param.name + "=" + param.at(step.row)).join(" ")]))));
}

let clockChoice = "evaluations";
function convergence() {
  const set = state.set;
  if (!set.course || set.measured.length === 0) {
    fill("convergence", "Convergence", set.measured.length === 0 ? "Nothing was measured." :
      "The order in which configurations were tried is not in a ranked CSV file; it is in the " +
      "results' database. A report of a results folder that has one shows it.");
    return;
  }
  const rows = courseOf(set);
  const choices = { evaluations: "Evaluations", seconds: "Wall time" };
  const picker = h("div", { class: "segments", role: "group", "aria-label": "Over what" },
    Object.keys(choices).map((name) => h("button", {
      type: "button", "aria-pressed": String(clockChoice === name),
      onclick: () => { clockChoice = name; convergence(); },
    }, choices[name])));
  const chart = h("div", { class: "chart" });
  fill("convergence", "Convergence",
    "The best so far (line) among all that was measured (points), by the search\u2019s figures" +
    (clockChoice === "seconds"
      ? "; the database keeps whole seconds, and pauses between runs count." : "."),
    picker, chart);
  if (clockChoice === "seconds") {
    drawConvergence(chart, set, rows, (row) => set.course.seconds[row], "seconds since the first result");
  } else {
    drawConvergence(chart, set, rows, (row, i) => i + 1, "evaluations");
  }
}
