// The head of the page, and the order in which its parts begin.

function startFacts() {
  const spilling = rows.filter((row) => row.spilling).length;
  const libraries = page.kernels.map((one) => one.library).filter((size) => size !== null);
  const facts = [
    ["kernels", whole(page.kernels.length)],
    ["code objects", whole(rows.length)],
    [page.gpus.length === 1 ? "GPU" : "GPUs", page.gpus.length > 3 ? whole(page.gpus.length) : page.gpus.join(", ")],
    ["sets", whole(page.sets.length)],
    ["spill registers", whole(spilling)],
    ["libraries", libraries.length ? bytes(sum(libraries)) : "?"],
    ["widest", `${whole(rows.reduce((most, row) => Math.max(most, row.vgprs), 0))} VGPRs`],
  ];
  show("facts", ...facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}

function startSections() {
  const shown = [...document.querySelectorAll("main > section:not([hidden])")];
  const links = new Map(shown.map((section) => [section, el("a", { href: `#${section.id}` }, section.querySelector("h2").textContent)]));
  show("sections", ...[...links.values()].map((link) => el("li", {}, link)));
  const visible = new Set();
  const observer = new IntersectionObserver((seen) => {
    seen.forEach((one) => (one.isIntersecting ? visible.add(one.target) : visible.delete(one.target)));
    const first = shown.find((section) => visible.has(section));
    links.forEach((link, section) => (section === first ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current")));
  }, { rootMargin: "-70px 0px -40% 0px" });
  shown.forEach((section) => observer.observe(section));
}

function startPrinting() {
  const paper = (printing) => {
    theme.printing = printing;
    longTables.forEach((table) => table.showAll(printing));
    applyTheme();
    drawn.forEach((chart) => { if (chart.chart === null) chart.draw(); chart.chart.resize(); });
  };
  addEventListener("beforeprint", () => paper(true));
  addEventListener("afterprint", () => paper(false));
}

startTheme();
startFacts();
startKernels();
startMaps();
startLayers();
startRoofline();
startSupport();
startComparison();
startSources();
startSections();
startPrinting();
document.documentElement.dataset.ready = "true";
