// What the node tells this page: all of its values, and what is sent often only while it is seen.

import { isOpen, send, sendTogether } from "./socket.js";

// All but /meter and /tuner, which come too often for a page that nobody looks at.
const always = "/{in,live,loop,loops,grid,music,out,mute,pitch,stretch,echo,reverb,chain,metronome,transport,player,capture,guard,take,takes,post,feed,location,settings,preset,presets,instrument,instruments,scales,piano,phrase,midi,port,ports,status}";
const wanted = new Set(["/meter"]);

/** Begins or ends a subscription that only counts while the page is seen. */
export function want(pattern, on) {
  if (wanted.has(pattern) === on) return;
  if (on) wanted.add(pattern);
  else wanted.delete(pattern);
  // One more adds to the others; only together can they be ended.
  if (on && isOpen() && !document.hidden) send("/subscribe", pattern);
  else subscribe();
}

/** Subscribes anew, to what is wanted now. */
export function subscribe() {
  if (!isOpen()) return;
  const seen = document.hidden ? [] : [...wanted];
  sendTogether([["/unsubscribe"], ...[always, ...seen].map((pattern) => ["/subscribe", pattern])]);
}

document.addEventListener("visibilitychange", subscribe);
