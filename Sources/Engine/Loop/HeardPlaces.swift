import DSP

/// Where a clip was heard in the recent past, whatever its speed has done since.
///
/// Times are in frames, counted by `now`. A jump discards the history before it.
struct HeardPlaces: ~Copyable {
  private struct Moment: BitwiseCopyable {
    var frame: Int64
    // The distance in frames of the clip that was passed until then; negative in reverse.
    var distance: Double
  }

  // Longer than a layer is late: the lag of a stretch and the latency of a large block.
  private static var seconds: Double { @_noLocks get { 1 } }
  private static var momentsPerSecond: Double { @_noLocks get { 400 } }
  private static var capacity: Int { @_noLocks get { 512 } }
  // In frames of the clip, and of those that should have passed.
  private static var jumpFrames: Double { @_noLocks get { 2 } }
  private static var jumpShare: Double { @_noLocks get { 0.05 } }
  // How long a speed that was set may last, while another engine starts and parameters glide.
  private static var speedSeconds: Double { @_noLocks get { 1 } }

  private let buffers = Buffers()
  private let moments: UnsafeMutablePointer<Moment>
  private let spacing: Int64
  private let framesOfSpeed: Double
  private var count = 0
  private var newest = 0
  private var latest = Moment(frame: 0, distance: 0)
  // The position of the latest one, and the range of the speeds up to then, in reverse negative.
  private var place = 0.0
  private var (least, most) = (0.0, 0.0)

  /// The next frame that is rendered.
  private(set) var now: Int64 = 0

  init(sampleRate: Double) {
    moments = buffers.filled(with: Moment(frame: 0, distance: 0), count: Self.capacity)
    spacing = Int64(sampleRate / Self.momentsPerSecond)
    framesOfSpeed = Self.speedSeconds * sampleRate
  }

  /// Notes the position in a clip with a cycle of `round` frames, which is to pass at a speed from now on.
  @_noLocks
  mutating func note(_ place: Double, speed: Double, round: Double) {
    let frames = Double(now &- latest.frame)
    let passed = frames * (least + most) / 2
    let error = round > 0 ? BeatCount.nearest(place - self.place - passed, in: round) : 0
    let slack = frames * ((most - least) / 2 + Self.jumpShare * max(most, 0 - least))
    self.place = place
    if count == 0 || abs(error) > slack + Self.jumpFrames {
      latest = Moment(frame: now, distance: 0)
      (count, least, most) = (0, speed, speed)
      return keep(latest)
    }
    latest = Moment(frame: now, distance: latest.distance + passed + error)
    let share = min(1, frames / framesOfSpeed)
    least = min(speed, least + (speed - least) * share)
    most = max(speed, most + (speed - most) * share)
    if now &- moments[newest].frame >= spacing { keep(latest) }
  }

  @_noLocks
  private mutating func keep(_ moment: Moment) {
    newest = count == 0 ? 0 : (newest &+ 1) & (Self.capacity &- 1)
    moments[newest] = moment
    count = min(count &+ 1, Self.capacity)
  }

  /// Moves on by a number of frames.
  @_noLocks
  mutating func advance(frames: Int) { now &+= Int64(frames) }

  /// Returns the unwrapped position at a frame; the difference of two positions is the length of the clip that was
  /// heard between them.
  ///
  /// Before the first known position and after the last one, the clip passes at a speed.
  @_noLocks
  func place(at frame: Int64, speed: Double) -> Double {
    place + distance(at: frame, speed: speed) - latest.distance
  }

  @_noLocks
  private func distance(at frame: Int64, speed: Double) -> Double {
    if count == 0 || frame >= latest.frame {
      return latest.distance + Double(frame &- latest.frame) * speed
    }
    var later = latest
    var index = newest
    for _ in 0..<count {
      let moment = moments[index]
      if moment.frame <= frame {
        let all = Double(later.frame &- moment.frame)
        if all <= 0 { return moment.distance }
        let share = Double(frame &- moment.frame) / all
        return moment.distance + share * (later.distance - moment.distance)
      }
      later = moment
      index = (index &- 1) & (Self.capacity &- 1)
    }
    return later.distance - Double(later.frame &- frame) * speed
  }
}
