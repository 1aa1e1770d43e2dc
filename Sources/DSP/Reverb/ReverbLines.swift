internal import CRealtime

/// Eight delay lines in a feedback network, lossless except for the damping.
///
/// The network is Jot & Chaigne's with a Hadamard matrix. Each line is tapped at its input and at
/// two positions on the way, so the tail starts at once and no line's length is audible as a
/// rhythm. Each line's length is slowly modulated, with interpolated reads, so the tail has no
/// pitch of its own.
struct ReverbLines: ~Copyable, @unchecked Sendable {
  private let anchor = Anchor()
  private let buffers = Buffers()
  // The modulation depth to each side: 0.22 ms, at a detune below 1.5 cents.
  private static let swaySeconds: Float = 0.000_22
  // Changes of length fade through the lines one at a time, 24 ms each.
  private static let fadeSeconds: Float = 0.024
  // 1 / sqrt(8): makes the Hadamard matrix lossless.
  static var matrixScale: Float { @_noLocks get { 0.353_553_39 } }

  let rings: UnsafeMutablePointer<ReverbRing>
  private let proportions: UnsafeMutablePointer<Float>
  let lengths: UnsafeMutablePointer<Int>
  let nextLengths: UnsafeMutablePointer<Int>
  // Eight tap positions with the same sign in both channels, then eight with opposite signs.
  let places: UnsafeMutablePointer<Float>
  // The same, for the part of a line beyond its medium length.
  let farPlaces: UnsafeMutablePointer<Float>
  let middles: UnsafeMutablePointer<Float>
  let signs: UnsafeMutablePointer<Float>
  let gains: UnsafeMutablePointer<Float>
  let gainSteps: UnsafeMutablePointer<Float>
  // The delays of the taps at the current lengths.
  let delays: UnsafeMutablePointer<Int>
  let taps: UnsafeMutablePointer<UnsafePointer<Float>?>
  // Output pointers of the current chunk, one per line.
  let targets: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>
  // Six interpolation weights of each line and their increments per frame; the zeros of the damping
  // from which they are computed; and the whole frames of the modulation.
  let weights: UnsafeMutablePointer<Float>
  let zeros: UnsafeMutablePointer<Float>
  let offsets: UnsafeMutablePointer<Int32>
  // One chunk of eight lines, one after the other, and scratch for crossfades.
  let heard: UnsafeMutablePointer<Float>
  let faded: UnsafeMutablePointer<Float>
  let spare: UnsafeMutablePointer<Float>

  let sampleRate: Float
  let fadeChunks: Int
  var damping = ReverbDamping()
  var gainsMove = false
  // The last computed losses: line lengths, square roots of the gains per pass, and tap gains.
  var aimedLengths = SIMD8<Float>(repeating: 0)
  var aimedRoots = SIMD8<Float>(repeating: 0)
  var aimedGains = SIMD16<Float>(repeating: 0)
  let swayPhases: UnsafeMutablePointer<UInt32>
  private let swaySteps: UnsafeMutablePointer<UInt32>
  // The modulation of each line in frames, and its depth.
  let sway: UnsafeMutablePointer<Float>
  let swayDepth: Float
  private var size: Float
  // Whether all lines are known to match the size.
  private var hasSize = false
  var fading = -1
  private var lastFaded = 7
  private(set) var fadeDone = 0

  init(sampleRate: Float, size: Float) {
    self.sampleRate = sampleRate
    self.size = size
    swayDepth = Self.swaySeconds * sampleRate
    fadeChunks = max(1, Int(Self.fadeSeconds * sampleRate) / ReverbClock.chunk)
    proportions = buffers.copied(ReverbRoom.lengths)
    lengths = buffers.filled(with: 0, count: 8)
    nextLengths = buffers.filled(with: 0, count: 8)
    let places = ReverbRoom.places.map(\.same) + ReverbRoom.places.map(\.opposite)
    self.places = buffers.copied(places)
    farPlaces = buffers.copied(
      places.indices.map {
        places[$0] * (ReverbRoom.near.contains($0) ? ReverbRoom.nearShare : 1)
      })
    middles = buffers.copied(ReverbRoom.lengths.map { $0 * ReverbRoom.middle * sampleRate })
    signs = buffers.copied(ReverbRoom.signs.map(\.same) + ReverbRoom.signs.map(\.opposite))
    gains = buffers.floats(16)
    gainSteps = buffers.floats(16)
    taps = buffers.filled(with: nil, count: 16)
    targets = buffers.filled(with: nil, count: 8)
    delays = buffers.filled(with: 0, count: 16)
    weights = buffers.floats(96)
    zeros = buffers.floats(48)
    offsets = buffers.filled(with: 0, count: 8)
    sway = buffers.floats(8)
    heard = buffers.floats(8 * ReverbClock.chunk)
    faded = buffers.floats(2 * ReverbClock.chunk)
    spare = buffers.floats(2 * ReverbClock.chunk)
    let longest = Int(ReverbRoom.longest(size: 1) * sampleRate)
    let margin = Int(Self.swaySeconds * sampleRate) + 8
    let footprint = ReverbRing.footprint(frames: longest + margin)
    let memory = buffers.floats(8 * footprint)
    rings = buffers.made(count: 8) {
      ReverbRing(in: memory + $0 * footprint, frames: longest + margin)
    }
    swaySteps = buffers.copied(
      ReverbRoom.swayHertz.map {
        UInt32($0 * Double(ReverbClock.chunk) / Double(sampleRate) * 4_294_967_296)
      })
    swayPhases = buffers.copied((0..<8).map { UInt32($0) << 29 })
    setLengths()
  }

  /// The longest possible line, in frames.
  var longest: Int {
    @_noLocks get { Int(ReverbRoom.longest(size: 1) * sampleRate) }
  }

  /// Starts the change to the lengths for a size, one line at a time.
  @_noLocks
  mutating func setSize(_ size: Float) {
    self.size = size
    hasSize = false
  }

  @_noLocks
  private func length(_ line: Int) -> Int {
    Int(proportions[line] * ReverbRoom.longest(size: size) * sampleRate + 0.5)
  }

  /// Returns the delay of a tap in a line of the given length, in frames.
  @_noLocks
  func lateness(_ tap: Int, _ length: Float) -> Float {
    let near = min(length, middles[tap & 7])
    return near * places[tap] + (length - near) * farPlaces[tap]
  }

  /// Sets the lengths for the current size at once.
  @_noLocks
  mutating func setLengths() {
    for line in 0..<8 {
      lengths[line] = length(line)
      nextLengths[line] = lengths[line]
      placeTaps(line)
    }
    fading = -1
  }

  /// Computes the delays of a line's taps.
  @_noLocks
  private func placeTaps(_ line: Int) {
    delays[line] = Int(lateness(line, Float(lengths[line])))
    delays[line &+ 8] = Int(lateness(line &+ 8, Float(lengths[line])))
  }

  /// Whether a line is crossfading to another length.
  var isFading: Bool { @_noLocks get { fading >= 0 } }

  /// Restarts at the clock's head, empty.
  @_noLocks
  mutating func begin(_ clock: ReverbClock) {
    for line in 0..<8 { rings[line].begin(clock) }
    damping.empty()
  }

  /// Advances the modulation without processing.
  @_noLocks
  mutating func skip(chunks: Int) {
    let chunks = UInt32(truncatingIfNeeded: chunks)
    for line in 0..<8 { swayPhases[line] &+= swaySteps[line] &* chunks }
  }

  /// Starts a crossfade if a line's length differs from its target.
  @_noLocks
  mutating func prepare() {
    if fading >= 0 || hasSize { return }
    for offset in 1...8 {
      let line = (lastFaded &+ offset) & 7
      let length = length(line)
      if length != lengths[line] {
        nextLengths[line] = length
        fading = line
        lastFaded = line
        fadeDone = 0
        return
      }
    }
    hasSize = true
  }

  /// Feeds one chunk of eight diffused lanes, and adds the lines' output to both channels.
  @_noLocks
  mutating func process(
    _ diffused: UnsafePointer<Float>, left: UnsafeMutablePointer<Float>,
    right: UnsafeMutablePointer<Float>, _ clock: ReverbClock
  ) {
    let fade = ReverbFade(done: fadeDone, of: fadeChunks)
    readEnds(clock, fade)
    damping.process(heard)
    feed(diffused, clock)
    listen(left: left, right: right, clock, fade)
    if fading >= 0 {
      fadeDone &+= 1
      if fadeDone == fadeChunks {
        lengths[fading] = nextLengths[fading]
        placeTaps(fading)
        fading = -1
      }
    }
  }
}
