// The table of kernels.

function mixBar(mix) {
  const total = sum(mix);
  const parts = mix.map((count, place) => (count ? el("i", { class: `p${place}`, style: { width: `${(100 * count) / total}%` } }) : null));
  return el("span", { class: "bar", role: "img", "aria-label": mixText(mix) }, ...parts);
}

const CLASS_NAMES = { matrix: "matrix", valu: "VALU", salu: "SALU", vmem: "VMEM", smem: "SMEM", lds: "LDS", control: "control", other: "other" };

function mixText(mix) {
  const total = sum(mix);
  return page.classes.map((name, place) => [name, mix[place]]).filter(([, count]) => count).map(([name, count]) => `${CLASS_NAMES[name]} ${percent(count / total)}`).join(", ");
}

// Columns in which kernels differ, and in words what all of them have in common.
function wordColumns() {
  const titles = distinct(Object.values(page.families).flatMap((family) => family.columns));
  const words = distinct(Object.values(page.families).flatMap((family) => family.words)).filter((word) => !titles.includes(word));
  const columns = [
    { title: "GPU", of: (row) => row.gpu },
    { title: "family", of: (row) => row.kernel.family },
    ...words.map((word) => ({ title: word, of: (row) => row.kernel.word[word] ?? "-" })),
    ...titles.filter((title) => title !== "tile").map((title) => ({ title, of: (row) => row.kernel.cell[title] ?? "-", most: 170 })),
    ...["epilogue", "scheduler", "persistent", "dtype_b", "dtype_c"].map((name) => ({ title: name.replace("_", " "), of: (row) => specText(row.kernel.spec[name] ?? "-") })),
  ];
  const differ = (column) => rows.some((row) => column.of(row) !== column.of(rows[0]));
  const common = columns.filter((column) => !differ(column) && column.title !== "dtype b" && column.title !== "dtype c" && column.of(rows[0]) !== "-");
  return { columns: columns.filter(differ), common: common.map((column) => [column.title, column.of(rows[0])]) };
}

function kernelColumns() {
  const first = { title: "tile", of: (row) => row.kernel.cell.tile ?? shortName(row.kernel), title_of: (row) => row.kernel.name, most: 200 };
  const number = (title, name, tip, more = {}) => ({ title, tip, number: true, of: (row) => row[name], cell: (row) => whole(row[name]), ...more });
  const described = rows.some((row) => row.mix);
  // What tells kernels apart at a glance comes before the figures, the rest behind them.
  const before = ["GPU", "family", "dtype", "layout", "mode", "variant", "pipeline"];
  const others = wordColumns().columns;
  return [
    first,
    ...before.flatMap((title) => others.filter((column) => column.title === title)),
    number("VGPRs", "vgprs", "Vector registers of a wave, with the accumulation registers where both are of one file"),
    number("AGPRs", "agprs", "Accumulation registers of a wave"),
    number("SGPRs", "sgprs", "Scalar registers of a wave"),
    number("LDS", "lds_bytes", "Bytes of a workgroup", { cell: (row) => bytes(row.lds_bytes) }),
    number("waves/SIMD", "waves_per_simd", "Occupancy: how many waves of the kernel a SIMD holds at most"),
    number("spills", "vgpr_spills", "Vector registers that the compiler keeps in memory", { kind: (row) => (row.spilling ? "alert" : "muted") }),
    ...(described ? [
      { title: "instruction mix", tip: "By class, sorted by the share of matrix instructions", width: 150, of: (row) => row.matrixShare, cell: (row) => (row.mix ? mixBar(row.mix) : "?"), title_of: (row) => (row.mix ? mixText(row.mix) : "Not known: no description lies beside the library") },
      number("instr.", "instructions", "Instructions of all functions"),
    ] : []),
    number("matrix", "matrix_instructions", "Matrix instructions of all functions"),
    number("code", "code_bytes", "Bytes of machine code", { cell: (row) => bytes(row.code_bytes) }),
    { title: "library", tip: "Bytes of the kernel's library, for all its GPUs", number: true, of: (row) => row.kernel.library, cell: (row) => bytes(row.kernel.library) },
    ...others.filter((column) => !before.includes(column.title)),
  ];
}

let kernelTable;

function startKernels() {
  const words = distinct(Object.values(page.families).flatMap((family) => family.words));
  const kinds = {
    GPU: (row) => row.gpu,
    family: (row) => row.kernel.family,
    ...Object.fromEntries(words.map((word) => [word, (row) => row.kernel.word[word]])),
    "waves/SIMD": (row) => row.waves_per_simd,
  };
  for (const [name, of] of Object.entries(kinds)) kinds[name] = ((inner) => (row) => { const value = inner(row); return value === undefined ? undefined : String(value); })(of);
  const facets = new Facets(byId("filters"), rows, kinds, { "spilling only": (row) => row.spilling }, changed);
  kernelTable = new LongTable(byId("kernel-table"), { columns: kernelColumns(), rows, label: "Kernels", open: openDetails });
  if (rows.some((row) => row.mix)) {
    show("mix-key", ...page.classes.map((name, place) => el("span", {}, el("i", { class: `p${place}` }), CLASS_NAMES[name])));
  }
  function changed() {
    const found = facets.passing();
    kernelTable.set(found);
    count(found);
  }
  function count(found) {
    const what = page.gpus.length > 1 ? " (a kernel counts once for each GPU)" : "";
    show("count", el("b", {}, whole(found.length)), ` of ${several(rows.length, "kernel")}${what}`);
  }
  count(rows);
  const { common } = wordColumns();
  if (common.length) show("kernels-common", "All of them: ", ...common.flatMap(([name, value], place) => [place ? ", " : "", `${name} `, el("b", {}, value)]), ".");
}
