// The waveform of a take, from its file.

const bars = 140;

/** Draws the peaks of a sound file into a canvas; undefined clears it. */
export async function soundPicture(canvas, blob) {
  const { brush, width, height } = brushOf(canvas);
  const line = () => brush.fillRect(0, height / 2 - 0.5, width, 1);
  if (!blob) return line();
  let sound;
  try {
    sound = await new OfflineAudioContext(1, 1, 48000).decodeAudioData(await blob.arrayBuffer());
  } catch {
    return line();
  }
  const channels = Array.from({ length: sound.numberOfChannels }, (_, at) => sound.getChannelData(at));
  const part = sound.length / bars;
  const peaks = Array.from({ length: bars }, (_, bar) => {
    let peak = 0;
    for (const channel of channels) {
      for (let at = Math.floor(bar * part); at < (bar + 1) * part; at += 3) peak = Math.max(peak, Math.abs(channel[at] ?? 0));
    }
    return peak;
  });
  const loudest = Math.max(0.05, ...peaks);
  brush.clearRect(0, 0, width, height);
  const step = width / bars;
  for (const [bar, peak] of peaks.entries()) {
    const tall = Math.max(2, (peak / loudest) * (height - 6));
    brush.fillRect(bar * step, (height - tall) / 2, Math.max(1, step - 1.5), tall);
  }
}

/** Clears a canvas to its size on the screen; returns its size in CSS pixels and its context, with the element's color. */
export function brushOf(canvas) {
  const scale = Math.min(2, devicePixelRatio);
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  canvas.width = width * scale;
  canvas.height = height * scale;
  const brush = canvas.getContext("2d");
  brush.scale(scale, scale);
  brush.fillStyle = getComputedStyle(canvas).color;
  return { brush, width, height };
}
