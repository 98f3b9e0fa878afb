// Figures as people read them.

const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

const whole = (value) => (value === null || value === undefined ? "?" : grouped.format(value));

function figure(value) {
  if (!Number.isFinite(value)) return "?";
  if (value === 0) return "0";
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString("en", { maximumFractionDigits: Math.min(digits, 4) });
}

function bytes(value) {
  if (value === null || value === undefined) return "?";
  const units = ["B", "KiB", "MiB", "GiB"];
  let place = 0;
  for (; value >= 1024 && place < units.length - 1; place += 1) value /= 1024;
  return `${place ? value.toFixed(1) : value} ${units[place]}`;
}

function time(us) {
  if (us >= 1e6) return `${figure(us / 1e6)} s`;
  return us >= 1e3 ? `${figure(us / 1e3)} ms` : `${figure(us)} µs`;
}

const tflops = (flops, us) => flops / us / 1e6;
const percent = (share) => `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} %`;
const several = (count, one, many = `${one}s`) => `${whole(count)} ${count === 1 ? one : many}`;
const sum = (values) => values.reduce((a, b) => a + b, 0);
const distinct = (values) => [...new Set(values)];

// 128x64x32 by how much it is, words by the alphabet with numbers in their order.
const collator = new Intl.Collator("en", { numeric: true });

function extent(text) {
  return /^\d+(x\d+)+$/.test(text) ? text.split("x").reduce((product, one) => product * Number(one), 1) : null;
}

function compareValues(a, b) {
  if (a === b) return 0;
  if (a === null || a === undefined) return 1;
  if (b === null || b === undefined) return -1;
  if (typeof a === "number" && typeof b === "number") return a - b;
  const [x, y] = [extent(String(a)), extent(String(b))];
  return (x !== null && y !== null && x - y) || collator.compare(String(a), String(b));
}
