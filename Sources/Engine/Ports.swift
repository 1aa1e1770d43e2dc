package import DSP

/// The position of a block in time.
public struct Cycle: BitwiseCopyable {
  /// The frame count of the server at the first frame of the block.
  public var frame: UInt32
  /// The due time of the block, in microseconds of the host's steady clock.
  public var microseconds: Double
  /// Whether frames do not follow the clock at the moment.
  public var isFreewheeling: Bool
  /// The transport of the server, if it is followed.
  public var transport: Transport

  /// Creates the position of a block.
  @_noLocks @inlinable
  public init(
    frame: UInt32, microseconds: Double, isFreewheeling: Bool, transport: Transport = Transport()
  ) {
    self.transport = transport
    self.frame = frame
    self.microseconds = microseconds
    self.isFreewheeling = isFreewheeling
  }
}

/// The ports of a block that are connected: a bit for the stem of each loop, and for each group of other
/// ports.
///
/// The driver provides the memory of unconnected ports. Silence is not written there.
public struct PortUse: BitwiseCopyable, Sendable {
  /// The bits.
  ///
  /// The lowest are those of the loops, from the first.
  public let bits: UInt32

  /// Creates a set of ports from bits.
  @_noLocks @inlinable
  public init(bits: UInt32) { self.bits = bits }

  /// All ports.
  public static var all: PortUse { @_noLocks @inlinable get { PortUse(bits: .max) } }
  /// The ports that most nodes use: input, mix and MIDI.
  public static var main: PortUse {
    @_noLocks @inlinable get { .input.union(.output).union(.midiIn).union(.midiOut) }
  }
  /// No port.
  public static var none: PortUse { @_noLocks @inlinable get { PortUse(bits: 0) } }
  /// The input.
  public static var input: PortUse { @_noLocks @inlinable get { PortUse(bits: 1 &<< 16) } }
  /// The mix.
  public static var output: PortUse { @_noLocks @inlinable get { PortUse(bits: 1 &<< 17) } }
  /// The stem of the live input.
  public static var live: PortUse { @_noLocks @inlinable get { PortUse(bits: 1 &<< 18) } }
  /// The stem of the grid.
  public static var grid: PortUse { @_noLocks @inlinable get { PortUse(bits: 1 &<< 19) } }
  /// The metronome.
  public static var click: PortUse { @_noLocks @inlinable get { PortUse(bits: 1 &<< 20) } }
  /// MIDI input.
  public static var midiIn: PortUse { @_noLocks @inlinable get { PortUse(bits: 1 &<< 21) } }
  /// MIDI output.
  public static var midiOut: PortUse { @_noLocks @inlinable get { PortUse(bits: 1 &<< 22) } }

  /// The stem of the harmonies.
  public static var harmony: PortUse { @_noLocks @inlinable get { PortUse(bits: 1 &<< 23) } }

  /// Speech.
  public static var speech: PortUse { @_noLocks @inlinable get { PortUse(bits: 1 &<< 24) } }

  /// The stem of a loop, counted from 0.
  @_noLocks @inlinable
  public static func stem(ofLoop index: Int) -> PortUse {
    PortUse(bits: 1 &<< UInt32(truncatingIfNeeded: index))
  }

  /// Whether no port is connected.
  public var isEmpty: Bool { @_noLocks @inlinable get { bits == 0 } }

  /// Whether one of these ports is connected.
  @_noLocks @inlinable
  public func has(_ ports: PortUse) -> Bool { bits & ports.bits != 0 }

  /// The ports of both.
  @_noLocks @inlinable
  public func union(_ other: PortUse) -> PortUse { PortUse(bits: bits | other.bits) }

  /// The ports that are not among others.
  @_noLocks @inlinable
  public func subtracting(_ others: PortUse) -> PortUse { PortUse(bits: bits & ~others.bits) }

  /// The loops whose stems are connected.
  var loops: LoopBits { @_noLocks get { LoopBits(bits & 0xFFFF) } }
}

/// The buffers of one block.
package struct Ports: BitwiseCopyable {
  /// The input; read only.
  package var input: Stereo
  /// The mix.
  package var output: Stereo
  /// The stems of the live input, its harmonies, and the grid.
  ///
  /// Each connected one is written completely.
  package var live: Stereo, harmony: Stereo, grid: Stereo
  /// The metronome.
  package var click: UnsafeMutablePointer<Float>
  // The stems of the loops, as many as there are.
  private let loops: UnsafeMutablePointer<Stereo>?
  /// The ports that are connected.
  package var use: PortUse
  // The position within the block.
  private var offset = 0
  /// The received MIDI messages, in the order of their frames; nil if not connected.
  package var midiIn: MIDIBlock?
  /// The received messages of MIDI clock; nil if not connected.
  package var clockIn: MIDIBlock?
  /// The MIDI messages to be sent; nil if not connected.
  package var midiOut: MIDIBlock?

  /// The buffers of one block; `loops` are the stems of the loops, or nil for none.
  @_noLocks
  package init(
    input: Stereo, output: Stereo, live: Stereo, harmony: Stereo, grid: Stereo,
    click: UnsafeMutablePointer<Float>,
    loops: UnsafeMutablePointer<Stereo>? = nil, midiIn: MIDIBlock? = nil,
    clockIn: MIDIBlock? = nil, midiOut: MIDIBlock? = nil, use: PortUse = .all
  ) {
    self.use = use
    self.loops = loops
    self.midiIn = midiIn
    self.clockIn = clockIn
    self.midiOut = midiOut
    self.input = input
    self.output = output
    self.live = live
    self.harmony = harmony
    self.grid = grid
    self.click = click
  }

  /// Advances to a later frame of the block.
  ///
  /// MIDI stays that of the whole block.
  @_noLocks
  func advanced(by frames: Int) -> Ports {
    var ports = self
    ports.input = input.advanced(by: frames)
    ports.output = output.advanced(by: frames)
    ports.live = live.advanced(by: frames)
    ports.harmony = harmony.advanced(by: frames)
    ports.grid = grid.advanced(by: frames)
    ports.click = click + frames
    ports.offset = offset &+ frames
    return ports
  }

  /// The same ports with the stems of all loops, and with memory for the others that are not connected.
  @_noLocks
  func completed(
    live: Stereo, harmony: Stereo, grid: Stereo, click: UnsafeMutablePointer<Float>,
    loops: UnsafeMutablePointer<Stereo>, count: Int
  ) -> Ports {
    let stems = PortUse(bits: 1 &<< UInt32(truncatingIfNeeded: count) &- 1)
    return Ports(
      input: input, output: output, live: use.has(.live) ? self.live : live,
      harmony: use.has(.harmony) ? self.harmony : harmony, grid: use.has(.grid) ? self.grid : grid,
      click: use.has(.click) ? self.click : click, loops: loops, midiIn: midiIn, clockIn: clockIn,
      midiOut: midiOut,
      use: use.union(.live).union(.harmony).union(.grid).union(.click).union(stems))
  }

  /// The stem of a loop, counted from 0; nil if not connected.
  @_noLocks
  func stem(ofLoop index: Int) -> Stereo? {
    guard let loops, use.has(.stem(ofLoop: index)) else { return nil }
    return loops[index].advanced(by: offset)
  }
}
