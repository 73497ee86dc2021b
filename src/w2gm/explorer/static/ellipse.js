// A Gaussian of the plane as an ellipse: the half axes are standard deviations along the eigenvectors.

import { svg } from "./dom.js";

// covariance: [[a, b], [b, c]]. Returns { rx, ry, angle } with the angle in degrees, y upwards.
export function ellipseOf([[a, b], [, c]]) {
  const middle = (a + c) / 2;
  const half = Math.hypot((a - c) / 2, b);
  const angle = (Math.atan2(2 * b, a - c) / 2) * (180 / Math.PI);
  return { rx: Math.sqrt(Math.max(0, middle + half)), ry: Math.sqrt(Math.max(0, middle - half)), angle };
}

// [left, right, low, high] around means and their ellipses.
export function extentOf(components) {
  const box = [Infinity, -Infinity, Infinity, -Infinity];
  for (const { mean: [x, y], covariance } of components) {
    const [wide, tall] = [Math.sqrt(covariance[0][0]), Math.sqrt(covariance[1][1])];
    box[0] = Math.min(box[0], x - wide);
    box[1] = Math.max(box[1], x + wide);
    box[2] = Math.min(box[2], y - tall);
    box[3] = Math.max(box[3], y + tall);
  }
  return box;
}

// The ellipse drawn; scale is pixels for one unit of the plane, and on the screen y grows downwards.
export function drawnEllipse(covariance, x, y, scale, attributes = {}) {
  const node = svg("ellipse", attributes);
  placeEllipse(node, covariance, x, y, scale);
  return node;
}

export function placeEllipse(node, covariance, x, y, scale) {
  const { rx, ry, angle } = ellipseOf(covariance);
  node.setAttribute("rx", rx * scale);
  node.setAttribute("ry", ry * scale);
  node.setAttribute("transform", `translate(${x} ${y}) rotate(${-angle})`);
}
