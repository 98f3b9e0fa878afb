// The document of the page, with rows made of it: one for each kernel and GPU.

const page = JSON.parse(document.getElementById("data").textContent);

function named(names, values) {
  return Object.fromEntries(names.map((name, place) => [name, values[place]]));
}

function functionOf([name, figures, mix, limits, matrix]) {
  return { name, ...named(page.function_figures, figures), mix, limits, matrix, instructions: mix.reduce((a, b) => a + b, 0) };
}

function rowOf(kernel, place, gpu, use) {
  const figures = named(page.figures, use.figures);
  const functions = (use.functions || []).map(functionOf);
  const mix = functions.length ? page.classes.map((_, at) => functions.reduce((sum, one) => sum + one.mix[at], 0)) : null;
  const instructions = mix ? mix.reduce((a, b) => a + b, 0) : null;
  return {
    kernel, place, gpu, ...figures, functions, mix, instructions,
    object: use.object ?? null,
    matrixShare: instructions ? mix[0] / instructions : null,
    spilling: figures.vgpr_spills > 0 || figures.scratch_bytes > 0,
    found: `${kernel.name} ${gpu} ${kernel.cells.join(" ")}`.toLowerCase(),
  };
}

for (const kernel of page.kernels) {
  const family = page.families[kernel.family];
  kernel.cell = named(family.columns, kernel.cells);
  kernel.word = named(family.words, kernel.words);
}

const rows = page.kernels.flatMap((kernel, place) => Object.entries(kernel.uses).map(([gpu, use]) => rowOf(kernel, place, gpu, use)));

// What a kernel is called where there is little room: what tells it from its neighbours.
function shortName(kernel) {
  const { variant, pipeline, tile, ...others } = kernel.cell;
  const said = [pipeline, tile, ...Object.values(others), variant === "standard" ? "" : variant];
  return said.filter((word) => word && word !== "-").join(" ");
}

// A pick: [flops, bytes, [kernel, microseconds, parts, basis], the same of the second].
function pickOf(picked) {
  if (!picked) return null;
  const [flops, bytes, first, second] = picked;
  const way = (one) => one && { kernel: page.kernels[one[0]], place: one[0], us: one[1], parts: one[2], basis: one[3] };
  return { flops, bytes, first: way(first), second: way(second) };
}

const BASES = {
  cost_model: "predicted by the cost model",
  learned: "predicted by a learned model",
  beyond: "predicted by a learned model, beyond what it has seen",
  predictor: "predicted",
};
const PROVENANCES = { measured: "measured on a GPU", simulated: "simulated", imported: "measured by others" };
