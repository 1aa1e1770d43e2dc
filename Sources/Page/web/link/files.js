// Sounds and images of takes, over HTTP.

import { authorization } from "./socket.js";

const address = (id, part) => `/files/takes/${encodeURIComponent(id)}/${part}`;

// The loads in progress, each [take, controller].
const loads = new Set();

// The deleted takes, whose files are gone: each load would fail. True once the node has confirmed it.
const gone = new Map();

/** Cancels the loads of a take that is deleted, and begins no further ones. */
export function cancelLoads(id, isConfirmed) {
  gone.set(id, isConfirmed);
  for (const [take, load] of loads) if (take === id) load.abort();
}

/** Resumes the loads of a take that the node has restored. */
export function resumeLoads(id) {
  if (gone.get(id)) gone.delete(id);
}

/** Resumes the loads of takes that the node did not delete. */
export function resumeRefused() {
  for (const [id, isConfirmed] of gone) if (!isConfirmed) gone.delete(id);
}

async function load(id, part, use) {
  if (gone.has(id)) return;
  const entry = [id, new AbortController()];
  loads.add(entry);
  try {
    return await use(await fetch(address(id, part), { headers: authorization(), signal: entry[1].signal }));
  } finally {
    loads.delete(entry);
  }
}

/** The bytes of a take's sound or image; undefined if it has none. */
export const fetchPart = (id, part) => load(id, part, (response) => response.ok ? response.blob() : undefined);

// A larger image is the user's own photo, which has no thumbnail.
const mostSmall = 262144;

/** The thumbnail of a take's image; undefined if it has none. */
export const fetchSmall = (id) => load(id, "small", async (response) => {
  if (response.status === 200 && Number(response.headers.get("Content-Length")) <= mostSmall) return response.blob();
  await response.body?.cancel();
});

/** Downloads a take in a format such as flac. */
export async function download(id, title, format) {
  const blob = await fetchPart(id, "export?format=" + format);
  if (!blob) throw new Error("The node failed to export this take");
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `${title.replace(/[\\/:*?"<>|]+/g, " ").trim() || "take"}.${format}`;
  link.click();
  revokeLater(link.href);
}

/** Uploads a sound file to the library; returns the new take's id and title. */
export const importSound = (file) => post("/files/takes", file);

/** Uploads a take's image. */
export const sendImage = (id, file) => post(address(id, "image"), file);

async function post(path, file) {
  const response = await fetch(`${path}?name=${encodeURIComponent(file.name)}`, {
    method: "POST",
    headers: { "Content-Type": file.type || "application/octet-stream", ...authorization() },
    body: file,
  });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.error ?? `The node rejected ${file.name}`);
  return answer;
}

/** Revokes the URL of a blob once nothing is still loading it. */
export const revokeLater = (url) => setTimeout(() => URL.revokeObjectURL(url), 60000);
