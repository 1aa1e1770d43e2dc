internal import CRealtime

/// Bandlimited interpolators for playback speeds up to four; faster ones low-pass against aliasing.
package struct SincBank: ~Copyable, @unchecked Sendable {
  // One table per semitone, so that none cuts more treble than its transition band takes.
  private static var stepsPerOctave: Int { @_noLocks get { 12 } }
  private static var tableCount: Int { @_noLocks get { 2 * stepsPerOctave + 1 } }
  // Half of the transition band lies above the folding frequency, so aliases land above 19 kHz,
  // where few people hear them. Material that is shifted up and down again keeps one kilohertz more
  // than with the whole band below.
  private static let margin = 0.97

  /// The number of taps of the longest interpolator.
  package static var mostTaps: Int { @_noLocks get { 128 } }

  // Two megabytes, shared by all instances. Built once and never freed.
  private static let buffers = Buffers()
  nonisolated(unsafe) private static let shared = (tables: makeTables(), speeds: makeSpeeds())
  private let tables: UnsafePointer<SincTable>
  // The highest speed of each table. The small offset absorbs the rounding of whole semitones.
  private let speeds: UnsafePointer<Float>

  /// Creates a bank for speeds up to four.
  ///
  /// The first instance waits for the tables to be built.
  package init() { (tables, speeds) = Self.shared }

  private static func makeSpeeds() -> UnsafePointer<Float> {
    UnsafePointer(buffers.copied((0..<tableCount).map { speed(ofStep: Float($0) + 0.001) }))
  }

  private static func speed(ofStep step: Float) -> Float {
    rt_exp(step / Float(stepsPerOctave) * 0.693_147_18)
  }

  private static func makeTables() -> UnsafePointer<SincTable> {
    let window = KaiserWindow(beta: SincTable.beta)
    let tables = buffers.made(count: tableCount) { index in
      let ratio = Double(speed(ofStep: Float(index)))
      let taps = 32 * Int((ratio - 0.001).rounded(.up))
      return SincTable(taps: taps, cutoff: index == 0 ? 1 : margin / ratio, window: window)
    }
    return UnsafePointer(tables)
  }

  /// Returns the table index for a speed in samples per frame.
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

  /// Returns the number of samples that an interpolator reads on each side of a position.
  @_noLocks
  package borrowing func reach(ofTable table: Int) -> Int { tables[table].taps / 2 }

  /// Reads both channels from `position`, advancing by `step` per frame.
  ///
  /// Both are in samples, as 32.32 fixed-point numbers.
  @_noLocks
  package borrowing func read(
    table: Int, left: UnsafePointer<Float>, right: UnsafePointer<Float>, from position: Int64,
    step: Int64, to output: Stereo, frames: Int
  ) {
    tables[table].read(
      left: left, right: right, from: position, step: step, to: output, frames: frames)
  }
}
