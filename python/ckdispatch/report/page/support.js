// How many kernels there are for each dtype and each pipeline on each GPU.

function supportCell(count, spilling) {
  if (count < 0) return ["absent", "–", "nothing on the GPU serves them"];
  if (count === 0) return ["none", "none", "possible, and none here"];
  return ["some", whole(count), spilling ? `${several(spilling, "kernel")} of them spill` : null];
}

function supportTable(caption, first, lines) {
  const { gpus } = page.support;
  const some = lines.filter((line) => line.counts.some((count) => count > 0));
  const head = el("tr", {}, el("th", { scope: "col" }, first), ...gpus.map((gpu) => el("th", { scope: "col", class: "number" }, gpu)));
  const body = (shown) => shown.map((line) => el("tr", {}, el("th", { scope: "row" }, line.name), ...line.counts.map((count, place) => {
    const [kind, text, tip] = supportCell(count, line.spilling[place]);
    const spills = line.spilling[place] ? [el("span", { class: "spilling" }, line.spilling[place] === 1 ? "1 spills" : `${line.spilling[place]} spill`)] : [];
    return el("td", { class: `number ${kind}`, title: tip }, text, ...spills);
  })));
  const table = (shown, title) => el("div", { class: "over" }, el("table", { class: "plain" }, title, el("thead", {}, head.cloneNode(true)), el("tbody", {}, ...body(shown))));
  const others = lines.filter((line) => !some.includes(line));
  const rest = others.length ? [el("details", { class: "as-table" }, el("summary", {}, `${others.length} more without a kernel here`), table(others, el("caption", { class: "visually-hidden" }, `${caption}, without a kernel`)))] : [];
  return el("div", { class: "card" }, table(some, el("caption", {}, caption)), ...rest);
}

function startSupport() {
  show("support-tables", supportTable("Dtypes of A and B", "dtypes", page.support.dtypes), supportTable("Pipelines", "pipeline", page.support.pipelines));
}
