// One animation loop for the whole page, idle while nothing moves.

const moving = new Set();
const once = new Set();
let isScheduled = false;

/** Calls draw(now) in the next frame, once for any number of requests. */
export function nextFrame(draw) {
  once.add(draw);
  schedule();
}

/** Calls draw(now) in each frame while it returns true. */
export function eachFrame(draw) {
  moving.add(draw);
  schedule();
}

function schedule() {
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(frame);
}

function frame(now) {
  isScheduled = false;
  const due = [...once];
  once.clear();
  for (const draw of due) draw(now);
  for (const draw of moving) if (!draw(now)) moving.delete(draw);
  if (moving.size) schedule();
}
