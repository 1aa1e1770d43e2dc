package import DSP
internal import Synchronization

/// A track of a session: a port of the node.
package enum SessionTrack: Hashable, Sendable {
  case input, output, live, harmony, grid, click
  /// The stem of a loop, counted from 0.
  case loop(Int)

  /// The tracks of a node with a number of loops, in the order of a ring.
  package static func all(loops: Int) -> [SessionTrack] {
    [.input, .output, .live, .harmony, .grid, .click] + (0..<loops).map(SessionTrack.loop)
  }

  /// Whether it has one channel.
  package var isMono: Bool { self == .click }
}

/// A ring buffer for the audio and the events of all ports, from the audio thread to disk.
///
/// The audio thread writes, one other thread reads, and neither waits. All tracks share one position, so that
/// none can be a frame longer than another. A ring holds one session, which starts and ends once.
package final class SessionRing: @unchecked Sendable {
  /// The length of the ring in seconds: the longest disk stall that loses nothing.
  package static let seconds = 9
  private static let mostEvents = 16_384
  // The most frames per read: a slow disk frees the ring in steps of this size.
  private static let longestStretch = 16_384

  /// The sample rate, in Hz.
  package let rate: Int
  /// The tracks.
  package let tracks: [SessionTrack]
  /// The capacity in frames.
  package let capacity: Int

  private let buffers = Buffers()
  private let sounds: UnsafeMutablePointer<Stereo>
  private let events: UnsafeMutablePointer<SessionEvent>
  private let progress: UnsafeMutablePointer<SessionProgress>
  private let spare: UnsafeMutablePointer<Stereo>
  private let stems: UnsafeMutablePointer<Stereo>
  private let activities: UnsafeMutablePointer<UInt8>
  private let midi: MIDIBlock

  /// Creates a ring for a sample rate and a number of loops.
  ///
  /// The capacity in frames is that of `seconds` by default.
  package init(rate: Int, loops: Int, capacity: Int? = nil) {
    self.rate = rate
    tracks = SessionTrack.all(loops: loops)
    let capacity = capacity ?? Self.seconds * rate
    self.capacity = capacity
    let (buffers, tracks) = (buffers, tracks)
    sounds = buffers.made(count: tracks.count) { index in
      if tracks[index].isMono {
        let samples = buffers.floats(capacity)
        return Stereo(samples, samples)
      }
      return buffers.stereo(capacity)
    }
    spare = buffers.made(count: tracks.count) { _ in buffers.stereo(SegmentMemory.longest) }
    stems = buffers.made(count: max(1, loops)) { _ in buffers.stereo(1) }
    activities = buffers.filled(with: SessionEvent.Kind.still.rawValue, count: max(1, loops))
    events = buffers.filled(
      with: SessionEvent(0, .beat, 0, 0, 0), count: Self.mostEvents)
    midi = MIDIBlock(in: buffers)
    progress = buffers.box(SessionProgress())
  }

  /// The state of the session, with the same meanings as for a capture.
  ///
  /// After the end, all samples are visible to the reader.
  package var state: CaptureRing.State {
    CaptureRing.State(rawValue: progress.pointee.state.load(ordering: .acquiring)) ?? .waiting
  }

  /// Whether the audio thread writes no more frames.
  package var hasEnded: Bool { state == .ended || state == .overrun }

  /// Whether the session has ended and the audio thread has no more pointers to the ring.
  ///
  /// The rest of the block in which a session ends can still use the memory for ports that are not connected.
  package var isReleased: Bool { progress.pointee.isReleased.load(ordering: .acquiring) }

  /// The number of frames written so far.
  package var frames: Int { progress.pointee.written.load(ordering: .acquiring) }

  /// The number of events dropped for lack of room.
  package var lostEvents: Int { progress.pointee.lostEvents.load(ordering: .relaxed) }

  /// The time of the first frame, in microseconds of the host's steady clock; valid once the session has
  /// started.
  package var start: Double { progress.pointee.start }

  /// The pointer for the audio thread.
  package var pointer: SessionPointer {
    SessionPointer(
      sounds: sounds, spare: spare, stems: stems, activities: activities, count: tracks.count,
      capacity: capacity, rate: rate, events: events, mostEvents: Self.mostEvents, midi: midi,
      progress: progress)
  }

  /// Passes the next contiguous samples of each track to a closure.
  ///
  /// Returns false if there are none. The samples stay in the ring until the closure returns without an
  /// error. Call it from one thread only.
  package func take<Fault: Error>(
    atMost most: Int = .max, _ body: ([Stereo], Int) throws(Fault) -> Void
  ) throws(Fault) -> Bool {
    let read = progress.pointee.read.load(ordering: .relaxed)
    // Acquiring: the frames are written.
    let count = progress.pointee.written.load(ordering: .acquiring) - read
    guard count > 0 else { return false }
    let place = read % capacity
    let part = min(count, capacity - place, Self.longestStretch, most)
    try body(tracks.indices.map { sounds[$0].advanced(by: place) }, part)
    // Releasing: the frames are read.
    progress.pointee.read.store(read + part, ordering: .releasing)
    return true
  }

  /// Returns the events since the last call.
  ///
  /// Call it from one thread only.
  package func takeEvents() -> [SessionEvent] {
    let read = progress.pointee.eventsRead.load(ordering: .relaxed)
    // Acquiring: the events are written.
    let written = progress.pointee.eventsWritten.load(ordering: .acquiring)
    defer { progress.pointee.eventsRead.store(written, ordering: .releasing) }
    return (read..<written).map { events[$0 % Self.mostEvents] }
  }
}

/// The progress of a session, shared by both ends of its ring.
struct SessionProgress: ~Copyable {
  /// The frames written and read since the start, and the events.
  let written = Atomic<Int>(0)
  let read = Atomic<Int>(0)
  let eventsWritten = Atomic<Int>(0)
  let eventsRead = Atomic<Int>(0)
  let lostEvents = Atomic<Int>(0)
  let state = Atomic<UInt8>(CaptureRing.State.waiting.rawValue)
  let isReleased = Atomic<Bool>(false)
  // Written before the state is running.
  var start = 0.0
  // The session that ended before this one in the same block. Audio thread only.
  var formerEnd: UnsafeMutablePointer<SessionProgress>?
}

/// A pointer to a ring, for the audio thread.
///
/// The sender keeps the ring alive until it has received the command's event and, if the session has started,
/// until the ring is released.
package struct SessionPointer: BitwiseCopyable, @unchecked Sendable {
  let sounds: UnsafeMutablePointer<Stereo>
  // Scratch memory: a segment of each unconnected port, and the loops' stems in this segment.
  let spare: UnsafeMutablePointer<Stereo>
  let stems: UnsafeMutablePointer<Stereo>
  // The latest activity of each loop, as the raw value of an event kind.
  let activities: UnsafeMutablePointer<UInt8>
  let count: Int
  let capacity: Int
  let rate: Int
  let events: UnsafeMutablePointer<SessionEvent>
  let mostEvents: Int
  // For sent messages if the MIDI output is not connected.
  let midi: MIDIBlock
  let progress: UnsafeMutablePointer<SessionProgress>
}
