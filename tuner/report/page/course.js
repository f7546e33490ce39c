// What failed and why, how busy compilers and device were, and what exactly was measured.

const STATE_MEANING = {
  constraints: "over a limit of the device, never launched",
  compile: "did not compile",
  launch: "refused by the driver",
  runtime: "faulted or crashed",
  timeout: "took longer than allowed",
  correctness: "gave a wrong answer",
  suspect: "faster than the device can do what the study says, and not ranked",
  dropped: "right, but clearly slower than the best, and stopped early",
};

function failureGroups(set) {
  const groups = new Map();
  for (let row = 0; row < set.n; row++) {
    const status = set.columns.state.at(row);
    if (status === "ok" || status === "dropped") continue;
    const message = set.columns.message.at(row);
    const key = status + "\n" + message.split("\n")[0].replace(/[-+]?\d+(\.\d+)?(e[-+]?\d+)?/g, "#");
    const group = groups.get(key) || { status, message, n: 0, row };
    group.n++;
    groups.set(key, group);
  }
  return Array.from(groups.values()).sort((a, b) => b.n - a.n);
}

function failures() {
  const set = state.set;
  const states = new Map();
  for (let row = 0; row < set.n; row++) {
    const status = set.columns.state.at(row);
    states.set(status, (states.get(status) || 0) + 1);
  }
  const groups = failureGroups(set);
  const most = Math.max(...states.values());
  const counts = Array.from(states).sort((a, b) => b[1] - a[1]).map(([status, n]) => [
    status, STATE_MEANING[status] || "gave the right answer and was measured",
    h("span", { class: "bar", style: "--share:" + n / most }, count(n))]);
  const shown = groups.slice(0, 40);
  fill("failures", "States and failures",
    groups.length ? "A configuration that fails is a result, too." : "Nothing failed.",
    table("How configurations ended", ["State", "Meaning", "Configurations"], counts, { class: "bars" }),
    groups.length ? h("h3", {}, "Failures by cause") : null,
    groups.length ? table("Failures by cause", [{ text: "Failed", number: true }, "State", "Message of the first",
      "Its configuration"], shown.map((group) => [count(group.n), group.status,
      h("pre", {}, group.message.slice(0, 1500)),
      set.varying.map((param) => param.name + "=" + param.at(group.row)).join(" ")])) : null,
    groups.length > shown.length
      ? h("p", { class: "note" }, "The " + shown.length + " most frequent of " + groups.length + " causes.") : null);
}

// Seconds of work in each stretch of the search over its length.
function loadOf(set) {
  const rows = courseOf(set);
  const last = set.course.seconds.reduce((a, b) => Math.max(a, b), 0);
  if (!(last >= 10)) return null;
  const bins = Math.min(60, Math.floor(last / 2));
  const length = last / bins;
  const compile = new Float64Array(bins);
  const device = new Float64Array(bins);
  for (const row of rows) {
    const bin = Math.min(bins - 1, Math.floor(set.course.seconds[row] / length));
    const compiled = set.columns.compile_ms[row] / 1000;
    compile[bin] += compiled / length;
    device[bin] += Math.max(0, set.course.cost[row] - compiled) / length;
  }
  return { bins, length, last, compile, device };
}

function drawLoad(container, load, values, label) {
  const p = plot(container, 150, label, { top: 22, bottom: 36 }, false);
  const most = Math.max(1, values.reduce((a, b) => Math.max(a, b), 0));
  const y = scale(0, most * 1.05, p.bottom, p.top, false);
  const x = scale(0, load.last, p.left, p.right, false);
  axes(p, x, y, "seconds since the first result", label);
  values.forEach((value, i) => p.root.append(svg("rect", {
    class: "column", x: x.at(i * load.length) + 0.5, width: Math.max(1, x.at(load.length) - x.at(0) - 1),
    y: y.at(value), height: Math.max(0, p.bottom - y.at(value)),
  }, svg("title", {}, digits(value, 3) + " at " + duration(i * load.length)))));
}

function course() {
  const set = state.set;
  if (!set.course) return leaveOut("course");
  let compiled = 0;
  let ran = 0;
  let fromCache = 0;
  for (let row = 0; row < set.n; row++) {
    compiled += set.columns.compile_ms[row] / 1000;
    ran += Math.max(0, set.course.cost[row] - set.columns.compile_ms[row] / 1000);
    if (set.columns.compile_ms[row] === 0) fromCache++;
  }
  const last = set.course.seconds.reduce((a, b) => Math.max(a, b), 0);
  const load = loadOf(set);
  const chart = h("div", { class: "chart" });
  fill("course", "How busy compilers and device were", null,
    h("dl", { class: "facts" },
      fact(duration(last), "First to last result", "by the database\u2019s clock, in whole seconds, pauses included"),
      fact(duration(compiled), "Compiling", "of all compile workers together; " + count(fromCache) + " of " +
        count(set.n) + " needed no compilation of their own"),
      fact(duration(ran), "On the device", "verifying and measuring, without the final")),
    load ? h("p", { class: "note" }, "Work that ended in each stretch over its length: 1 is one compiler, " +
      "or the device, busy all the time.") : h("p", { class: "note" },
      "Too short for a course over time: the database keeps whole seconds."),
    load ? chart : null);
  if (!load) return;
  drawLoad(chart, load, load.compile, "compile workers busy");
  drawLoad(chart, load, load.device, "device busy");
  chart.append(behind(() => table("Load over time", [{ text: "From", number: true },
    { text: "Compile workers busy", number: true }, { text: "Device busy", number: true }],
  Array.from(load.compile, (value, i) => [duration(i * load.length), digits(value, 3), digits(load.device[i], 3)]))));
}

function provenance() {
  const set = state.set;
  fill("provenance", "What was measured", null,
    h("dl", { class: "plain" }, set.raw.provenance.map(([name, text]) =>
      h("div", {}, h("dt", {}, name), h("dd", {}, text)))),
    h("h3", {}, "Parameters"),
    table("Values of each parameter among what was tried", ["Parameter", "Values"],
      set.params.map((param) => [param.name, param.values.length > 60
        ? param.values.slice(0, 60).join(", ") + ", \u2026 (" + param.values.length + ")"
        : param.values.join(", ")])));
}
