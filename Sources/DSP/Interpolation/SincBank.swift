internal import CRealtime

/// Readers for every speed up to four times: what is read faster loses what would fold back.
package struct SincBank: ~Copyable, @unchecked Sendable {
  // One for each semitone, so that none loses more at the top than its slope takes.
  private static var stepsPerOctave: Int { @_noLocks get { 12 } }
  private static var tableCount: Int { @_noLocks get { 2 * stepsPerOctave + 1 } }
  // Half of the slope lies where things fold back from, to above 19 kHz, where hardly anybody hears them:
  // what is raised and lowered again keeps a kilohertz more than with all of it below.
  private static let margin = 0.97

  /// How many samples around a place the longest reader looks at.
  package static var mostTaps: Int { @_noLocks get { 128 } }

  // Two megabytes that are the same for all: made once, and kept for as long as the program runs.
  nonisolated(unsafe) private static let shared = (tables: makeTables(), speeds: makeSpeeds())
  private let tables: UnsafePointer<SincTable>
  // Up to which speed each reads. What is a step but for its rounding is that step.
  private let speeds: UnsafePointer<Float>

  /// Readers for speeds up to four; who is the first to want them waits for their making.
  package init() { (tables, speeds) = Self.shared }

  private static func makeSpeeds() -> UnsafePointer<Float> {
    let speeds = UnsafeMutablePointer<Float>.allocate(capacity: tableCount)
    for index in 0..<tableCount {
      speeds[index] = speed(ofStep: Float(index) + 0.001)
    }
    return UnsafePointer(speeds)
  }

  private static func speed(ofStep step: Float) -> Float {
    rt_exp(step / Float(stepsPerOctave) * 0.693_147_18)
  }

  private static func makeTables() -> UnsafePointer<SincTable> {
    let tables = UnsafeMutablePointer<SincTable>.allocate(capacity: tableCount)
    let window = KaiserWindow(beta: SincTable.beta)
    tables.initialize(to: SincTable(taps: 32, cutoff: 1, window: window))
    for index in 1..<tableCount {
      let ratio = Double(speed(ofStep: Float(index)))
      let taps = 32 * Int((ratio - 0.001).rounded(.up))
      (tables + index).initialize(
        to: SincTable(taps: taps, cutoff: margin / ratio, window: window))
    }
    return UnsafePointer(tables)
  }

  /// The number of the reader for a speed in samples a frame.
  @_noLocks
  package borrowing func table(forSpeed speed: Float) -> Int {
    if speed <= 1 { return 0 }
    var (lowest, highest) = (0, Self.tableCount &- 1)
    while lowest < highest {
      let middle = (lowest &+ highest) / 2
      if speed <= speeds[middle] { highest = middle } else { lowest = middle &+ 1 }
    }
    return lowest
  }

  /// Tells how many samples behind and ahead of a place a reader needs.
  @_noLocks
  package borrowing func reach(ofTable table: Int) -> Int { tables[table].taps / 2 }

  /// Reads both sides from `position` on, each frame `step` further, both in samples with 32
  /// binary places.
  @_noLocks
  package borrowing func read(
    table: Int, left: UnsafePointer<Float>, right: UnsafePointer<Float>, from position: Int64,
    step: Int64, to output: Stereo, frames: Int
  ) {
    tables[table].read(
      left: left, right: right, from: position, step: step, to: output, frames: frames)
  }
}
