package import DSP

/// The place of a block in time.
package struct Cycle: BitwiseCopyable {
  /// The server's frame count at the first frame of the block.
  package var frame: UInt32
  /// When the block was due, in microseconds of the host's steady clock.
  package var microseconds: Double
  /// Whether frames at the moment don't follow the clock.
  package var isFreewheeling: Bool
  /// The server's transport, where it is followed.
  package var transport: Transport

  /// A block's place in time.
  @_noLocks
  package init(
    frame: UInt32, microseconds: Double, isFreewheeling: Bool, transport: Transport = Transport()
  ) {
    self.transport = transport
    self.frame = frame
    self.microseconds = microseconds
    self.isFreewheeling = isFreewheeling
  }
}

/// The buffers of one block: what comes in, and what must be filled.
package struct Ports: BitwiseCopyable {
  /// Inputs; read only.
  package var input: Stereo
  /// The mix.
  package var output: Stereo
  /// The stems; each is written whole.
  package var live: Stereo, loop: Stereo, grid: Stereo
  /// The metronome.
  package var click: UnsafeMutablePointer<Float>
  /// The notes that come in, in the order of their frames; nil where there are none.
  package var midiIn: MIDIBlock?
  /// Where those go out; nil where nobody takes them.
  package var midiOut: MIDIBlock?

  /// The buffers of one block.
  @_noLocks
  package init(
    input: Stereo, output: Stereo, live: Stereo, loop: Stereo, grid: Stereo,
    click: UnsafeMutablePointer<Float>, midiIn: MIDIBlock? = nil, midiOut: MIDIBlock? = nil
  ) {
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
    Ports(
      input: input.advanced(by: frames), output: output.advanced(by: frames),
      live: live.advanced(by: frames), loop: loop.advanced(by: frames),
      grid: grid.advanced(by: frames), click: click + frames)
  }
}
