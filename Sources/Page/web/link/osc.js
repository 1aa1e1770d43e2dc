// OSC 1.0 messages and bundles, encoded and decoded.

const text = new TextEncoder();
const words = new TextDecoder();
const padded = (length) => (length + 4) & ~3;

/** Encodes a message: integers as i, other numbers as f, strings as s. */
export function message(address, ...values) {
  const tags = "," + values.map(tag).join("");
  const parts = [text.encode(address), text.encode(tags), ...values.map((v) => typeof v === "string" ? text.encode(v) : v)];
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + (part instanceof Uint8Array ? padded(part.length) : 4), 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const part of parts) {
    if (part instanceof Uint8Array) {
      bytes.set(part, at);
      at += padded(part.length);
    } else {
      if (Number.isInteger(part)) view.setInt32(at, part);
      else view.setFloat32(at, part);
      at += 4;
    }
  }
  return bytes;
}

const tag = (value) => typeof value === "string" ? "s" : Number.isInteger(value) ? "i" : "f";

/** Encodes messages as a bundle that takes effect in one audio buffer. */
export function bundle(messages) {
  const bytes = new Uint8Array(16 + messages.reduce((sum, one) => sum + 4 + one.length, 0));
  const view = new DataView(bytes.buffer);
  bytes.set(text.encode("#bundle"));
  view.setUint32(12, 1);
  let at = 16;
  for (const one of messages) {
    view.setInt32(at, one.length);
    bytes.set(one, at + 4);
    at += 4 + one.length;
  }
  return bytes;
}

/** Calls heard(address, values) for each message of a packet; throws a RangeError if it is truncated. */
export function read(buffer, heard) {
  const bytes = new Uint8Array(buffer);
  const view = new DataView(buffer);
  readPart(bytes, view, 0, bytes.length, heard);
}

function readPart(bytes, view, from, to, heard) {
  let at = from;
  const string = () => {
    const end = bytes.indexOf(0, at);
    if (end < 0 || end >= to) throw new RangeError("unterminated string");
    const result = words.decode(bytes.subarray(at, end));
    at += padded(end - at);
    return result;
  };
  const address = string();
  if (address === "#bundle") {
    at += 8;
    while (at < to) {
      const length = view.getInt32(at);
      if (length <= 0 || at + 4 + length > to) throw new RangeError("truncated bundle");
      readPart(bytes, view, at + 4, at + 4 + length, heard);
      at += 4 + length;
    }
    return;
  }
  const values = [];
  for (const type of string().slice(1)) {
    switch (type) {
      case "i": values.push(view.getInt32(at)); at += 4; break;
      case "f": values.push(view.getFloat32(at)); at += 4; break;
      case "d": values.push(view.getFloat64(at)); at += 8; break;
      case "h": values.push(Number(view.getBigInt64(at))); at += 8; break;
      case "t": values.push(Number(view.getBigUint64(at))); at += 8; break;
      case "s": values.push(string()); break;
      case "T": values.push(1); break;
      case "F": values.push(0); break;
      case "N": values.push(null); break;
      default: throw new RangeError("unknown type: " + type);
    }
  }
  heard(address, values);
}
