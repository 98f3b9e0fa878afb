// All that is known of one kernel on one GPU.

const LIMITS = { vgprs: "VGPRs", agprs: "AGPRs", sgprs: "SGPRs", lds: "LDS", waves: "the most that a SIMD holds" };

function specText(value) {
  if (Array.isArray(value)) return value.join(" x ");
  return typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
}

function pairs(list) {
  return el("dl", {}, ...list.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

function specList(list) {
  return el("div", { class: "spec" }, ...list.map(([name, value]) => el("div", {}, el("span", {}, name), " ", value)));
}

function functionTable(row) {
  const columns = [
    { title: "function", of: (one) => one.name },
    { title: "VGPRs", number: true, of: (one) => whole(one.vgprs) },
    { title: "AGPRs", number: true, of: (one) => whole(one.agprs) },
    { title: "LDS", number: true, of: (one) => bytes(one.lds_bytes) },
    { title: "waves/SIMD", number: true, of: (one) => whole(one.waves_per_simd) },
    { title: "limited by", of: (one) => one.limits.map((limit) => LIMITS[limit] || limit).join(", ") },
    { title: "code", number: true, of: (one) => bytes(one.code_bytes) },
    ...page.classes.filter((_, place) => row.mix[place]).map((name) => ({ title: CLASS_NAMES[name], number: true, of: (one) => whole(one.mix[page.classes.indexOf(name)]) })),
    { title: "in all", number: true, of: (one) => whole(one.instructions) },
  ];
  return plainTable(columns, row.functions, "Functions, with their instructions by class");
}

function matrixText(row) {
  const counts = new Map();
  row.functions.forEach((one) => Object.entries(one.matrix).forEach(([name, count]) => counts.set(name, (counts.get(name) || 0) + count)));
  return [...counts].map(([name, count]) => `${name} (${whole(count)})`).join(", ") || "none";
}

function openDetails(row) {
  const { kernel } = row;
  const roof = page.roofs[row.gpu];
  const of = (value, most) => (most ? `${whole(value)} of ${whole(most)}` : whole(value));
  const copy = el("button", { type: "button", class: "plain", onclick: () => copyName(kernel.name, copy) }, "Copy the name");
  const close = el("button", { type: "button", class: "plain", onclick: closeDetails }, "Close");
  const uses = [
    ["GPU", roof ? `${row.gpu} (${roof.product})` : row.gpu],
    ["VGPRs", of(row.vgprs, roof?.vgprs)],
    ["AGPRs", whole(row.agprs)],
    ["SGPRs", whole(row.sgprs)],
    ["LDS", roof ? `${bytes(row.lds_bytes)} of ${bytes(roof.lds)}` : bytes(row.lds_bytes)],
    ["scratch", bytes(row.scratch_bytes)],
    ["spills", `${whole(row.vgpr_spills)} VGPRs, ${whole(row.sgpr_spills)} SGPRs`],
    ["waves/SIMD", of(row.waves_per_simd, roof?.waves)],
    ["machine code", bytes(row.code_bytes)],
    ["code object", bytes(row.object)],
    ["library", bytes(kernel.library)],
    ["SHA-256", el("code", {}, kernel.sha256 || "?")],
  ];
  const spec = Object.entries(kernel.spec).map(([name, value]) => [name.replaceAll("_", " "), specText(value)]);
  const code = row.mix
    ? [mixBar(row.mix), el("p", { class: "hint" }, mixText(row.mix)), el("p", { class: "hint" }, `Matrix instructions: ${matrixText(row)}`), functionTable(row)]
    : [el("p", { class: "remark" }, "The instructions are not known: no description that fits the manifest lies beside the library.")];
  const box = byId("details");
  box.replaceChildren(
    el("header", {}, el("h3", { id: "details-name" }, kernel.name), el("div", { class: "buttons" }, copy, close)),
    el("div", { class: "columns" }, el("div", {}, pairs(uses)), el("div", {}, ...code, el("p", { class: "caption" }, "Spec"), el("div", { class: "over" }, specList(spec)))),
  );
  box.setAttribute("aria-labelledby", "details-name");
  box.hidden = false;
  box.scrollIntoView({ block: "nearest" });
}

function closeDetails() {
  byId("details").hidden = true;
  kernelTable.scroller.focus();
}

function copyName(name, button) {
  const done = () => { button.textContent = "Copied"; setTimeout(() => { button.textContent = "Copy the name"; }, 1500); };
  navigator.clipboard?.writeText(name).then(done, () => getSelection().selectAllChildren(byId("details-name")));
}
