// The ranking: finals and searches each on a scale of their own, with intervals.

const SHOWN_ROWS = 10;  // without opening more
const MOST_ROWS = 25;

// An interval and its middle, as a cell of a table.
function whisker(low, high, value, x) {
  const width = 180;
  const at = (v) => (Math.min(1, Math.max(0, x.at(v))) * width).toFixed(1);
  const beyond = x.at(value) > 1 || x.at(value) < 0;
  return svg("svg", { class: "whisker", width, height: 18, "aria-hidden": "true" },
    svg("line", { class: "rail", x1: 0, x2: width, y1: 9, y2: 9 }),
    high > low && !beyond ? svg("line", { class: "interval", x1: at(low), x2: at(high), y1: 9, y2: 9 }) : null,
    beyond ? svg("path", { class: "beyond", d: "M" + width + ",9l-7,-4v8z" })
      : svg("circle", { class: "dot", cx: at(value), cy: 9, r: 4 }));
}

// From the best to where all are, at most to what is half as good.
function whiskerScale(set, figures) {
  const low = Math.min(...figures.map((f) => f.low));
  const high = Math.max(...figures.map((f) => f.high));
  const best = figures.map((f) => f.value).reduce((a, b) => (set.better(b, a) ? b : a));
  if (!(best > 0)) return scale(...roomy([low, high], false), 0, 1, false);
  const range = set.maximize ? [Math.max(low, best / 2), high] : [low, Math.min(high, best * 2)];
  const of = scale(...roomy(range, false), 0, 1, false);
  if (set.maximize) return Object.assign({}, of, { at: (v) => 1 - of.at(v) });
  return of;
}

// What is told of rows beside their figure; columns of which nothing is known are left out.
function rankingColumns(set, rows, from) {
  const number = (name, text) => ({ head: { text: name, number: true }, text });
  const shown = set.varying.filter((param) =>
    rows.some((row) => param.codes[row] !== param.codes[rows[0]]));
  const metrics = from === set.final ? set.finalMetrics : set.metrics;
  const all = [
    ...metrics.slice(0, 2).map((metric) => number(metric.name, (row) => digits(metric.rows[row], 4))),
    ...shown.map((param) => ({ head: param.name, text: (row) => param.at(row) })),
    number("Registers", (row) => set.columns.registers.at(row)),
    number("Shared, B", (row) => set.columns.shared.at(row)),
    number("Occupancy", (row) => occupancyText(set, row)),
    number("Of the limit", (row) => (set.columns.limit ? set.columns.limit.at(row) : "")),
    ...set.further.map((name) => number(name, (row) => set.columns[name].at(row))),
  ];
  return { shown, columns: all.filter((column) => rows.some((row) => column.text(row) !== "")) };
}

function rankingTable(set, rows, from, caption) {
  const figures = rows.map((row) => {
    const value = from.value[row];
    const [low, high] = interval(value, from.low[row], from.high[row]);
    return { row, value, low, high };
  });
  const x = whiskerScale(set, figures);
  const { shown, columns } = rankingColumns(set, rows, from);
  const number = (text) => ({ text, number: true });
  const heads = [number("Rank"), "", number(set.figureName + (set.isTime ? ", ms" : "")),
    number("\u00b1"), "95 % interval", ...columns.map((column) => column.head)];
  const cells = figures.map(({ row, value, low, high }) => [
    row < set.ranked ? row + 1 : "", tieMark(set, row), digits(value, 4),
    high > low ? percent((high - low) / 2 / value) : "", whisker(low, high, value, x),
    ...columns.map((column) => column.text(row))]);
  const common = set.varying.filter((param) => !shown.includes(param));
  return [
    table(caption, heads, cells, { class: "ranking" }),
    rows.length > 1 && common.length
      ? h("p", { class: "note" }, "All of these: ",
        common.map((param) => param.name + "=" + param.at(rows[0])).join(" ")) : null,
  ];
}

// The first rows, and all of them behind a button.
function foldedTable(set, rows, from, caption) {
  const first = rankingTable(set, rows.slice(0, SHOWN_ROWS), from, caption);
  if (rows.length <= SHOWN_ROWS) return first;
  return [...first, h("details", {}, h("summary", {}, "All " + rows.length + " rows"),
    rankingTable(set, rows, from, caption + ", all"))];
}

function tieMark(set, row) {
  const marks = set.columns.marks.at(row);
  if (!marks) return "";
  const meaning = [marks.includes("=") ? "not significantly slower than the best" : "",
    marks.includes("*") ? "on the front of several objectives" : "",
    marks.includes("d") ? "dropped: timed briefly, as clearly slower than the best" : ""].filter(Boolean).join("; ");
  return h("span", { title: meaning, "aria-label": meaning }, marks);
}

function occupancyText(set, row) {
  const text = set.columns.occupancy.at(row);
  return text === "" ? "" : percent(Number(text));
}

function ranking() {
  const set = state.set;
  if (set.ranked === 0) return leaveOut("ranking");
  const filtered = isFiltered();
  const rows = Array.from(passingRows()).filter((row) => row < set.ranked);
  const parts = [];
  const finals = rows.filter((row) => !Number.isNaN(set.final.value[row]));
  if (set.final.any) {
    parts.push(h("h3", {}, "The final"), h("p", { class: "note" },
      "The best few, measured again in turns, so that they can be compared with each other. " +
      "\u201c=\u201d: not significantly slower than the best."));
    parts.push(finals.length
      ? foldedTable(set, finals, set.final, "The final, by rank")
      : h("p", { class: "note" }, "No finalist passes the filter."));
  }
  const searched = rows.filter((row) => !Number.isNaN(set.search.value[row]));
  searched.sort((a, b) => (set.maximize ? -1 : 1) * (set.search.value[a] - set.search.value[b]) || a - b);
  const top = searched.slice(0, MOST_ROWS);
  parts.push(h("h3", {}, "The search"), h("p", { class: "note" },
    "Each figure as the search measured it, one configuration at a time: comparable with each " +
    "other, not with the final's. \u201cd\u201d: dropped, timed briefly and ranked behind the others. " +
    "The first " + top.length + " of " + count(rows.length) + (filtered ? " that pass the filter." : ".")));
  if (top.length) {
    parts.push(foldedTable(set, top, set.search, "The search, by figure"));
  }
  fill("ranking", "Ranking", null, filterLine(), parts.flat());
}

// Says that a filter is on, wherever it has an effect.
function filterLine() {
  if (!isFiltered()) return null;
  return h("p", { class: "filtered" },
    count(passingRows().length) + " of " + count(state.set.measured.length) + " configurations pass the filter. ",
    h("button", { type: "button", class: "link", onclick: clearFilter }, "Clear the filter"));
}
