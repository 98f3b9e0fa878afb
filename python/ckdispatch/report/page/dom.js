// Making elements. Texts are always text: nothing of the document is ever read as HTML.

function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(made.style, value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const byId = (id) => document.getElementById(id);

function show(id, ...children) {
  byId(id).replaceChildren(...children);
}

function field(label, control, kind = "") {
  return el("label", { class: `field ${kind}` }, label, control);
}

function select(label, values, chosen, onchange, words = (value) => value) {
  const options = values.map((value) => el("option", { value, selected: value === chosen }, words(value)));
  const control = el("select", { onchange: () => onchange(control.value) }, ...options);
  return field(label, control);
}

let choices = 0;

// A few values that exclude each other.
function choice(label, values, chosen, onchange, words = (value) => String(value)) {
  const name = `choice-${(choices += 1)}`;
  const labels = values.map((value) =>
    el("label", {}, el("input", { type: "radio", name, value, checked: value === chosen, onchange: () => onchange(value) }), el("span", {}, words(value))));
  return el("fieldset", { class: "choice" }, el("legend", {}, label), ...labels);
}

// A short table, all of it in the page.
function plainTable(columns, lines, caption) {
  const head = el("tr", {}, ...columns.map((column) => el("th", { scope: "col", class: column.number ? "number" : null }, column.title)));
  const body = lines.map((line) => el("tr", {}, ...columns.map((column, place) => {
    const value = column.of(line);
    const kind = column.number ? "number" : null;
    return place ? el("td", { class: kind }, value) : el("th", { scope: "row", class: kind }, value);
  })));
  const parts = caption ? [el("caption", {}, caption)] : [];
  return el("div", { class: "over" }, el("table", { class: "plain" }, ...parts, el("thead", {}, head), el("tbody", {}, ...body)));
}
