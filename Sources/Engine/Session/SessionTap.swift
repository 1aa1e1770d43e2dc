internal import DSP
internal import Synchronization

/// Copies the audio of all ports, MIDI, beats and loop changes into a ring, without blocking.
struct SessionTap: BitwiseCopyable {
  // The indices of the tracks before those of the loops, as in `SessionTrack.all`.
  private enum Place {
    static var input: Int { @_noLocks get { 0 } }
    static var output: Int { @_noLocks get { 1 } }
    static var live: Int { @_noLocks get { 2 } }
    static var harmony: Int { @_noLocks get { 3 } }
    static var grid: Int { @_noLocks get { 4 } }
    static var click: Int { @_noLocks get { 5 } }
    static var loops: Int { @_noLocks get { 6 } }
  }

  // In frames. A beat that follows sooner is the same one, moved slightly by a new tempo.
  private static var leastBeat: Int64 { @_noLocks get { 480 } }

  private var pointer: SessionPointer?
  // The last of the sessions that ended in this block, whose memory can still be in use.
  private var ended: UnsafeMutablePointer<SessionProgress>?
  private var sampleRate: Int
  private var written = 0
  // The frame of the engine's time at which the session started. Lost frames don't move it.
  private var origin: Int64 = 0
  private var latestBeat = Int64.min / 2

  @_noLocks
  init(sampleRate: Double) { self.sampleRate = Int(sampleRate) }

  /// Whether a session is being recorded at this sample rate.
  var isOn: Bool {
    @_noLocks get {
      guard let pointer else { return false }
      return pointer.rate == sampleRate
    }
  }

  /// Sets the sample rate, which may be the same.
  ///
  /// A session records nothing while the rate is not its own.
  mutating func setSampleRate(_ rate: Double) { sampleRate = Int(rate) }

  /// Continues on another driver's timeline, after the frames that have passed without a driver.
  @_noLocks
  mutating func goOn(at present: Int64, after passed: Int64) {
    origin = present &- Int64(written) &- passed
    latestBeat = .min / 2
  }

  // MARK: - Start and end

  /// Starts a session unless one is running, or ends the running one if the pointer is nil.
  @_noLocks
  mutating func follow(_ pointer: SessionPointer?, at present: Int64, microseconds: Double) {
    guard let pointer else { return end(.ended) }
    if self.pointer != nil { return }
    self.pointer = pointer
    written = 0
    origin = present
    pointer.progress.pointee.start = microseconds
    publish(.running, to: pointer)
  }

  @_noLocks
  private mutating func end(_ state: CaptureRing.State) {
    guard let pointer else { return }
    self.pointer = nil
    pointer.progress.pointee.formerEnd = ended
    ended = pointer.progress
    publish(state, to: pointer)
  }

  /// Releases the rings of the sessions that ended in this block.
  @_noLocks
  mutating func endBlock() {
    while let progress = ended {
      ended = progress.pointee.formerEnd
      // Releasing: all accesses of the block come before. The ring can be freed from now on.
      progress.pointee.isReleased.store(true, ordering: .releasing)
    }
  }

  /// Publishes the state, and everything written before it.
  @_noLocks
  private func publish(_ state: CaptureRing.State, to pointer: SessionPointer) {
    // The real-time check rejects the getter of a raw value. The byte has the same value.
    pointer.progress.pointee.state.store(
      unsafeBitCast(state, to: UInt8.self), ordering: .releasing)
  }

  // MARK: - Sound

  /// Returns the ports, with scratch memory for those that are not connected.
  @_noLocks
  func completing(_ ports: Ports) -> Ports {
    guard let pointer else { return ports }
    let loops = pointer.count &- Place.loops
    for index in 0..<loops {
      pointer.stems[index] = ports.stem(ofLoop: index) ?? pointer.spare[Place.loops &+ index]
    }
    return ports.completed(
      live: pointer.spare[Place.live], harmony: pointer.spare[Place.harmony],
      grid: pointer.spare[Place.grid], click: pointer.spare[Place.click].left,
      loops: pointer.stems, count: loops)
  }

  /// Records a segment of all ports.
  ///
  /// If there is no room for all of it, the session ends with the last frame that fits.
  @_noLocks
  mutating func write(_ ports: Ports, input: Stereo, at present: Int64, frames: Int) {
    guard isOn, let pointer else { return }
    if !fillGap(to: present, pointer) { return }
    let count = room(pointer, frames)
    var done = 0
    while done < count {
      let place = (written &+ done) % pointer.capacity
      let part = min(count &- done, pointer.capacity &- place)
      put(input, at: done, pointer, Place.input, place, part)
      put(ports.output, at: done, pointer, Place.output, place, part)
      put(ports.live, at: done, pointer, Place.live, place, part)
      put(ports.harmony, at: done, pointer, Place.harmony, place, part)
      put(ports.grid, at: done, pointer, Place.grid, place, part)
      Blocks.copy(
        ports.click + done, to: pointer.sounds[Place.click].left + place, frames: part)
      for index in Place.loops..<pointer.count {
        guard let stem = ports.stem(ofLoop: index &- Place.loops) else { continue }
        put(stem, at: done, pointer, index, place, part)
      }
      done &+= part
    }
    publish(pointer, count, of: frames)
  }

  @_noLocks
  private func put(
    _ sound: Stereo, at done: Int, _ pointer: SessionPointer, _ track: Int, _ place: Int,
    _ frames: Int
  ) {
    sound.advanced(by: done).copy(to: pointer.sounds[track].advanced(by: place), frames: frames)
  }

  /// Records silence on all ports.
  @_noLocks
  mutating func rest(at present: Int64, frames: Int) {
    guard isOn, let pointer else { return }
    if fillGap(to: present, pointer) { rest(pointer, frames: frames) }
  }

  /// Records silence for frames that were lost.
  ///
  /// Returns false if the session has ended because the ring was full.
  @_noLocks
  private mutating func fillGap(to present: Int64, _ pointer: SessionPointer) -> Bool {
    let gap = present &- origin &- Int64(written)
    // After a suspend, or if the timeline went back, the session continues without a gap.
    if gap < 0 || gap > Int64(pointer.capacity / 2) {
      origin &+= gap
    } else if gap > 0 {
      rest(pointer, frames: Int(gap))
      return self.pointer != nil
    }
    return true
  }

  @_noLocks
  private mutating func rest(_ pointer: SessionPointer, frames: Int) {
    let count = room(pointer, frames)
    let place = written % pointer.capacity
    let part = min(count, pointer.capacity &- place)
    for track in 0..<pointer.count {
      let sound = pointer.sounds[track]
      sound.advanced(by: place).clear(frames: part)
      sound.clear(frames: count &- part)
    }
    publish(pointer, count, of: frames)
  }

  @_noLocks
  private func room(_ pointer: SessionPointer, _ frames: Int) -> Int {
    // Acquiring: the reader has released the position.
    let read = pointer.progress.pointee.read.load(ordering: .acquiring)
    return min(frames, pointer.capacity &- (written &- read))
  }

  @_noLocks
  private mutating func publish(_ pointer: SessionPointer, _ count: Int, of frames: Int) {
    written &+= count
    // Releasing: publishes the frames.
    pointer.progress.pointee.written.store(written, ordering: .releasing)
    if count < frames { end(.overrun) }
  }

  // MARK: - Events

  /// Returns memory for the sent messages, even if the MIDI output is not connected.
  @_noLocks
  func output(_ connected: MIDIBlock?) -> MIDIBlock? {
    guard isOn, let pointer else { return connected }
    return connected ?? pointer.midi
  }

  /// Records the loops' changes of state at a frame.
  @_noLocks
  func noteLoops(_ loops: borrowing Loops, at present: Int64) {
    guard isOn, let pointer else { return }
    for index in 0..<min(loops.count, pointer.count &- Place.loops) {
      let player = loops.slot(index)
      var kind = SessionEvent.Kind.still
      if player.pointee.state.isRecording {
        kind = .record
      } else if player.pointee.state.isPlaying {
        kind = player.pointee.layer.isOn ? .overdub : .play
      }
      let number = unsafeBitCast(kind, to: UInt8.self)
      if pointer.activities[index] == number { continue }
      pointer.activities[index] = number
      put(pointer, present, kind, UInt8(truncatingIfNeeded: index), 0, 0)
    }
  }

  /// Records a marker from the control side.
  @_noLocks
  func mark(_ number: UInt32, at present: Int64) {
    guard isOn, let pointer else { return }
    put(
      pointer, present, .mark, UInt8(truncatingIfNeeded: number &>> 16),
      UInt8(truncatingIfNeeded: number &>> 8), UInt8(truncatingIfNeeded: number))
  }

  /// Records the MIDI messages and the beats of a block.
  @_noLocks
  mutating func noteBlock(
    from start: Int64, to end: Int64, received: MIDIBlock?, sent: MIDIBlock?, beats: BeatClock
  ) {
    guard isOn, let pointer else { return }
    if let received { put(pointer, received, .received, start) }
    if let sent { put(pointer, sent, .sent, start) }
    var next = beats.nextBeat(from: start)
    while next.frame < end {
      defer { next = beats.nextBeat(from: next.frame &+ Self.leastBeat) }
      if next.frame &- latestBeat < Self.leastBeat { continue }
      latestBeat = next.frame
      put(
        pointer, next.frame, .beat, UInt8(truncatingIfNeeded: next.number &+ 1),
        UInt8(truncatingIfNeeded: beats.beatsPerBar), 0)
    }
  }

  @_noLocks
  private func put(
    _ pointer: SessionPointer, _ messages: MIDIBlock, _ kind: SessionEvent.Kind, _ start: Int64
  ) {
    for index in 0..<messages.count {
      let message = messages[index]
      put(
        pointer, start &+ Int64(message.frame), kind, message.status, message.first,
        message.second)
    }
  }

  @_noLocks
  private func put(
    _ pointer: SessionPointer, _ frame: Int64, _ kind: SessionEvent.Kind, _ first: UInt8,
    _ second: UInt8, _ third: UInt8
  ) {
    let frame = Int(frame &- origin)
    // The event precedes the start of the session within the same buffer.
    if frame < 0 { return }
    let written = pointer.progress.pointee.eventsWritten.load(ordering: .relaxed)
    // Acquiring: the reader has released the slot.
    let read = pointer.progress.pointee.eventsRead.load(ordering: .acquiring)
    guard written &- read < pointer.mostEvents else {
      pointer.progress.pointee.lostEvents.add(1, ordering: .relaxed)
      return
    }
    pointer.events[written % pointer.mostEvents] = SessionEvent(frame, kind, first, second, third)
    // Releasing: publishes the event.
    pointer.progress.pointee.eventsWritten.store(written &+ 1, ordering: .releasing)
  }
}
