// What another build changed, kernel by kernel: before and now.

const FIGURE_NAMES = {
  vgprs: "VGPRs", agprs: "AGPRs", sgprs: "SGPRs", lds_bytes: "LDS", scratch_bytes: "scratch", vgpr_spills: "VGPR spills", sgpr_spills: "SGPR spills",
  waves_per_simd: "waves/SIMD", code_bytes: "code", matrix_instructions: "matrix instructions", object_bytes: "code object",
};
const figureName = (name) => FIGURE_NAMES[name] || `${CLASS_NAMES[name.replace("_instructions", "")]} instructions`;
const figureText = (name, value) => (name.endsWith("_bytes") ? bytes(value) : whole(value));
const chosenFigure = { name: "" };
let changedRows = [];
let comparisonChart;

const change = (row, name) => (name in row.changes ? row.changes[name][1] - row.changes[name][0] : 0);
const relative = (row, name) => { const [was, now] = row.changes[name] || [0, 0]; return was ? (now - was) / was : now ? Infinity : 0; };
const sign = (value) => (value > 0 ? "+" : value < 0 ? "−" : "");

function changeText(row, name) {
  if (!(name in row.changes)) return "=";
  const [was, now] = row.changes[name];
  const share = was ? ` (${sign(now - was)}${percent(Math.abs(now - was) / was)})` : "";
  return `${figureText(name, was)} → ${figureText(name, now)}${share}`;
}

const MOST_CHANGES = 24;

function mostChanged() {
  const { name } = chosenFigure;
  const found = changedRows.filter((row) => name in row.changes);
  found.sort((a, b) => Math.abs(change(b, name)) - Math.abs(change(a, name)));
  return found.slice(0, MOST_CHANGES);
}

function comparisonOption() {
  const { name } = chosenFigure;
  const shown = mostChanged().reverse();
  const room = byId("comparison-chart").clientWidth;
  const [more, less] = [palette()[5], palette()[0]];
  const bar = (title, colour, passes) => ({
    name: title, type: "bar", stack: "change", barMaxWidth: 16, itemStyle: { color: colour },
    label: { show: room > 640, position: passes(1) ? "right" : "left", color: token("text"), formatter: (one) => (one.value ? `${sign(one.value)}${figureText(name, Math.abs(one.value))}` : "") },
    data: shown.map((row) => (passes(change(row, name)) ? change(row, name) : null)),
  });
  return {
    grid: { left: 12, right: room > 640 ? 90 : 20, top: 36, bottom: 34, containLabel: true },
    legend: { top: 0, left: 0, textStyle: { color: token("text") } },
    tooltip: tooltip((one) => tipBox(shown[one.dataIndex].kernel.name, [["GPU", shown[one.dataIndex].gpu], ...Object.keys(shown[one.dataIndex].changes).map((each) => [figureName(each), changeText(shown[one.dataIndex], each)])])),
    xAxis: axis({ type: "value", name: "", splitNumber: room > 640 ? 5 : 2, axisLabel: { color: token("muted"), hideOverlap: true, formatter: (value) => `${sign(value)}${figureText(name, Math.abs(value))}` } }),
    yAxis: axis({ type: "category", data: shown.map((row) => `${shortName(row.kernel)}${page.gpus.length > 1 ? ` ${row.gpu}` : ""}`), axisLabel: { color: token("text"), width: Math.min(330, room * 0.42), overflow: "truncate", interval: 0 }, splitLine: { show: false } }),
    series: [bar("more than before", more, (value) => value > 0), bar("less than before", less, (value) => value < 0)],
  };
}

function comparisonColumns(names) {
  const changed = names.map((name) => ({
    title: figureName(name), number: true, of: (row) => (name in row.changes ? change(row, name) : null), cell: (row) => changeText(row, name),
    kind: (row) => (name in row.changes ? "" : "muted"), most: 260,
  }));
  return [
    { title: "kernel", of: (row) => shortName(row.kernel), title_of: (row) => row.kernel.name, most: 340 },
    ...(page.gpus.length > 1 ? [{ title: "GPU", of: (row) => row.gpu }] : []),
    ...changed,
  ];
}

function drawComparison() {
  const shown = mostChanged();
  byId("comparison-chart").style.height = `${90 + 24 * Math.max(3, shown.length)}px`;
  comparisonChart.chart?.resize();
  comparisonChart.again();
}

function sumText(names) {
  const told = ["vgpr_spills", "code_bytes", "waves_per_simd"].filter((name) => names.includes(name)).map((name) => {
    const [more, less] = [1, -1].map((way) => changedRows.filter((row) => Math.sign(change(row, name)) === way).length);
    return `${figureName(name)}: ${whole(more)} more, ${whole(less)} less`;
  });
  return told.length ? ` ${told.join("; ")}.` : "";
}

function startComparison() {
  const found = page.comparison;
  if (!found) return;
  byId("comparison").hidden = false;
  changedRows = found.changed.map(([place, gpu, changes]) => ({ kernel: page.kernels[place], gpu, changes }));
  const names = found.figures.filter((name) => changedRows.some((row) => name in row.changes));
  const before = found.before.length > 3 ? several(found.before.length, "set") : found.before.map((one) => one.name).join(", ");
  const code = found.same_code ? ` (${whole(found.same_code)} with the same code, byte for byte)` : "";
  show("comparison-lead", `Against an earlier build of ${before}: the figures of ${several(changedRows.length, "kernel")} changed, those of ${whole(found.same)} did not${code}.${sumText(names)}`);
  const only = (title, list) => (list.length ? [el("details", { class: "as-table" }, el("summary", {}, `${several(list.length, "kernel")} ${title}`), el("ul", {}, ...list.map(([name, gpu]) => el("li", {}, el("code", {}, name), ` on ${gpu}`))))] : []);
  show("comparison-only", ...only("only in this build", found.added), ...only("only in the earlier one", found.gone));
  byId("comparison-card").hidden = !names.length;
  if (!names.length) return;
  chosenFigure.name = ["code_bytes", "vgprs"].find((name) => names.includes(name)) || names[0];
  show("comparison-controls", select("Figure", names, chosenFigure.name, (value) => { chosenFigure.name = value; drawComparison(); }, figureName));
  new LongTable(byId("comparison-table"), { columns: comparisonColumns(names), rows: changedRows, label: "Kernels that changed" });
  comparisonChart = new Chart(byId("comparison-chart"), { option: comparisonOption, label: () => `${figureName(chosenFigure.name)} of ${several(mostChanged().length, "kernel")} before and now; the table below has the figures.` });
  drawComparison();
}
