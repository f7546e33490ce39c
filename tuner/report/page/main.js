// Chooses what is shown, and draws it again when the page changes.

const SECTIONS = [headline, overview, convergence, effects, pairs, ranking, parallel, failures, course,
  provenance];

function draw() {
  for (const section of SECTIONS) section();
}
onFilter.push(parallel, ranking, effects, pairs);

function distinct(list) {
  return Array.from(new Set(list));
}

function chooser(id, label, values, chosen, change) {
  return h("span", { class: "pick" }, h("label", { for: id }, label),
    h("select", { id, onchange: (event) => change(event.target.value) },
      values.map((value) => h("option", { value, selected: value === chosen }, value))));
}

// The set with these, or the nearest that there is.
function setWith(kernel, device, size) {
  const ofKernel = SETS.filter((set) => set.kernel === kernel);
  const ofDevice = ofKernel.filter((set) => set.device === device);
  return ofDevice.find((set) => set.size === size) || ofDevice[0] ||
    ofKernel.find((set) => set.size === size) || ofKernel[0];
}

function drawChoosers() {
  const { kernel, device, size } = state.set;
  const kernels = distinct(SETS.map((set) => set.kernel));
  const ofKernel = SETS.filter((set) => set.kernel === kernel);
  const devices = distinct(ofKernel.map((set) => set.device));
  const sizes = distinct(ofKernel.filter((set) => set.device === device).map((set) => set.size));
  document.getElementById("choose").replaceChildren(
    kernels.length > 1 ? chooser("choose-kernel", "Kernel", kernels, kernel,
      (value) => choose(setWith(value, device, size))) : "",
    chooser("choose-device", "Device", devices, device, (value) => choose(setWith(kernel, value, size))),
    chooser("choose-size", "Size", sizes, size, (value) => choose(setWith(kernel, device, value))),
    h("nav", { "aria-label": "Sections" }, [["effects", "Effects"], ["ranking", "Ranking"],
      ["parallel", "Filter"], ["failures", "Failures"], ["provenance", "What was measured"]]
      .map(([id, text]) => h("a", { href: "#" + id }, text))));
}

function choose(set) {
  const focused = document.activeElement ? document.activeElement.id : "";
  state.set = set;
  state.allowed.clear();
  state.range = null;
  passing = null;
  drawChoosers();
  draw();
  if (focused) (document.getElementById(focused) || document.body).focus();
  say(set.kernel + " on " + set.device + ", " + set.size);
}

function start() {
  document.getElementById("choose").addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("end").textContent = "Made by tuner " + DATA.tuner +
    " from measured results. Intervals are of medians, at the study\u2019s confidence (95\u00a0% unless it says otherwise).";
  drawChoosers();
  draw();
  let width = document.body.clientWidth;
  let waiting = 0;
  new ResizeObserver(() => {
    if (document.body.clientWidth === width) return;
    width = document.body.clientWidth;
    clearTimeout(waiting);
    waiting = setTimeout(draw, 120);
  }).observe(document.body);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  const print = (on) => () => {
    document.documentElement.classList.toggle("printing", on);
    draw();
  };
  addEventListener("beforeprint", print(true));
  addEventListener("afterprint", print(false));
  document.documentElement.dataset.ready = "true";
}

if (SETS.length > 0) start();
