package import DSP

/// A MIDI message of up to three bytes, on its frame.
package struct MIDIEvent: BitwiseCopyable, Sendable {
  /// The frame, counted from the first of the block.
  package var frame: UInt32
  /// The status byte.
  package var status: UInt8
  /// The first data byte, or 0.
  package var first: UInt8
  /// The second data byte, or 0.
  package var second: UInt8

  /// A message on its frame.
  @_noLocks
  package init(frame: UInt32, status: UInt8, first: UInt8 = 0, second: UInt8 = 0) {
    self.frame = frame
    self.status = status
    self.first = first
    self.second = second
  }

  /// Whether it is one of MIDI clock: tick, Start, Continue, Stop or Song Position.
  package var isClock: Bool {
    @_noLocks get {
      status == 0xF8 || status == 0xFA || status == 0xFB || status == 0xFC || status == 0xF2
    }
  }

  /// The number of bytes: one for the clock, two for program change and channel pressure, otherwise three.
  package var byteCount: Int {
    @_noLocks get { status >= 0xF8 ? 1 : status & 0xE0 == 0xC0 ? 2 : 3 }
  }
}

/// The MIDI messages of one block in the order of their frames, in memory of fixed size.
///
/// A reference to memory of its creator.
package struct MIDIBlock: BitwiseCopyable, @unchecked Sendable {
  /// The maximum number of messages, more than a JACK port can receive.
  package static var capacity: Int { @_noLocks get { 4096 } }

  private let events: UnsafeMutablePointer<MIDIEvent>
  private let counter: UnsafeMutablePointer<Int>

  /// Room for a block's messages.
  package init(in buffers: Buffers) {
    events = buffers.filled(with: MIDIEvent(frame: 0, status: 0), count: Self.capacity)
    counter = buffers.box(0)
  }

  /// The number of messages.
  package var count: Int { @_noLocks get { counter.pointee } }

  /// The message at an index from 0.
  package subscript(_ index: Int) -> MIDIEvent { @_noLocks get { events[index] } }

  /// Removes all messages.
  @_noLocks
  package func clear() { counter.pointee = 0 }

  /// Appends a message.
  ///
  /// Returns false if there is no room.
  @_noLocks
  package func append(_ event: MIDIEvent) -> Bool {
    let count = counter.pointee
    if count >= Self.capacity { return false }
    events[count] = event
    counter.pointee = count &+ 1
    return true
  }
}
