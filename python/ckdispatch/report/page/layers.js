// Problems of lists and of tables of measurements: what is predicted for them, and what was timed.

const layerRows = page.layers.map((layer) => ({ ...layer, pick: pickOf(layer.picked), found: layer.problem }));
const chosenLayers = { list: "", gpu: "" };
let layersChart;
let layersTable;

// How a time is known, by its sign.
const SYMBOLS = { predicted: "circle", measured: "diamond", simulated: "triangle", imported: "rect" };

const listsOf = () => distinct(layerRows.map((row) => row.list));

function layersShown() {
  return layerRows.filter((row) => row.list === chosenLayers.list && (!chosenLayers.gpu || row.gpu === chosenLayers.gpu));
}

// A kernel of a table may be none of this page.
function timedName(row) {
  const name = row.timed?.[0];
  const known = page.kernels.find((one) => one.name === name);
  return known ? shortName(known) : name || "-";
}

const timedBy = (row) => (row.timed ? PROVENANCES[row.timed[2]] : null);

function layerTip(row) {
  const { pick, timed } = row;
  return tipBox(row.name || row.problem, [
    ["problem", row.problem], ["GPU", row.gpu],
    pick && ["fastest", shortName(pick.first.kernel)],
    pick && ["time", `${time(pick.first.us)}, ${BASES[pick.first.basis]}`],
    pick && ["that is", `${figure(tflops(pick.flops, pick.first.us))} TFLOP/s`],
    pick?.second ? ["next", `${shortName(pick.second.kernel)} (+${percent(lead(pick))})`] : null,
    timed && ["timed", `${time(timed[1])}, ${timedBy(row)}${timed[0] ? `: ${timed[0]}` : ""}`],
  ]);
}

const MOST_DRAWN = 80;

// A line of the chart for each problem: a circle where it is predicted, another sign where it was timed.
function layersOption() {
  const shown = layersShown().slice(0, MOST_DRAWN);
  const kinds = distinct(shown.filter((row) => row.timed).map((row) => row.timed[2]));
  const dots = (name, symbol, colour, of) => ({
    name, type: "scatter", symbol, symbolSize: 11, itemStyle: { color: colour, borderColor: token("surface"), borderWidth: 1 },
    data: shown.map((row, place) => [of(row), place]).filter(([us]) => us !== null && us !== undefined),
  });
  const known = shown.flatMap((row) => [row.pick?.first.us, row.timed?.[1]]).filter((us) => us > 0);
  const colours = palette();
  return {
    grid: { left: 12, right: 28, top: 40, bottom: 40, containLabel: true },
    legend: { top: 0, left: 0, textStyle: { color: token("text") } },
    tooltip: tooltip((one) => layerTip(shown[one.value[1]])),
    xAxis: axis({ type: "log", name: "microseconds", nameLocation: "middle", nameGap: 28, min: 10 ** Math.floor(Math.log10(Math.min(...known))), max: 10 ** Math.ceil(Math.log10(Math.max(...known))), axisLabel: { color: token("muted"), formatter: figure } }),
    yAxis: axis({ type: "category", inverse: true, data: shown.map((row) => (row.name ? `${row.name}  ${row.problem}` : row.problem)), axisLabel: { color: token("text"), width: Math.min(300, byId("layers-chart").clientWidth * 0.4), overflow: "truncate", interval: 0 }, splitLine: { show: true, lineStyle: { color: token("line"), type: "dotted" } } }),
    series: [
      dots("predicted", SYMBOLS.predicted, colours[0], (row) => row.pick?.first.us),
      ...kinds.map((kind) => dots(PROVENANCES[kind], SYMBOLS[kind], colours[5], (row) => (row.timed?.[2] === kind ? row.timed[1] : null))),
    ],
  };
}

function layerColumns() {
  const pick = (of) => (row) => (row.pick ? of(row.pick) : null);
  const columns = [
    { title: "problem", of: (row) => row.problem, most: 520 },
    ...(layerRows.some((row) => row.name) ? [{ title: "layer", of: (row) => row.name, most: 220 }] : []),
    ...(page.gpus.length > 1 ? [{ title: "GPU", of: (row) => row.gpu }] : []),
    { title: "GFLOP", number: true, of: pick((one) => one.flops / 1e9), cell: (row) => (row.pick ? figure(row.pick.flops / 1e9) : "?") },
    { title: "should win", of: (row) => (row.pick ? shortName(row.pick.first.kernel) : "no kernel fits"), title_of: (row) => row.pick?.first.kernel.name, most: 340 },
    { title: "predicted", number: true, of: pick((one) => one.first.us), cell: (row) => (row.pick ? time(row.pick.first.us) : "?") },
    { title: "TFLOP/s", number: true, of: pick((one) => tflops(one.flops, one.first.us)), cell: (row) => (row.pick ? figure(tflops(row.pick.flops, row.pick.first.us)) : "?") },
    { title: "ahead by", number: true, tip: "How much longer the next kernel should take", of: pick(lead), cell: (row) => (row.pick?.second ? percent(lead(row.pick)) : "-") },
  ];
  if (layerRows.some((row) => row.timed)) {
    columns.push(
      { title: "timed", number: true, of: (row) => row.timed?.[1] ?? null, cell: (row) => (row.timed ? time(row.timed[1]) : "-") },
      { title: "how", of: (row) => timedBy(row) ?? "-" },
      { title: "fastest timed", of: (row) => timedName(row), title_of: (row) => row.timed?.[0], most: 340 },
    );
  }
  return columns;
}

function drawLayers() {
  const shown = layersShown();
  const timed = shown.filter((row) => row.timed);
  const measured = timed.length ? ` ${several(timed.length, "problem")} ${timed.length === 1 ? "has" : "have"} a time that was ${distinct(timed.map(timedBy)).join(" or ")}.` : " Nothing here was measured.";
  const more = shown.length > MOST_DRAWN ? ` The chart has the first ${MOST_DRAWN}.` : "";
  show("layers-lead", `${several(shown.length, "problem")} of ${chosenLayers.list}. Times are ${basesText(shown.map((row) => row.pick)) || "those of the table"}.${measured}${more}`);
  layersTable.set(shown);
  byId("layers-chart").style.height = `${96 + 19 * Math.min(shown.length, MOST_DRAWN)}px`;
  layersChart.chart?.resize();
  layersChart.again();
}

function startLayers() {
  if (!layerRows.length) return;
  byId("layers").hidden = false;
  chosenLayers.list = listsOf()[0];
  const gpus = distinct(layerRows.map((row) => row.gpu));
  chosenLayers.gpu = gpus[0];
  const set = (name) => (value) => { chosenLayers[name] = value; drawLayers(); };
  show("layers-controls", select("List", listsOf(), chosenLayers.list, set("list")), ...(gpus.length > 1 ? [select("GPU", gpus, chosenLayers.gpu, set("gpu"))] : []));
  layersTable = new LongTable(byId("layers-table"), { columns: layerColumns(), rows: layerRows, label: "Layers" });
  layersChart = new Chart(byId("layers-chart"), { option: layersOption, label: () => `Times of ${several(layersShown().length, "problem")} of ${chosenLayers.list}; the table below has the same figures.` });
  drawLayers();
}
