// Elements from names, attributes and children. Strings become text nodes, never markup.

const SVG = "http://www.w3.org/2000/svg";
let counter = 0;

export function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

// An id that no other element has.
export function freshId(prefix) {
  counter += 1;
  return `${prefix}-${counter}`;
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

// A figure as people read it.
export function figure(value, digits = 3) {
  if (value === null) return "not finite"; // what JSON has no number for
  if (Number.isInteger(value)) return value.toLocaleString("en");
  const size = Math.abs(value);
  const text = size !== 0 && (size < 0.001 || size >= 10000) ? value.toExponential(2) : value.toFixed(size >= 100 ? 1 : digits);
  return text.replace("-", "−");
}

export function percent(share) {
  return `${Math.round(100 * share)} %`;
}

// Tell what happened to those who cannot see it.
export function announce(text) {
  document.getElementById("status").textContent = text;
}
