// Charts by ECharts, drawn when they are first seen, and anew in other colours.

const drawn = [];

class Chart {
  // option() gives what ECharts draws; label() says it in words.
  constructor(host, { option, label }) {
    Object.assign(this, { host, option, label });
    this.chart = null;
    host.setAttribute("role", "img");
    host.setAttribute("aria-label", label());
    new IntersectionObserver((seen, observer) => {
      if (!seen.some((one) => one.isIntersecting)) return;
      observer.disconnect();
      this.draw();
    }, { rootMargin: "300px" }).observe(host);
    new ResizeObserver(() => this.resized()).observe(host);
    listeners.push(() => this.chart && this.draw());
    drawn.push(this);
  }

  draw() {
    const fresh = this.chart === null;
    if (fresh) this.chart = echarts.init(this.host, null, { renderer: "svg" });
    this.host.setAttribute("aria-label", this.label());
    this.chart.setOption({ ...common(), ...this.option() }, { notMerge: true });
    if (fresh) this.ready?.(this.chart);
  }

  // Some options depend on the room that there is.
  resized() {
    if (this.chart === null || this.chart.getWidth() === this.host.clientWidth) return;
    this.chart.resize();
    this.draw();
  }

  again() {
    if (this.chart) this.draw();
  }
}

function common() {
  const text = token("text");
  return {
    animation: false,
    backgroundColor: "transparent",
    textStyle: { fontFamily: getComputedStyle(document.body).fontFamily, color: text, fontSize: 12 },
    aria: { enabled: true, label: { enabled: false }, decal: { show: true } },
    color: palette(),
  };
}

function axis(more) {
  const muted = token("muted");
  return {
    axisLine: { show: true, lineStyle: { color: token("line") } },
    axisTick: { show: false },
    axisLabel: { color: muted, fontSize: 12 },
    nameTextStyle: { color: muted, fontSize: 12 },
    splitLine: { lineStyle: { color: token("line"), opacity: 0.6 } },
    minorSplitLine: { show: false },
    ...more,
  };
}

function tooltip(of) {
  return {
    confine: true,
    backgroundColor: token("surface"),
    borderColor: token("line"),
    textStyle: { color: token("text") },
    extraCssText: "box-shadow: 0 6px 24px rgb(0 0 0 / 22%);",
    formatter: (one) => of(one) || "",
  };
}

// The box that a tooltip shows: a title, and names with values.
function tipBox(title, facts) {
  const pairs = facts.filter((fact) => fact && fact[1] !== "").flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]);
  return el("div", { class: "tip" }, el("b", {}, title), el("dl", {}, ...pairs));
}
