// What the page was made from.

function setTable(sets, caption) {
  return plainTable([
    { title: "set", of: (one) => one.name },
    { title: "kernels", number: true, of: (one) => whole(one.kernels) },
    { title: "SHA-256 of the manifest", of: (one) => el("code", {}, one.sha256) },
  ], sets, sets.length > MOST_SETS ? undefined : caption);
}

const MOST_SETS = 8;

function setCard(sets, caption) {
  const table = setTable(sets, caption);
  const folded = sets.length > MOST_SETS ? el("details", { class: "as-table" }, el("summary", {}, `${sets.length} ${caption.toLowerCase()}`), table) : table;
  return el("div", { class: "card", style: { marginBottom: "16px" } }, folded);
}

function startSources() {
  show(
    "sources-text",
    ...page.remarks.map((remark) => el("p", { class: "remark" }, remark)),
    setCard(page.sets, "Manifests"),
    ...(page.comparison ? [setCard(page.comparison.before, "Manifests of the earlier build")] : []),
    el("p", { class: "remark" }, "Charts are drawn by Apache ECharts (Apache License 2.0), which is part of this file. The page loads nothing."),
  );
}
