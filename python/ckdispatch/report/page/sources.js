// What the page was made from.

function setTable(sets, caption) {
  return plainTable([
    { title: "set", of: (one) => one.name },
    { title: "kernels", number: true, of: (one) => whole(one.kernels) },
    { title: "SHA-256 of the manifest", of: (one) => el("code", { style: { overflowWrap: "anywhere" } }, one.sha256) },
  ], sets, caption);
}

function startSources() {
  const card = (...children) => el("div", { class: "card", style: { marginBottom: "16px" } }, ...children);
  show(
    "sources-text",
    ...page.remarks.map((remark) => el("p", { class: "remark" }, remark)),
    card(setTable(page.sets, "Manifests")),
    ...(page.comparison ? [card(setTable(page.comparison.before, "Manifests of the earlier build"))] : []),
    el("p", { class: "remark" }, "Charts are drawn by Apache ECharts (Apache License 2.0), which is part of this file. The page loads nothing."),
  );
}
