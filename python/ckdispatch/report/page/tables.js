// Long tables: only the rows that are seen are in the page, and all of them on paper.

const ROW = 30;
const BEYOND = 12;
const longTables = [];

const ruler = document.createElement("canvas").getContext("2d");

function textWidth(text, bold) {
  ruler.font = `${bold ? 600 : 400} 13.6px ${getComputedStyle(document.body).fontFamily}`;
  return ruler.measureText(text).width;
}

class LongTable {
  // columns: {title, tip, number, width, of(row): value to sort by, cell(row): text or element, kind(row): class}
  constructor(host, { columns, rows, label, first = 0, open = null, sorted = null }) {
    Object.assign(this, { columns, all: rows, rows, first, open, sort: sorted, seen: new Map(), current: -1, whole: false });
    this.body = el("tbody");
    this.heads = columns.map((column, place) => this.head(column, place));
    const widths = columns.map((column) => el("col", { style: { width: `${this.width(column)}px` } }));
    this.table = el("table", { "aria-label": label }, el("colgroup", {}, ...widths), el("thead", {}, el("tr", {}, ...this.heads)), this.body);
    this.table.style.minWidth = `${sum(columns.map((column) => this.width(column)))}px`;
    this.scroller = el("div", { class: open ? "scroller opens" : "scroller", role: "region", "aria-label": label, tabindex: 0 }, this.table);
    this.above = el("tr", { class: "spacer", "aria-hidden": true }, el("td", { colspan: columns.length }));
    this.below = this.above.cloneNode(true);
    this.empty = el("tr", {}, el("td", { class: "empty", colspan: columns.length }, "Nothing passes these filters."));
    this.scroller.addEventListener("scroll", () => this.later(), { passive: true });
    this.scroller.addEventListener("keydown", (event) => this.key(event));
    this.body.addEventListener("click", (event) => this.click(event));
    new ResizeObserver(() => this.later()).observe(this.scroller);
    host.replaceChildren(this.scroller);
    longTables.push(this);
    this.set(rows);
  }

  // Wide enough for the longest text of the column, within bounds.
  width(column) {
    if (column.width) return column.width;
    let widest = textWidth(`${column.title} ▲`, true);
    const texts = new Set();
    for (const row of this.all) {
      const shown = column.cell ? column.cell(row) : column.of(row);
      if (typeof shown === "string" || typeof shown === "number") texts.add(String(shown));
    }
    for (const text of texts) widest = Math.max(widest, textWidth(text, column === this.columns[0]));
    return (column.width = Math.min(Math.ceil(widest) + 20, column.most || 300));
  }

  head(column, place) {
    const arrow = el("span", { class: "arrow", "aria-hidden": true });
    const button = el("button", { type: "button", title: column.tip, onclick: () => this.sortBy(place) }, column.title, arrow);
    const kind = [column.number ? "number" : "", place === 0 ? "first" : ""].join(" ").trim();
    return el("th", { scope: "col", class: kind || null }, button);
  }

  set(rows) {
    this.shown = rows;
    this.arrange();
  }

  sortBy(place) {
    const column = this.columns[place];
    const down = this.sort?.place === place ? !this.sort.down : Boolean(column.number);
    this.sort = { place, down };
    this.arrange();
  }

  arrange() {
    const { sort } = this;
    this.rows = this.shown;
    if (sort) {
      const { of } = this.columns[sort.place];
      const keyed = this.shown.map((row, place) => [of(row), place, row]);
      const way = sort.down ? -1 : 1;
      // What is not known comes last either way.
      const known = (value) => value !== null && value !== undefined;
      keyed.sort((a, b) => (known(a[0]) && known(b[0]) ? way : 1) * compareValues(a[0], b[0]) || a[1] - b[1]);
      this.rows = keyed.map((one) => one[2]);
    }
    this.heads.forEach((head, place) => {
      const mine = sort?.place === place;
      if (mine) head.setAttribute("aria-sort", sort.down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
      head.querySelector(".arrow").textContent = mine ? (sort.down ? "▼" : "▲") : "";
    });
    this.table.setAttribute("aria-rowcount", this.rows.length + 1);
    this.current = this.rows.indexOf(this.chosen);
    this.seen.forEach((row) => row.remove());
    this.seen.clear();
    this.scroller.scrollTop = 0;
    this.draw();
  }

  later() {
    if (this.waiting || this.whole) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      if (!this.whole) this.draw();
    });
  }

  draw() {
    const { scrollTop, clientHeight } = this.scroller;
    const from = this.whole ? 0 : Math.max(0, Math.min(Math.floor(scrollTop / ROW), this.rows.length) - BEYOND);
    const to = this.whole ? this.rows.length : Math.min(this.rows.length, Math.ceil((scrollTop + (clientHeight || 600)) / ROW) + BEYOND);
    for (const [place, row] of this.seen) {
      if (place < from || place >= to) {
        row.remove();
        this.seen.delete(place);
      }
    }
    if (!this.above.isConnected) this.body.replaceChildren(this.above, this.below);
    this.empty.remove();
    if (!this.rows.length) this.above.after(this.empty);
    let before = this.above;
    for (let place = from; place < to; place += 1) {
      if (!this.seen.has(place)) {
        const row = this.line(place);
        this.seen.set(place, row);
        before.after(row);
      }
      before = this.seen.get(place);
    }
    this.above.firstChild.style.height = `${from * ROW}px`;
    this.below.firstChild.style.height = `${(this.rows.length - to) * ROW}px`;
  }

  line(place) {
    const row = this.rows[place];
    const cells = this.columns.map((column, at) => {
      const shown = column.cell ? column.cell(row) : column.of(row) ?? "?";
      const kind = [column.number ? "number" : "", at === 0 ? "first" : "", column.kind?.(row) || ""].join(" ").trim();
      const tip = column.title_of?.(row) ?? (typeof shown === "string" && shown.length > 24 ? shown : null);
      return at === 0 ? el("th", { scope: "row", class: kind, title: tip }, shown) : el("td", { class: kind || null, title: tip }, shown);
    });
    const current = place === this.current;
    const kind = `data${place % 2 ? " other" : ""}${current ? " current" : ""}`;
    return el("tr", { class: kind, "aria-rowindex": place + 2, "data-place": place, tabindex: this.open ? -1 : null, "aria-selected": current && this.open ? "true" : null }, ...cells);
  }

  click(event) {
    const row = event.target.closest("tr.data");
    if (row && this.open) this.choose(Number(row.dataset.place), true);
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / ROW) - 3);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.target.closest("thead") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in steps && this.open) {
      event.preventDefault();
      const next = Math.max(0, Math.min(this.rows.length - 1, this.current + steps[event.key]));
      if (this.rows.length) this.choose(next, false);
    } else if ((event.key === "Enter" || event.key === " ") && this.open && this.current >= 0) {
      event.preventDefault();
      this.choose(this.current, true);
      byId("details").focus();
    }
  }

  choose(place, opened) {
    this.seen.get(this.current)?.classList.remove("current");
    this.seen.get(this.current)?.removeAttribute("aria-selected");
    this.current = place;
    this.chosen = this.rows[place];
    const top = place * ROW;
    const { scroller } = this;
    const height = scroller.clientHeight - ROW * 2;
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (top > scroller.scrollTop + height) scroller.scrollTop = top - height;
    this.draw();
    const row = this.seen.get(place);
    row?.classList.add("current");
    row?.setAttribute("aria-selected", "true");
    row?.focus({ preventScroll: true });
    if (opened) this.open(this.chosen);
  }

  // On paper nobody scrolls.
  showAll(all) {
    this.whole = all;
    this.draw();
  }
}
