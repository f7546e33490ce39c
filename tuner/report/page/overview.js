// The headline, and devices and sizes side by side.

// As the row's figure was measured: in the final where it took part.
function metricOf(set, name, row) {
  const inFinal = !Number.isNaN(set.final.value[row]);
  const metric = (inFinal ? set.finalMetrics : set.metrics).find((one) => one.name === name);
  return metric ? metric.rows[row] : NaN;
}

const metricNames = (set) =>
  distinct(set.metrics.concat(set.finalMetrics).map((metric) => metric.name));

// A configuration as NAME value pairs; of `only` where that is given.
function chips(set, row, only) {
  return h("dl", { class: "chips" }, (only || set.params).map((param) =>
    h("div", {}, h("dt", {}, param.name), h("dd", {}, param.at(row)))));
}

// Nothing where the ends are the same to a reader.
function endsText(low, high, unit) {
  const ends = [digits(low, 4), digits(high, 4)];
  return high > low && ends[0] !== ends[1] ? ends.join(" to ") + unit : "";
}

function intervalText(set, figure) {
  return endsText(figure.low, figure.high, set.isTime ? "\u00a0ms" : "");
}

// How many times better the best is than the middle of all that were measured: search against
// search, since a final is no fair comparison.
function overMedian(set) {
  const best = set.value[0];
  const middle = medianOf(Array.from(set.measured, (row) => set.value[row]));
  return set.maximize ? best / middle : middle / best;
}

function fact(value, name, detail) {
  return h("div", { class: "fact" }, h("dt", {}, name), h("dd", {}, value),
    detail ? h("dd", { class: "detail" }, detail) : null);
}

function headlineFacts(set) {
  const best = figureOf(set, 0);
  const facts = [fact(withUnit(set, best.value), "Best " + set.figureName,
    ["in the " + best.basis, intervalText(set, best)].filter(Boolean).join(", 95\u00a0% interval "))];
  for (const metric of metricNames(set).slice(0, 3)) {
    const value = metricOf(set, metric, 0);
    if (metric === set.raw.objective.name || Number.isNaN(value)) continue;
    const limit = DATA.limits[metric];
    facts.push(fact(digits(value, 4), metric,
      limit ? percent(value / limit) + " of " + digits(limit, 4) + ", the limit that was given" : ""));
  }
  if (set.columns.limit && set.columns.limit.at(0)) {
    facts.push(fact(set.columns.limit.at(0), "Of the device\u2019s limit", "for the work that the study names"));
  }
  if (set.columns.bound && set.columns.bound.at(0)) {
    const [by, numbers] = set.columns.bound.at(0).replace("bound by ", "").split(": ");
    facts.push(fact(by, "Bound by", numbers));
  }
  facts.push(...baselineFacts(set), ...referenceFacts(set));
  if (set.measured.length > 1) {
    facts.push(fact(times(overMedian(set)), "Over the median",
      "of " + count(set.measured.length) + " measured configurations"));
  }
  let ties = 0;
  for (let row = 0; row < set.ranked; row++) if (set.columns.marks.at(row).includes("=")) ties++;
  facts.push(fact(count(set.n), "Configurations tried",
    count(set.ranked) + " valid" + (ties > 1 ? "; " + (ties - 1) + " others are not significantly slower" : "")));
  return facts;
}

// The speed-up over a configuration that the study names, where it names one.
function baselineFacts(set) {
  const over = set.raw.baseline;
  if (!over) return [];
  return [fact(times(over.ratio), "Over the baseline",
    [endsText(over.low, over.high, ""), over.by_final ? "side by side in the final" : "by the search\u2019s figures"].filter(Boolean).join(", "))];
}

// By times alone, whatever the objective.
function referenceFacts(set) {
  const over = set.raw.reference;
  if (!over) return [];
  return [fact(times(over.ratio), "Over the reference", digits(over.ms, 4) + " ms, by the search\u2019s figures")];
}

// What a reader looks for in a headline and does not find, with the reason.
function notShown(set) {
  const metrics = metricNames(set);
  const limited = metrics.some((name) => DATA.limits[name]);
  const reasons = [
    set.raw.baseline ? "" : "over a baseline (the study names none, or these results do not hold it)",
    set.raw.reference ? "" : "over the reference (these results do not hold its time)",
    limited || set.columns.limit ? "" : "share of the device\u2019s limit (" + (metrics.length === 0
      ? "the study has no metric such as gbps or gflops)"
      : "the driver does not say what " + metrics[0] + " can reach; tuner report --limit " + metrics[0] +
        "=NUMBER does)"),
  ].filter(Boolean);
  return h("p", { class: "note" }, "Not shown: " + reasons.join("; ") + ".");
}

function remarks(set) {
  return set.raw.remarks.map((text) => h("p", { class: "remark" }, text));
}

// Hints, and commands to copy.
function whatNext(set) {
  if (!set.raw.next.length) return null;
  const line = (text) => text.split("`").map((part, i) => (i % 2 ? h("code", {}, part) : part));
  return [h("h3", {}, "What next"), h("ul", {}, set.raw.next.map((text) => h("li", {}, line(text))))];
}

function headline() {
  const set = state.set;
  const place = set.kernel + " on " + set.device + ", " + set.size;
  if (set.ranked === 0) {
    fill("headline", place, "Nothing valid was found among " + count(set.n) + " configurations.",
      remarks(set));
    return;
  }
  fill("headline", place, null,
    h("dl", { class: "facts" }, headlineFacts(set)),
    h("h3", {}, "The best configuration"), chips(set, 0), notShown(set), whatNext(set),
    remarks(set));
}

function shownMetric(sets) {
  for (const set of sets) if (metricNames(set).length) return metricNames(set)[0];
  return null;
}

function sizeRow(set, metric, most) {
  const open = h("button", {
    type: "button", class: "link", "aria-current": set === state.set ? "true" : null,
    onclick: () => choose(set),
  }, set.size + (set.raw.stale ? " (stale)" : ""));
  if (set.ranked === 0) {
    return [open, set.device, "nothing valid", "", metric ? "" : null, "", count(set.n), ""];
  }
  const best = figureOf(set, 0);
  const value = metric ? metricOf(set, metric, 0) : NaN;
  const bar = Number.isFinite(value)
    ? h("span", { class: "bar", style: "--share:" + Math.max(0, value / most) }, digits(value, 4)) : "";
  return [open, set.device, withUnit(set, best.value), best.basis,
    metric ? bar : null,
    set.measured.length > 1 ? times(overMedian(set)) : "", count(set.ranked) + " of " + count(set.n),
    set.varying.slice().sort((a, b) => b.importance - a.importance).slice(0, 4)
      .map((param) => param.name + "=" + param.at(0)).join(" ")];
}

function overview() {
  const sets = SETS.filter((set) => set.kernel === state.set.kernel);
  const metric = shownMetric(sets);
  const number = (text) => ({ text, number: true });
  const heads = ["Size", "Device", number("Best " + state.set.figureName), "Measured in",
    metric ? metric : null, number("Over the median"), number("Valid"),
    "Best, by what matters most"];
  const most = Math.max(...sets.map((set) => metricOf(set, metric, 0)).filter(Number.isFinite), 0);
  const rows = sets.map((set) => sizeRow(set, metric, most));
  const kept = (list) => (metric ? list : list.filter((_, i) => i !== 4));
  fill("overview", "Devices and sizes",
    sets.length > 1
      ? "The best of each, side by side. Choose a size to see it in full below."
      : "One device and one size were tuned.",
    table("Best configuration of each device and size", kept(heads), rows.map(kept),
      { class: "wide" }));
}
