// One loop of frames for the whole page, which rests while nothing moves.

const moving = new Set();
const once = new Set();
let asked = false;

/** Calls draw(now) with the next frame, once however often it is asked for. */
export function nextFrame(draw) {
  once.add(draw);
  ask();
}

/** Calls draw(now) with each frame for as long as it returns true. */
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
