internal import DSP

/// Clicks on the beats of the clock.
struct Metronome: ~Copyable {
  // A click that follows sooner is the same beat, moved slightly by a new tempo.
  private static var leastSeconds: Double { @_noLocks get { 0.01 } }

  private var sound: ClickSound
  private var gain: Fader
  private let leastFrames: Int64
  /// Whether the metronome is on, and not only used for a count-in.
  private(set) var isOn = false

  // The next click, and the state of the beats that it was planned by.
  private var nextFrame = Int64.max
  private var isNextAccent = false
  private var changesSeen = 0
  private var latestFrame = Int64.min / 2

  init(sampleRate: Double) {
    sound = ClickSound(sampleRate: sampleRate)
    gain = Fader(at: 1, sampleRate: Float(sampleRate))
    leastFrames = Int64(Self.leastSeconds * sampleRate)
  }

  @_noLocks
  mutating func set(_ parameter: Parameter.Metronome, _ value: Float) {
    switch parameter {
    case .on: isOn = value != 0
    case .gain: gain.move(to: Level.gain(decibels: value))
    }
  }

  /// Sets the gain at once, before the first block.
  @_noLocks
  mutating func settle() { gain.settle() }

  /// Whether it is idle: silent, with no gain change in progress.
  var isResting: Bool { @_noLocks get { sound.isSilent && gain.isResting } }

  /// Counts the frames until the next click.
  @_noLocks
  func framesToGo(at frame: Int64) -> Int { Int(max(1, min(nextFrame &- frame, 1 << 20))) }

  /// Starts the click that is due at a frame, and plans the next.
  ///
  /// Returns whether one started.
  @_noLocks
  mutating func advance(to frame: Int64, beats: BeatClock, isWanted: Bool) -> Bool {
    guard isWanted else {
      nextFrame = .max
      return false
    }
    if nextFrame == .max || nextFrame < frame || changesSeen != beats.changes {
      plan(from: frame, by: beats)
    }
    guard nextFrame == frame else { return false }
    sound.begin(isAccent: isNextAccent)
    latestFrame = frame
    plan(from: frame, by: beats)
    return true
  }

  @_noLocks
  private mutating func plan(from frame: Int64, by beats: BeatClock) {
    let isJustOver = latestFrame <= frame && frame &- latestFrame < leastFrames
    let next = beats.nextBeat(from: isJustOver ? latestFrame &+ leastFrames : frame)
    nextFrame = next.frame
    isNextAccent = next.number == 0
    changesSeen = beats.changes
  }

  /// Renders a block.
  ///
  /// Returns false if it is silent, and written only if the port is connected.
  @_noLocks
  mutating func render(
    to click: UnsafeMutablePointer<Float>, isConnected: Bool, frames: Int,
    scratch: UnsafeMutablePointer<Float>
  ) -> Bool {
    if sound.isSilent {
      if isConnected { Blocks.clear(click, frames: frames) }
      gain.skip(frames: frames)
      return false
    }
    sound.render(to: click, frames: frames)
    gain.apply(to: click, frames: frames, scratch: scratch)
    return true
  }
}
