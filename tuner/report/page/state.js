// What is shown now, and which configurations a filter lets through.

const state = {
  set: SETS[0],
  allowed: new Map(),  // parameter's place -> Set of codes; a parameter that is not here is free
  range: null,         // [low, high] of the figure, or all
};
const onFilter = [];

function isFiltered() {
  return state.allowed.size > 0 || state.range !== null;
}

function passes(row) {
  for (const [place, codes] of state.allowed) {
    if (!codes.has(state.set.params[place].codes[row])) return false;
  }
  if (state.range === null) return true;
  const value = state.set.value[row];
  return value >= state.range[0] && value <= state.range[1];
}

// Measured rows that pass, made anew when the filter changes.
let passing = null;
function passingRows() {
  if (passing === null) passing = isFiltered() ? state.set.measured.filter(passes) : state.set.measured;
  return passing;
}

let pending = false;
function filterChanged() {
  passing = null;
  if (pending) return;
  pending = true;
  requestAnimationFrame(() => {
    pending = false;
    for (const listener of onFilter) listener();
    say(count(passingRows().length) + " of " + count(state.set.measured.length) +
      " measured configurations shown");
  });
}

// One value more or less. No value, or all of them, is no filter.
function toggleValue(place, code) {
  const param = state.set.params[place];
  const codes = new Set(state.allowed.get(place) || []);
  if (!codes.delete(code)) codes.add(code);
  allowOnly(place, codes, param);
}
function allowOnly(place, codes, param) {
  if (codes.size === 0 || codes.size === param.values.length) state.allowed.delete(place);
  else state.allowed.set(place, codes);
  filterChanged();
}
function clearFilter() {
  state.allowed.clear();
  state.range = null;
  filterChanged();
}

// For those who listen to the page.
function say(text) {
  document.getElementById("said").textContent = text;
}
