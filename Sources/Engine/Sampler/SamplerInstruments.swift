internal import DSP

/// The instrument to play, or none, and the origin of the command.
typealias InstrumentChange = (instrument: InstrumentPointer?, origin: CommandOrigin)

/// The current instrument, and earlier ones with sounding voices.
///
/// Each has a number until its last voice has ended; then the change that replaced it is answered.
struct SamplerInstruments: ~Copyable, @unchecked Sendable {
  // More than anyone can select within the fade of one.
  private static var places: Int { @_noLocks get { 256 } }

  private struct Place: BitwiseCopyable {
    var pointer: InstrumentPointer?
    var voices = 0
    // The change that replaced it.
    var end: InstrumentChange?
  }

  private let buffers = Buffers()
  private let memory: UnsafeMutablePointer<Place>
  /// The number of the current instrument.
  private(set) var current: UInt8 = 0
  private var leavingCount = 0
  // The one that was replaced last.
  private var latest: UInt8 = 0

  init() {
    memory = buffers.filled(with: Place(), count: Self.places)
  }

  /// Whether all changes are answered.
  var isSettled: Bool { @_noLocks get { leavingCount == 0 } }

  /// The current instrument, or nil without one.
  var pointer: InstrumentPointer? { @_noLocks get { memory[Int(current)].pointer } }

  /// Returns the instrument with which a note started, or nil if it was released.
  @_noLocks
  func pointer(_ number: UInt8) -> InstrumentPointer? {
    let place = Int(number)
    if number == current { return memory[place].pointer }
    return memory[place].voices > 0 ? memory[place].pointer : nil
  }

  /// Changes the instrument.
  ///
  /// Returns the number of one that must fade out, because two have replaced it since.
  @_noLocks
  mutating func change(_ change: InstrumentChange) -> UInt8? {
    let crowded: UInt8? = leavingCount > 0 ? latest : nil
    let former = Int(current)
    memory[former].end = change
    latest = current
    leavingCount &+= 1
    // The next free slot: there are more slots than waiting changes.
    var next = current &+ 1
    while memory[Int(next)].voices > 0 || isLeaving(next) { next &+= 1 }
    current = next
    memory[Int(next)] = Place()
    memory[Int(next)].pointer = change.instrument
    return crowded
  }

  @_noLocks
  private func isLeaving(_ number: UInt8) -> Bool {
    if case .some = memory[Int(number)].end { true } else { false }
  }

  /// Counts started voices.
  @_noLocks
  mutating func add(_ count: Int, to number: UInt8? = nil) {
    memory[Int(number ?? current)].voices &+= count
  }

  /// Counts an ended voice.
  @_noLocks
  mutating func remove(_ number: UInt8) { memory[Int(number)].voices &-= 1 }

  /// An unanswered change whose former instrument is silent.
  @_noLocks
  mutating func nextAnswer() -> InstrumentChange? {
    if leavingCount == 0 { return nil }
    for place in 0..<Self.places {
      guard let end = memory[place].end, memory[place].voices == 0 else { continue }
      memory[place] = Place()
      leavingCount &-= 1
      return end
    }
    return nil
  }
}
