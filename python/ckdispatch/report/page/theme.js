// Light and dark: as the system has it, as the reader chose, and always light on paper.

const dark = matchMedia("(prefers-color-scheme: dark)");
const listeners = [];
const theme = { chosen: "auto", printing: false };

function colours() {
  if (theme.printing) return "light";
  return theme.chosen === "auto" ? (dark.matches ? "dark" : "light") : theme.chosen;
}

function applyTheme() {
  const wanted = colours();
  if (document.documentElement.dataset.colours === wanted) return;
  document.documentElement.dataset.colours = wanted;
  document.documentElement.style.colorScheme = wanted;
  listeners.forEach((one) => one());
}

function token(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function palette() {
  return Array.from({ length: 10 }, (_, place) => token(`c${place}`));
}

// Black or white, whichever is read more easily on a colour.
function inkOn(colour) {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255).map((c) => (c <= 0.04 ? c / 12.9 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.19 ? "#000000" : "#ffffff";
}

function startTheme() {
  byId("theme").addEventListener("change", (event) => {
    theme.chosen = event.target.value;
    applyTheme();
  });
  dark.addEventListener("change", applyTheme);
  applyTheme();
}
