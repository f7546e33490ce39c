// Reads the data of the page: columns of codes become typed arrays.

const LETTERS = new Uint8Array(128);
{
  let at = 0;
  for (let c = 33; c <= 126; c++) {
    const letter = String.fromCharCode(c);
    if (!"\"\\<&".includes(letter)) LETTERS[c] = at++;
  }
}
const BASE = 90;

// {values, codes} of a packed column.
function unpack(column) {
  const width = column.width || 1;
  const text = column.codes;
  const codes = new Uint32Array(text.length / width);
  for (let row = 0, at = 0; row < codes.length; row++) {
    let code = 0;
    for (let i = 0; i < width; i++) code = code * BASE + LETTERS[text.charCodeAt(at++)];
    codes[row] = code;
  }
  return { values: column.values, codes, at: (row) => column.values[codes[row]] };
}

function numbers(list) {
  const out = new Float64Array(list.length);
  for (let i = 0; i < list.length; i++) out[i] = list[i] === null ? NaN : list[i];
  return out;
}

// Intervals are kept as distances from the middle, in hundredths of a percent.
function interval(value, low, high) {
  return [value * (1 - (low || 0) / 1e4), value * (1 + (high || 0) / 1e4)];
}

// Of the finalists only, so their rows are said.
function spread(rows, values, n) {
  const out = new Float64Array(n).fill(NaN);
  rows.forEach((row, i) => { if (values[i] !== null) out[row] = values[i]; });
  return out;
}

function readFinals(raw, n) {
  const value = spread(raw.row, raw.value, n);
  const low = spread(raw.row, raw.low, n);
  const high = spread(raw.row, raw.high, n);
  return { value, low, high, any: raw.row.length > 0 };
}

function readSet(raw, index) {
  const n = raw.rows;
  const columns = {};
  for (const name of Object.keys(raw.columns)) {
    const column = raw.columns[name];
    columns[name] = Array.isArray(column) ? numbers(column) : unpack(column);
  }
  const search = {
    value: numbers(raw.search.value), low: numbers(raw.search.low), high: numbers(raw.search.high),
  };
  const set = {
    index, n, raw, columns, further: raw.further, search, final: readFinals(raw.final, n),
    kernel: raw.kernel, device: raw.device, size: raw.size, ranked: raw.ranked,
    maximize: raw.objective.maximize,
    isTime: raw.objective.name === "time",
    params: raw.parameters.map((one, i) =>
      Object.assign(unpack(one), { name: one.name, importance: raw.importance.shares[i] || 0 })),
    metrics: raw.metrics.map((one) => ({ name: one.name, rows: numbers(one.rows) })),
    finalMetrics: raw.final.metrics.map((one) =>
      ({ name: one.name, rows: spread(raw.final.row, one.rows, n) })),
    course: raw.course && {
      seconds: numbers(raw.course.seconds), order: numbers(raw.course.order),
      cost: numbers(raw.course.cost_s),
    },
  };
  set.unit = set.isTime ? "ms" : raw.objective.name;
  set.figureName = set.isTime ? "time" : raw.objective.name;
  // What stands for a row among all that were measured: the search's figure, for it is comparable
  // with the others'; the final's only where no other is known.
  set.value = new Float64Array(n);
  const rows = [];
  for (let row = 0; row < n; row++) {
    const value = Number.isNaN(search.value[row]) ? set.final.value[row] : search.value[row];
    set.value[row] = value;
    if (!Number.isNaN(value) && (!set.isTime || value > 0)) rows.push(row);
  }
  set.measured = Uint32Array.from(rows);
  set.better = (a, b) => (set.maximize ? a > b : a < b);
  set.varying = set.params.filter((one) => one.values.length > 1);
  return set;
}

const DATA = JSON.parse(document.getElementById("data").textContent);
const SETS = DATA.sets.map(readSet);

// The figure by which a row is ranked, with its interval.
function figureOf(set, row) {
  const from = Number.isNaN(set.final.value[row]) ? set.search : set.final;
  const value = from.value[row];
  const [low, high] = interval(value, from.low[row], from.high[row]);
  return { value, low, high, basis: from === set.final ? "final" : "search" };
}

function medianOf(values) {
  if (values.length === 0) return NaN;
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// Over rows: the best and the median value for each code of a column.
function byCode(set, codes, count, rows) {
  const groups = Array.from({ length: count }, () => []);
  for (const row of rows) groups[codes(row)].push(set.value[row]);
  return groups.map((values) => ({
    n: values.length,
    best: values.length ? values.reduce((a, b) => (set.better(b, a) ? b : a)) : NaN,
    median: medianOf(values),
  }));
}
