// Which kernel wins where: a map over two sizes for each value of a third. A letter stands for a kernel, whatever its colour.

const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"];
const letter = (place) => (place < LETTERS.length ? LETTERS[place] : LETTERS[Math.floor(place / 52) - 1] + LETTERS[place % 52]);
const SHOWN = { winner: "the winner", time: "its time", rate: "TFLOP/s", lead: "its lead" };
const chosenMap = { gpu: "", title: "", each: 0, shown: "winner", at: null };
let mapChart;

function currentMap() {
  return page.maps.find((one) => one.gpu === chosenMap.gpu && one.title === chosenMap.title) || page.maps.find((one) => one.gpu === chosenMap.gpu) || page.maps[0];
}

// The cells of the map that is chosen: [across, down] with its pick and the letter of the winner.
function mapCells() {
  const map = currentMap();
  const [each, down, across] = map.axes;
  const count = down[1].length * across[1].length;
  const place = Math.min(chosenMap.each, each[1].length - 1);
  const picks = map.picks.slice(place * count, (place + 1) * count).map(pickOf);
  const wins = new Map();
  picks.forEach((pick) => pick && wins.set(pick.first.place, (wins.get(pick.first.place) || 0) + 1));
  const winners = [...wins].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([at, won], rank) => ({ at, won, rank, letter: letter(rank), kernel: page.kernels[at] }));
  const rank = new Map(winners.map((one) => [one.at, one]));
  const cells = picks.map((pick, at) => ({
    x: at % across[1].length, y: Math.floor(at / across[1].length), pick, winner: pick && rank.get(pick.first.place),
    sizes: { [down[0]]: down[1][Math.floor(at / across[1].length)], [across[0]]: across[1][at % across[1].length], [each[0]]: each[1][place] },
  }));
  return { map, each, down, across, place, cells, winners };
}

const lead = (pick) => (pick.second ? pick.second.us / pick.first.us - 1 : null);

const MEASURES = {
  time: { of: (pick) => Math.log10(pick.first.us), text: (pick) => figure(pick.first.us), words: (value) => time(10 ** value) },
  rate: { of: (pick) => tflops(pick.flops, pick.first.us), text: (pick) => figure(tflops(pick.flops, pick.first.us)), words: (value) => `${figure(value)} TFLOP/s` },
  lead: { of: (pick) => Math.min(lead(pick) ?? 0, 1), text: (pick) => (pick.second ? `${Math.round(100 * lead(pick))}%` : "-"), words: (value) => percent(value) },
};

function sizesText(sizes) {
  return Object.entries(sizes).map(([name, value]) => `${name} ${whole(value)}`).join(", ");
}

function cellTip(cell) {
  const { pick } = cell;
  if (!pick) return tipBox(sizesText(cell.sizes), [["", "no kernel computes it as it is"]]);
  return tipBox(`${cell.winner.letter}: ${shortName(pick.first.kernel)}`, [
    ["problem", sizesText(cell.sizes)],
    ["time", `${time(pick.first.us)}, ${BASES[pick.first.basis]}`],
    ["that is", `${figure(tflops(pick.flops, pick.first.us))} TFLOP/s`],
    pick.first.parts > 1 ? ["parts of K", whole(pick.first.parts)] : null,
    pick.second ? ["next", `${shortName(pick.second.kernel)}, ${time(pick.second.us)} (+${percent(lead(pick))})`] : null,
  ]);
}

function cellText(cell) {
  const { pick } = cell;
  if (!pick) return `${sizesText(cell.sizes)}: no kernel computes it as it is.`;
  const next = pick.second ? `; the next, ${shortName(pick.second.kernel)}, takes ${percent(lead(pick))} more` : "";
  return `${sizesText(cell.sizes)}: ${cell.winner.letter}, ${shortName(pick.first.kernel)}, ${time(pick.first.us)} ${BASES[pick.first.basis]}${next}.`;
}

function mapOption() {
  const { cells, down, across } = mapCells();
  const measure = MEASURES[chosenMap.shown];
  const known = cells.filter((cell) => cell.pick);
  const values = measure ? known.map((cell) => measure.of(cell.pick)) : [];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const colours = palette();
  const ramp = [token("accent-soft"), token("accent")];
  const share = (value) => (high > low ? (value - low) / (high - low) : 1);
  const fill = (cell) => {
    if (!cell.pick) return token("raised");
    return measure ? echarts.color.lerp(share(measure.of(cell.pick)), ramp) : colours[cell.winner.rank % colours.length];
  };
  const ink = (colour) => inkOn(echarts.color.modifyAlpha ? hex(colour) : colour);
  const data = cells.map((cell) => {
    const colour = fill(cell);
    return {
      value: [cell.x, cell.y, 1],
      itemStyle: { color: colour },
      label: { color: cell.pick ? ink(colour) : token("muted"), formatter: cell.pick ? (measure ? measure.text(cell.pick) : cell.winner.letter) : "–" },
    };
  });
  return {
    aria: { enabled: true, label: { enabled: false }, decal: { show: false } },
    grid: { left: 64, right: 12, top: 12, bottom: 52 },
    tooltip: tooltip((one) => cellTip(cells[one.dataIndex])),
    xAxis: axis({ type: "category", data: across[1].map(whole), name: across[0], nameLocation: "middle", nameGap: 32, splitLine: { show: false } }),
    yAxis: axis({ type: "category", data: down[1].map(whole), name: down[0], nameLocation: "middle", nameGap: 50, nameRotate: 0, splitLine: { show: false } }),
    series: [{
      type: "heatmap", data, itemStyle: { borderColor: token("surface"), borderWidth: 2, borderRadius: 4 },
      label: { show: true, fontWeight: measure ? 500 : 700, fontSize: measure ? 11 : 14 },
      emphasis: { itemStyle: { borderColor: token("text"), borderWidth: 3 } },
    }],
  };
}

// #rrggbb of any colour that ECharts gives.
function hex(colour) {
  const numbers = colour.match(/\d+(\.\d+)?/g);
  if (colour.startsWith("#") || !numbers) return colour;
  return `#${numbers.slice(0, 3).map((one) => Math.round(Number(one)).toString(16).padStart(2, "0")).join("")}`;
}

function mapKey() {
  const { winners, cells } = mapCells();
  const colours = palette();
  const won = cells.filter((cell) => cell.pick).length;
  const columns = [
    { title: "", of: (one) => el("span", { class: "letter", style: { background: colours[one.rank % colours.length], color: inkOn(colours[one.rank % colours.length]) } }, one.letter) },
    { title: "kernel", of: (one) => el("span", { title: one.kernel.name }, shortName(one.kernel)) },
    { title: "wins", number: true, of: (one) => whole(one.won) },
  ];
  const empty = cells.length - won;
  const rest = empty ? [el("p", { class: "hint" }, `For ${several(empty, "problem")}, marked –, no kernel fits as it is.`)] : [];
  show("map-key", plainTable(columns, winners, `${several(winners.length, "kernel wins", "kernels win")} ${several(won, "problem")}`), ...rest);
}

function mapTable() {
  const { cells, down, across } = mapCells();
  const lines = down[1].map((value, y) => ({ value, cells: cells.filter((cell) => cell.y === y) }));
  const columns = [
    { title: `${down[0]} \\ ${across[0]}`, of: (line) => whole(line.value) },
    ...across[1].map((value, x) => ({ title: whole(value), of: (line) => {
      const cell = line.cells[x];
      return cell.pick ? `${cell.winner.letter} ${time(cell.pick.first.us)}` : "–";
    } })),
  ];
  show("map-table", plainTable(columns, lines));
}

function drawMap() {
  mapControls();
  mapKey();
  mapTable();
  mapChart.again();
  mapListeners.forEach((one) => one());
}

const mapListeners = [];

function mapControls() {
  const gpus = distinct(page.maps.map((one) => one.gpu));
  const map = currentMap();
  Object.assign(chosenMap, { gpu: map.gpu, title: map.title });
  const titles = page.maps.filter((one) => one.gpu === map.gpu).map((one) => one.title);
  const set = (name) => (value) => {
    const focused = document.activeElement;
    const place = [...byId("map-controls").querySelectorAll("input, select")].indexOf(focused);
    chosenMap[name] = value;
    drawMap();
    byId("map-controls").querySelectorAll("input, select")[place]?.focus();
  };
  show(
    "map-controls",
    ...(gpus.length > 1 ? [select("GPU", gpus, map.gpu, set("gpu"))] : []),
    ...(titles.length > 1 ? [select("Problems", titles, map.title, set("title"))] : []),
    choice(map.axes[0][0], map.axes[0][1].map((_, place) => place), chosenMap.each, set("each"), (place) => whole(map.axes[0][1][place])),
    choice("Cells show", Object.keys(SHOWN), chosenMap.shown, set("shown"), (name) => SHOWN[name]),
  );
  const sizes = map.axes.slice(1).map(([name]) => name).join(" and ");
  show("map-lead", `The kernel that should be the fastest for each ${sizes} of ${map.title} on ${map.gpu}. Times are ${basesText(map.picks.map(pickOf))}; nothing on this map was measured.`);
}

function basesText(picks) {
  return distinct(picks.filter(Boolean).map((pick) => BASES[pick.first.basis])).join(" or ");
}

function mapKeys(event) {
  const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  if (event.key === "Escape") return mapChart.chart?.dispatchAction({ type: "hideTip" });
  if (!(event.key in steps)) return undefined;
  event.preventDefault();
  const { cells, down, across } = mapCells();
  const [x, y] = chosenMap.at || [-1, 0];
  const [dx, dy] = chosenMap.at ? steps[event.key] : [1, 0];
  const next = [Math.max(0, Math.min(across[1].length - 1, x + dx)), Math.max(0, Math.min(down[1].length - 1, y + dy))];
  const dataIndex = next[1] * across[1].length + next[0];
  chosenMap.at = next;
  mapChart.chart?.dispatchAction({ type: "downplay", seriesIndex: 0 });
  mapChart.chart?.dispatchAction({ type: "highlight", seriesIndex: 0, dataIndex });
  mapChart.chart?.dispatchAction({ type: "showTip", seriesIndex: 0, dataIndex });
  show("map-cell", cellText(cells[dataIndex]));
  return undefined;
}

function startMaps() {
  if (!page.maps.length) return;
  byId("map").hidden = false;
  chosenMap.gpu = page.maps[0].gpu;
  chosenMap.title = page.maps[0].title;
  chosenMap.each = Math.floor((page.maps[0].axes[0][1].length - 1) / 2);
  const host = byId("map-chart");
  host.tabIndex = 0;
  host.addEventListener("keydown", mapKeys);
  mapChart = new Chart(host, {
    option: mapOption,
    label: () => { const { winners, cells, map } = mapCells(); return `A map of ${several(cells.length, "problem")} of ${map.title}: ${winners.map((one) => `${one.letter}, ${shortName(one.kernel)}, wins ${one.won}`).join("; ")}. Arrow keys read its cells.`; },
  });
  // What the arrow keys move in, for programs that read the page aloud.
  host.setAttribute("role", "application");
  host.setAttribute("aria-roledescription", "map");
  listeners.push(mapKey);
  drawMap();
}
