// One animation loop for the whole page, idle while nothing moves.

const moving = new Set();
const once = new Set();
let asked = false;

/** Calls draw(now) in the next frame, once for any number of requests. */
export function nextFrame(draw) {
  once.add(draw);
  ask();
}

/** Calls draw(now) in each frame while it returns true. */
export function eachFrame(draw) {
  moving.add(draw);
  ask();
}

function ask() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(frame);
}

function frame(now) {
  asked = false;
  const due = [...once];
  once.clear();
  for (const draw of due) draw(now);
  for (const draw of moving) if (!draw(now)) moving.delete(draw);
  if (moving.size) ask();
}
