// Moving over a plane: drag, wheel, two fingers, keys. Tells what was done; knows nothing of what is shown.

const STEP = 60; // pixels for an arrow key
const CLICK = 5; // a pointer that moved less was a click

// node: what listens. actions: pan(dx, dy), zoom(factor, x, y), reset(), hover(x, y), leave(), click(x, y); pixels of the node.
export function steer(node, actions) {
  const pointers = new Map();
  let travelled = 0;
  const at = (event) => {
    const box = node.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };

  node.addEventListener("pointerdown", (event) => {
    if (event.button || event.target.closest("button, a")) return;
    node.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, at(event));
    if (pointers.size === 1) travelled = 0;
  });
  node.addEventListener("pointermove", (event) => {
    const [x, y] = at(event);
    const before = pointers.get(event.pointerId);
    if (!before) {
      actions.hover(x, y);
      return;
    }
    travelled += Math.hypot(x - before[0], y - before[1]);
    if (pointers.size === 2) {
      const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
      const factor = Math.hypot(x - other[0], y - other[1]) / Math.max(1, Math.hypot(before[0] - other[0], before[1] - other[1]));
      actions.zoom(factor, (x + other[0]) / 2, (y + other[1]) / 2);
      actions.pan((x - before[0]) / 2, (y - before[1]) / 2);
    } else if (travelled > CLICK) actions.pan(x - before[0], y - before[1]);
    pointers.set(event.pointerId, [x, y]);
  });
  node.addEventListener("pointerup", (event) => {
    if (pointers.delete(event.pointerId) && !pointers.size && travelled <= CLICK) actions.click(...at(event));
  });
  node.addEventListener("pointercancel", (event) => pointers.delete(event.pointerId));
  node.addEventListener("pointerleave", () => actions.leave());
  node.addEventListener("wheel", (event) => {
    event.preventDefault();
    actions.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), ...at(event));
  }, { passive: false });
  node.addEventListener("keydown", (event) => {
    if (event.target !== node || event.ctrlKey || event.metaKey || event.altKey) return;
    const middle = [node.clientWidth / 2, node.clientHeight / 2];
    const keys = {
      ArrowLeft: () => actions.pan(STEP, 0), ArrowRight: () => actions.pan(-STEP, 0),
      ArrowUp: () => actions.pan(0, STEP), ArrowDown: () => actions.pan(0, -STEP),
      "+": () => actions.zoom(1.4, ...middle), "=": () => actions.zoom(1.4, ...middle),
      "-": () => actions.zoom(1 / 1.4, ...middle), 0: () => actions.reset(),
    };
    if (!(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  });
}
