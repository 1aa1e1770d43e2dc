// OSC 1.0 messages and bundles, encoded and decoded.

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const padded = (length) => (length + 4) & ~3;

/** Encodes a message: integers as i, other numbers as f, strings as s. */
export function message(address, ...values) {
  const tags = values.map((value) => typeof value === "string" ? "s" : Number.isInteger(value) ? "i" : "f");
  return joined([address, "," + tags.join(""), ...values].map((value) => typeof value === "string" ? string(value) : number(value)));
}

/** Encodes messages as a bundle that takes effect in one audio buffer. */
export function bundle(messages) {
  return joined([string("#bundle"), number(0), number(1), ...messages.flatMap((one) => [number(one.length), one])]);
}

function string(text) {
  const bytes = encoder.encode(text);
  return joined([bytes, new Uint8Array(padded(bytes.length) - bytes.length)]);
}

function number(value) {
  const view = new DataView(new ArrayBuffer(4));
  if (Number.isInteger(value)) view.setInt32(0, value);
  else view.setFloat32(0, value);
  return new Uint8Array(view.buffer);
}

function joined(parts) {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Calls handler(address, values) for each message of a packet; throws a RangeError if it is truncated. */
export function read(buffer, handler) {
  const bytes = new Uint8Array(buffer);
  const view = new DataView(buffer);
  readPart(bytes, view, 0, bytes.length, handler);
}

function readPart(bytes, view, from, to, handler) {
  let at = from;
  const string = () => {
    const end = bytes.indexOf(0, at);
    if (end < 0 || end >= to) throw new RangeError("unterminated string");
    const result = decoder.decode(bytes.subarray(at, end));
    at += padded(end - at);
    return result;
  };
  const address = string();
  if (address === "#bundle") {
    at += 8;
    while (at < to) {
      const length = view.getInt32(at);
      if (length <= 0 || at + 4 + length > to) throw new RangeError("truncated bundle");
      readPart(bytes, view, at + 4, at + 4 + length, handler);
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
  handler(address, values);
}
