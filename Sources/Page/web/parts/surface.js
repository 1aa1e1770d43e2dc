// A playing surface: touches on cells, slides through all cells on the way, and no stuck notes.

import { sendTogether } from "../link/socket.js";
import { keepTouches, onLeave } from "./release.js";

const soft = 0.35;
const plain = 0.8;
// The least and the greatest duration of a slide's notes, in milliseconds. The node polls lit cells a hundred
// times per second. The more notes are queued, the faster they follow.
const shortest = 15;
const longest = 120;

/**
 * Makes a surface of an element; press(cell, velocity) and release(cell) return the message to send.
 * Returns setCells(elements), to call when the cells change, and letGo().
 */
export function surface(element, { press, release }) {
  let cells = [];
  let boxes;
  const fingers = new Map();
  const trails = new Map();
  const holds = new Map();
  let packet = [];

  const measure = () => {
    if (boxes) return;
    boxes = cells.map((cell) => ({ cell, box: cell.getBoundingClientRect() }));
    boxes.bounds = element.getBoundingClientRect();
  };
  const stale = () => (boxes = undefined);
  new ResizeObserver(stale).observe(element);
  addEventListener("resize", stale);
  document.addEventListener("scroll", stale, { capture: true, passive: true });

  const begin = (cell, velocity) => {
    holds.set(cell, (holds.get(cell) ?? 0) + 1);
    cell.classList.add("touched");
    packet.push(press(cell, velocity));
  };
  const end = (cell) => {
    const rest = holds.get(cell) - 1;
    if (rest > 0) {
      holds.set(cell, rest);
      return;
    }
    holds.delete(cell);
    cell.classList.remove("touched");
    packet.push(release(cell));
  };
  const flush = () => {
    sendTogether(packet);
    packet = [];
  };
  // Steps are sent one by one, since notes that begin and end in one packet are inaudible. A step without a
  // cell is a release.
  const go = (id, cell, velocity) => {
    if (!trails.has(id)) trails.set(id, { steps: [] });
    const trail = trails.get(id);
    trail.steps.push({ cell, velocity });
    if (trail.timer === undefined) step(id);
  };
  const step = (id) => {
    const trail = trails.get(id);
    const next = trail.steps.shift();
    trail.timer = undefined;
    if (!next) {
      if (!trail.cell) trails.delete(id);
      return;
    }
    if (trail.cell) end(trail.cell);
    trail.cell = next.cell;
    if (next.cell) begin(next.cell, next.velocity);
    flush();
    trail.timer = setTimeout(step, Math.min(shortest, longest / trail.steps.length), id);
  };
  const letGo = () => {
    for (const { timer } of trails.values()) clearTimeout(timer);
    trails.clear();
    for (const cell of holds.keys()) {
      cell.classList.remove("touched");
      packet.push(release(cell));
    }
    holds.clear();
    fingers.clear();
    flush();
  };

  const strength = ({ box }, y) => soft + (1 - soft) * Math.min(1, Math.max(0, (y - box.top) / box.height));
  const at = (x, y) => boxes.find(({ box }) => x >= box.left && x < box.right && y >= box.top && y < box.bottom);

  // Chrome reports moves once per frame: all cells on the straight line between are crossed.
  const crossed = (from, to) => {
    const way = [];
    for (const one of boxes) {
      const entry = entryOf(one.box, from, to);
      if (entry !== undefined) way.push([entry, one]);
    }
    return way.sort((a, b) => a[0] - b[0]).map(([, one]) => one);
  };

  const lift = (id) => {
    const finger = fingers.get(id);
    if (!finger) return;
    fingers.delete(id);
    if (finger.cell) go(id);
  };

  element.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    measure();
    const { pointerId, clientX: x, clientY: y } = event;
    element.setPointerCapture(pointerId);
    lift(pointerId);
    const under = at(x, y);
    fingers.set(pointerId, { x, y, cell: under?.cell });
    if (under) go(pointerId, under.cell, strength(under, y));
  });
  element.addEventListener("pointermove", (event) => {
    const finger = fingers.get(event.pointerId);
    if (!finger) return;
    measure();
    const to = { x: event.clientX, y: event.clientY };
    for (const one of crossed(finger, to)) {
      if (one.cell === finger.cell) continue;
      finger.cell = one.cell;
      go(event.pointerId, one.cell, strength(one, to.y));
    }
    [finger.x, finger.y] = [to.x, to.y];
    const { left, right, top, bottom } = boxes.bounds;
    if (finger.cell && (to.x < left || to.x > right || to.y < top || to.y > bottom)) {
      finger.cell = undefined;
      go(event.pointerId);
    }
  });
  for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) {
    element.addEventListener(name, (event) => lift(event.pointerId));
  }

  element.addEventListener("keydown", (event) => {
    const cell = event.target.closest("[data-cell]");
    if (!cell) return;
    const next = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (next) focusNext(cell, next);
    else if (event.key !== " " && event.key !== "Enter") return;
    else if (!event.repeat && !fingers.has(event.code)) {
      fingers.set(event.code, { cell });
      go(event.code, cell, plain);
    }
    event.preventDefault();
    event.stopPropagation();
  });
  element.addEventListener("keyup", (event) => lift(event.code));
  // Screen readers click.
  element.addEventListener("click", (event) => {
    const cell = event.target.closest("[data-cell]");
    if (!cell || event.detail || event.pointerType) return;
    const id = "click" + performance.now();
    fingers.set(id, { cell });
    go(id, cell, plain);
    setTimeout(lift, 400, id);
  });

  const focusNext = (cell, [x, y]) => {
    measure();
    const here = boxes.find((one) => one.cell === cell).box;
    const target = at(here.left + here.width / 2 + x * (here.width + 4), here.top + here.height / 2 + y * (here.height + 4));
    if (!target) return;
    cell.tabIndex = -1;
    target.cell.tabIndex = 0;
    target.cell.focus();
  };

  keepTouches(element);
  onLeave(letGo);

  return {
    letGo,
    setCells(elements) {
      letGo();
      cells = elements;
      stale();
    },
  };
}

/** The position on the line between two points, 0 to 1, where it enters a box; undefined if it misses. */
function entryOf(box, from, to) {
  let [enter, leave] = [0, 1];
  for (const [low, high, start, end] of [[box.left, box.right, from.x, to.x], [box.top, box.bottom, from.y, to.y]]) {
    const way = end - start;
    if (way === 0) {
      if (start < low || start >= high) return undefined;
      continue;
    }
    const [first, second] = [(low - start) / way, (high - start) / way];
    enter = Math.max(enter, Math.min(first, second));
    leave = Math.min(leave, Math.max(first, second));
  }
  return enter < leave ? enter : undefined;
}
