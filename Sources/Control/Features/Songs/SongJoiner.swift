internal import DSP
internal import SoundFiles

/// Writes songs to a ring without gaps, and without clicks where one song does not lead into the next.
///
/// The end of a song is held back for the length of a fade, until the next song is known.
struct SongJoiner: ~Copyable {
  private static let fadeSeconds = 0.005
  private static let riseSeconds = 0.001
  // 36 dB over full scale: such a file is broken.
  private static let loudest: Float = 64

  private let ring: SongRing
  private let fade: Int
  private let rise: Int
  private let held: StereoBuffer
  private var heldFrames = 0
  private var isBeginning = false
  /// The number of frames written.
  private(set) var frames = 0

  init(_ ring: SongRing) {
    self.ring = ring
    fade = Int(Self.fadeSeconds * Double(ring.sampleRate))
    rise = Int(Self.riseSeconds * Double(ring.sampleRate))
    held = StereoBuffer(frames: fade)
  }

  /// The room that the ring must have for a block.
  func room(for frames: Int) -> Int { frames + fade }

  /// Marks the start of another song.
  mutating func beginSong() { isBeginning = true }

  /// Writes a block, and may modify it.
  mutating func append(_ sound: Stereo, frames count: Int) {
    guard count > 0 else { return }
    Self.mend(sound.left, count)
    Self.mend(sound.right, count)
    if isBeginning {
      isBeginning = false
      if !leads(to: sound) {
        fadeHeld()
        let length = min(rise, count)
        for frame in 0..<length {
          Self.scale(sound, at: frame, by: Crossfade.eased((Float(frame) + 0.5) / Float(length)))
        }
      }
    }
    frames += count
    // The frames held now, and those of the block held instead.
    let kept = min(fade, heldFrames + count)
    let ready = heldFrames + count - kept
    let fromHeld = min(heldFrames, ready)
    ring.write(held.stereo, frames: fromHeld)
    ring.write(sound, frames: ready - fromHeld)
    let (left, right) = (held.stereo.left, held.stereo.right)
    let stillHeld = heldFrames - fromHeld
    for frame in 0..<stillHeld {
      (left[frame], right[frame]) = (left[frame + fromHeld], right[frame + fromHeld])
    }
    for frame in stillHeld..<kept {
      let source = ready - fromHeld + frame - stillHeld
      (left[frame], right[frame]) = (sound.left[source], sound.right[source])
    }
    heldFrames = kept
  }

  /// Marks the end of the last song.
  mutating func finish() {
    fadeHeld()
    ring.write(held.stereo, frames: heldFrames)
    heldFrames = 0
    ring.end()
  }

  /// Whether the held frames lead into a block like one recording.
  private func leads(to sound: Stereo) -> Bool {
    guard heldFrames > 1 else { return false }
    let (left, right) = (held.stereo.left, held.stereo.right)
    var greatest: Float = 0
    for frame in 1..<heldFrames {
      greatest = max(greatest, abs(left[frame] - left[frame - 1]))
      greatest = max(greatest, abs(right[frame] - right[frame - 1]))
    }
    let last = heldFrames - 1
    return abs(sound.left[0] - left[last]) <= greatest
      && abs(sound.right[0] - right[last]) <= greatest
  }

  private mutating func fadeHeld() {
    for frame in 0..<heldFrames {
      let share = 1 - (Float(frame) + 0.5) / Float(heldFrames)
      Self.scale(held.stereo, at: frame, by: Crossfade.eased(share))
    }
  }

  private static func scale(_ sound: Stereo, at frame: Int, by gain: Float) {
    sound.left[frame] *= gain
    sound.right[frame] *= gain
  }

  private static func mend(_ samples: UnsafeMutablePointer<Float>, _ count: Int) {
    for frame in 0..<count {
      // Also false for NaN.
      if !(abs(samples[frame]) <= loudest) { samples[frame] = 0 }
    }
  }
}
