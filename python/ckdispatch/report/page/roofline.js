// What is reached of what a GPU can do: arithmetic per byte against TFLOP/s.

const chosenRoof = { gpu: "" };
let roofChart;

// Points of the map that is chosen above, and of all layers.
function roofPoints() {
  const { map, cells } = page.maps.length ? mapCells() : { map: null, cells: [] };
  const points = [];
  if (map && map.gpu === chosenRoof.gpu) {
    cells.filter((cell) => cell.pick).forEach((cell) => points.push({ kind: "predicted", pick: cell.pick, us: cell.pick.first.us, name: sizesText(cell.sizes), tip: () => cellTip(cell) }));
  }
  layerRows.filter((row) => row.gpu === chosenRoof.gpu && row.pick).forEach((row) => {
    points.push({ kind: "predicted", pick: row.pick, us: row.pick.first.us, name: row.problem, tip: () => layerTip(row) });
    if (row.timed) points.push({ kind: row.timed[2], pick: row.pick, us: row.timed[1], name: row.problem, tip: () => layerTip(row) });
  });
  return points.filter((one) => one.pick.bytes > 0).map((one) => ({ ...one, x: one.pick.flops / one.pick.bytes, y: tflops(one.pick.flops, one.us) }));
}

function roofOption() {
  const points = roofPoints();
  const roof = page.roofs[chosenRoof.gpu];
  const [least, most] = [Math.min(...points.map((one) => one.x), 1), Math.max(...points.map((one) => one.x), 1000)];
  const [left, right] = [10 ** Math.floor(Math.log10(least)), 10 ** Math.ceil(Math.log10(most))];
  const ridge = roof ? roof.tflops / roof.tbytes : null;
  const kinds = distinct(points.map((one) => one.kind));
  const low = Math.min(...points.map((one) => one.y), roof ? left * roof.tbytes : Infinity);
  const series = kinds.map((kind, place) => ({
    name: PROVENANCES[kind] || "predicted", type: "scatter", symbol: SYMBOLS[kind], symbolSize: 9, z: 3,
    itemStyle: { color: palette()[place ? 5 : 0], opacity: 0.8, borderColor: token("surface"), borderWidth: 1 },
    data: points.filter((one) => one.kind === kind).map((one) => ({ value: [one.x, one.y], tip: one.tip })),
  }));
  if (roof) {
    const line = (name, data, at, type) => ({
      name, type: "line", data, symbol: "none", silent: true, lineStyle: { color: token("text"), width: 2, type },
      endLabel: { show: false }, markPoint: { symbol: "circle", symbolSize: 0, data: [{ coord: at.coord, label: { show: true, color: token("text"), position: at.position, align: at.align, formatter: at.text, rotate: 0, fontSize: 12 } }] },
    });
    series.push(line("roof", [[left, left * roof.tbytes], [ridge, roof.tflops], [right, roof.tflops]], { coord: [right, roof.tflops], position: [0, -18], align: "right", text: `${figure(roof.tflops)} TFLOP/s${byId("roofline-chart").clientWidth > 640 ? ", dense 16-bit matrix operations" : ""}` }, "solid"));
    series.push(line("ridge", [[ridge, 10 ** Math.floor(Math.log10(low))], [ridge, roof.tflops]], { coord: [ridge, 10 ** Math.floor(Math.log10(low))], position: [-6, -18], align: "right", text: `${figure(ridge)} FLOP/byte at ${figure(roof.tbytes)} TB/s` }, "dotted"));
  }
  return {
    grid: { left: 72, right: 24, top: 48, bottom: 52 },
    legend: { top: 0, left: 0, data: kinds.map((kind) => PROVENANCES[kind] || "predicted"), textStyle: { color: token("text") } },
    tooltip: tooltip((one) => one.data?.tip?.()),
    xAxis: axis({ type: "log", min: left, max: right, name: "FLOP per byte, each tensor counted once", nameLocation: "middle", nameGap: 32, axisLabel: { color: token("muted"), formatter: figure } }),
    yAxis: axis({ type: "log", name: "TFLOP/s", axisLabel: { color: token("muted"), formatter: figure }, min: 10 ** Math.floor(Math.log10(low)) }),
    series,
  };
}

function drawRoof() {
  const points = roofPoints();
  const map = page.maps.length ? currentMap() : null;
  const of = map && map.gpu === chosenRoof.gpu ? ` The map's problems, ${map.title}, are those that are chosen above.` : "";
  const roof = page.roofs[chosenRoof.gpu];
  show("roofline-lead", `${several(points.length, "problem")} on ${chosenRoof.gpu}${roof ? ` (${roof.product})` : ""}: how near its time is to what the GPU could do at most.${of}`);
  show("roofline-remark", roof
    ? "The roof is AMD's published peak of dense 16-bit matrix operations at the highest clock and the published bandwidth of memory, as arch/ has them. Operands of other sizes have other peaks, and what a cache serves may lie above the slope."
    : `The peak of ${chosenRoof.gpu} is not in arch/, so there is no roof.`);
  roofChart.again();
}

function startRoofline() {
  const gpus = distinct([...page.maps.map((one) => one.gpu), ...layerRows.map((row) => row.gpu)]);
  if (!gpus.length) return;
  byId("roofline").hidden = false;
  chosenRoof.gpu = gpus[0];
  if (gpus.length > 1) show("roofline-controls", select("GPU", gpus, gpus[0], (value) => { chosenRoof.gpu = value; drawRoof(); }));
  roofChart = new Chart(byId("roofline-chart"), { option: roofOption, label: () => `${several(roofPoints().length, "point")} below the roof of ${chosenRoof.gpu}; the map and the layers have the figures as tables.` });
  mapListeners.push(drawRoof);
  drawRoof();
}
