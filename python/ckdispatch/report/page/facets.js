// Filters over rows: words to search for, and a choice for each thing that rows differ in.

class Facets {
  // kinds: {name: row => value}; switches: {label: row => boolean}
  constructor(form, rows, kinds, switches, changed) {
    Object.assign(this, { form, rows, changed, kinds, switches, chosen: {}, on: {}, words: [] });
    form.addEventListener("submit", (event) => event.preventDefault());
    this.search = el("input", { type: "search", placeholder: "words of a name, such as compv4 128x", autocomplete: "off", spellcheck: "false", oninput: () => this.later() });
    this.build();
  }

  build() {
    const parts = [field("Search", this.search, "search")];
    for (const [name, of] of Object.entries(this.kinds)) {
      const values = distinct(this.rows.map(of)).filter((value) => value !== undefined).sort(compareValues);
      if (values.length < 2) continue;
      parts.push(select(name, ["", ...values], "", (value) => { this.chosen[name] = value; this.changed(); }, (value) => value || "all"));
    }
    for (const [label, of] of Object.entries(this.switches)) {
      if (!this.rows.some(of)) continue;
      const box = el("input", { type: "checkbox", onchange: () => { this.on[label] = box.checked; this.changed(); } });
      parts.push(el("label", { class: "field check" }, box, label));
    }
    parts.push(el("button", { type: "button", class: "plain", onclick: () => this.reset() }, "Reset"));
    this.form.replaceChildren(...parts);
  }

  reset() {
    Object.assign(this, { chosen: {}, on: {}, words: [] });
    this.search.value = "";
    this.form.querySelectorAll("select").forEach((one) => { one.value = ""; });
    this.form.querySelectorAll("input[type=checkbox]").forEach((one) => { one.checked = false; });
    this.changed();
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
      this.changed();
    }, 60);
  }

  passing() {
    const kinds = Object.entries(this.chosen).filter(([, value]) => value).map(([name, value]) => [this.kinds[name], value]);
    const switches = Object.entries(this.on).filter(([, on]) => on).map(([label]) => this.switches[label]);
    return this.rows.filter((row) =>
      this.words.every((word) => row.found.includes(word)) &&
      kinds.every(([of, value]) => of(row) === value) &&
      switches.every((of) => of(row)));
  }
}
