// The WebSocket to the node: pairing, packets in both directions, reconnection within a second.

import { bundle, message, read } from "./osc.js";
import { keepToken, pairedToken } from "./token.js";

const waits = [100, 200, 400, 500];
const mostBuffered = 16384;

let token = "";
let socket;
let tries = 0;
let retry;
let lastReceived = 0;
let state = "connecting";
let engine;
const listeners = { state: new Set(), message: new Set() };
// The latest value of each fader while the send buffer is full.
const queued = new Map();
let draining;

/** Calls handler(state) now and on each change: connecting, open, lost or refused. */
export function onLink(handler) {
  listeners.state.add(handler);
  handler(state);
}

/** Calls handler(address, values) for each message from the node. */
export function onMessage(handler) {
  listeners.message.add(handler);
}

/** Opens the connection and keeps it open. */
export function openLink() {
  token = pairedToken();
  connect();
  setInterval(checkLife, 250);
  addEventListener("online", retryNow);
  // Browsers keep a page that is left, for Back. Connected, it would go on holding what it holds in the node.
  addEventListener("pagehide", leave);
  addEventListener("pageshow", ({ persisted }) => persisted && reconnect());
  document.addEventListener("visibilitychange", () => document.hidden || retryNow());
  // A phone that sleeps freezes the page, and the browser closes its connection.
  document.addEventListener("resume", retryNow);
  addEventListener("hashchange", () => {
    if (location.hash.startsWith("#t=")) pair(pairedToken());
  });
}

/** Pairs with another token. */
export function pair(text) {
  token = keepToken(text);
  tries = 0;
  reconnect();
}

/** The headers that authorize file requests. */
export const authorization = () => token ? { Authorization: "Bearer " + token } : {};

/** Whether the connection is open. */
export const isOpen = () => state === "open";

/** The round trip of the last /ping, in milliseconds. */
export const linkDelay = () => roundTrip;

/** Sends a message; returns false without a connection. */
export function send(address, ...values) {
  return sendPacket(message(address, ...values));
}

/** Sends messages, each [address, ...values], in one bundle. */
export function sendTogether(messages) {
  if (!messages.length) return false;
  const packets = messages.map((one) => message(...one));
  return sendPacket(packets.length === 1 ? packets[0] : bundle(packets));
}

/** Sends a value that supersedes the ones before, later if the network is slow. */
export function sendNewest(address, value) {
  if (state !== "open") return;
  if (socket.bufferedAmount < mostBuffered && !queued.size) {
    send(address, value);
    return;
  }
  queued.set(address, value);
  draining ??= setInterval(drain, 20);
}

function drain() {
  if (state === "open" && socket.bufferedAmount >= mostBuffered) return;
  clearInterval(draining);
  draining = undefined;
  for (const [address, value] of queued) send(address, value);
  queued.clear();
}

function sendPacket(bytes) {
  if (state !== "open") return false;
  socket.send(bytes);
  return true;
}

function connect() {
  clearTimeout(retry);
  retry = undefined;
  const mine = new WebSocket(`${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/`);
  mine.binaryType = "arraybuffer";
  socket = mine;
  lastReceived = performance.now();
  mine.onopen = () => mine.send(JSON.stringify({ COMMAND: "PAIR", DATA: token }));
  mine.onmessage = (event) => {
    if (mine === socket) receiveData(event.data);
  };
  mine.onclose = () => {
    if (mine === socket) onClose();
  };
}

function receiveData(data) {
  lastReceived = performance.now();
  if (typeof data === "string") {
    const { COMMAND, DATA } = JSON.parse(data);
    if (COMMAND !== "PAIRED") return;
    tries = 0;
    change(DATA ? "open" : "refused");
    if (DATA) ping();
    return;
  }
  try {
    read(data, (address, values) => {
      if (address === "/pong") {
        roundTrip = lastReceived - pinged;
        checkEngine(values[3]);
      }
      for (const handler of listeners.message) handler(address, values);
    });
  } catch (fault) {
    if (!(fault instanceof RangeError)) throw fault;
  }
}

// Another number means that the node has restarted, with other values.
function checkEngine(number) {
  if (engine !== undefined && engine !== number && state === "open") {
    change("lost");
    change("open");
  }
  engine = number;
}

let pinged = 0;
let roundTrip = 0;
function ping() {
  pinged = performance.now();
  send("/ping", 1);
}

// The timers of a hidden page run too rarely to detect a loss.
function checkLife() {
  const now = performance.now();
  if (state === "open") {
    const isAnswered = lastReceived >= pinged;
    if (isAnswered && now - pinged >= 2000) ping();
    if (!isAnswered && now - pinged > 1500 && !document.hidden) reconnect();
    if (socket.readyState === WebSocket.CLOSED) reconnect();
  } else if (state !== "refused" && socket?.readyState === WebSocket.CONNECTING && now - lastReceived > 3000) {
    reconnect();
  }
}

function retryNow() {
  if (state === "lost" && retry !== undefined) reconnect();
  else if (state === "open" && socket.readyState === WebSocket.CLOSED) reconnect();
  else if (state === "open") ping();
}

function leave() {
  close();
  clearTimeout(retry);
  retry = undefined;
  change("lost");
}

function close() {
  const old = socket;
  socket = undefined;
  old?.close();
}

function reconnect() {
  close();
  change(state === "connecting" ? "connecting" : "lost");
  connect();
}

function onClose() {
  if (state !== "refused") change(state === "connecting" ? "connecting" : "lost");
  clearTimeout(retry);
  if (state === "refused") return;
  retry = setTimeout(connect, waits[Math.min(tries++, waits.length - 1)]);
}

function change(to) {
  if (to === state) return;
  state = to;
  if (to !== "open") queued.clear();
  for (const handler of listeners.state) handler(to);
}
