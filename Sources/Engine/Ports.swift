package import DSP

/// The place of a block in time.
public struct Cycle: BitwiseCopyable {
  /// The server's frame count at the first frame of the block.
  public var frame: UInt32
  /// When the block was due, in microseconds of the host's steady clock.
  public var microseconds: Double
  /// Whether frames at the moment don't follow the clock.
  public var isFreewheeling: Bool
  /// The server's transport, where it is followed.
  public var transport: Transport

  /// A block's place in time.
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

/// The ports of a block that anybody hears, or is heard by: a bit for each loop's stem, and for each group of
/// others.
///
/// The others' memory is the driver's own: silence is not written there.
public struct PortUse: BitwiseCopyable, Sendable {
  /// The bits, the lowest of which are those of the loops, from the first on.
  public let bits: UInt32

  /// The ports of these bits.
  @_noLocks @inlinable
  public init(bits: UInt32) { self.bits = bits }

  /// All ports.
  public static var all: PortUse { @_noLocks @inlinable get { PortUse(bits: .max) } }
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
  /// The notes that come in.
  public static var midiIn: PortUse { @_noLocks @inlinable get { PortUse(bits: 1 &<< 21) } }
  /// Those that go out.
  public static var midiOut: PortUse { @_noLocks @inlinable get { PortUse(bits: 1 &<< 22) } }

  /// The stem of a loop, counted from 0.
  @_noLocks @inlinable
  public static func stem(ofLoop index: Int) -> PortUse {
    PortUse(bits: 1 &<< UInt32(truncatingIfNeeded: index))
  }

  /// Whether no port is in use.
  public var isEmpty: Bool { @_noLocks @inlinable get { bits == 0 } }

  /// Whether one of these is in use.
  @_noLocks @inlinable
  public func has(_ ports: PortUse) -> Bool { bits & ports.bits != 0 }

  /// The ports of both.
  @_noLocks @inlinable
  public func union(_ other: PortUse) -> PortUse { PortUse(bits: bits | other.bits) }

  /// The ports that are not among others.
  @_noLocks @inlinable
  public func subtracting(_ others: PortUse) -> PortUse { PortUse(bits: bits & ~others.bits) }

  /// The loops whose stems are in use.
  var loops: LoopBits { @_noLocks get { LoopBits(bits & 0xFFFF) } }
}

/// The buffers of one block: what comes in, and what must be filled.
package struct Ports: BitwiseCopyable {
  /// Inputs; read only.
  package var input: Stereo
  /// The mix.
  package var output: Stereo
  /// The stems; each that is in use is written whole.
  package var live: Stereo, loop: Stereo, grid: Stereo
  /// The metronome.
  package var click: UnsafeMutablePointer<Float>
  /// The stems of the loops after the first, as many as there are; nil where nobody wants them.
  package var furtherLoops: UnsafeMutablePointer<Stereo>?
  /// Which of all of these are in use.
  package var use: PortUse
  // How far it was moved.
  private var offset = 0
  /// The notes that come in, in the order of their frames; nil where there are none.
  package var midiIn: MIDIBlock?
  /// Where those go out; nil where nobody takes them.
  package var midiOut: MIDIBlock?

  /// The buffers of one block.
  @_noLocks
  package init(
    input: Stereo, output: Stereo, live: Stereo, loop: Stereo, grid: Stereo,
    click: UnsafeMutablePointer<Float>, midiIn: MIDIBlock? = nil, midiOut: MIDIBlock? = nil,
    furtherLoops: UnsafeMutablePointer<Stereo>? = nil, use: PortUse = .all
  ) {
    self.use = use
    self.furtherLoops = furtherLoops
    self.midiIn = midiIn
    self.midiOut = midiOut
    self.input = input
    self.output = output
    self.live = live
    self.loop = loop
    self.grid = grid
    self.click = click
  }

  /// Moves to a later frame of the block; MIDI is for the block as a whole.
  @_noLocks
  func advanced(by frames: Int) -> Ports {
    var ports = Ports(
      input: input.advanced(by: frames), output: output.advanced(by: frames),
      live: live.advanced(by: frames), loop: loop.advanced(by: frames),
      grid: grid.advanced(by: frames), click: click + frames, furtherLoops: furtherLoops,
      use: use)
    ports.offset = offset &+ frames
    return ports
  }

  /// The stem of a loop, counted from 0; nil where nobody wants it.
  @_noLocks
  func stem(ofLoop index: Int) -> Stereo? {
    if !use.has(.stem(ofLoop: index)) { return nil }
    if index == 0 { return loop }
    guard let furtherLoops else { return nil }
    return furtherLoops[index &- 1].advanced(by: offset)
  }
}
