internal import DSP
internal import Synchronization

/// A recorder of notes to the frame, which plays them back with its own fingers.
struct PhraseTape: ~Copyable {
  private var sampleRate: Double
  private var state = PhraseState.stopped
  private var phrase: PhrasePointer?
  // The frame of the engine's time at which the phrase started.
  private var began: Int64 = 0
  // The place in the phrase from which time is counted, in frames of its own rate, the frame of the engine's time
  // on which it is due, and the speed from there on, in frames of the phrase per frame.
  private var origin: Int64 = 0
  private var place = 0.0
  private var speed = 1.0
  // Whether it is played at the speed of the tempo.
  private var followsTempo = false
  // A beat when it was recorded, in frames of its own rate.
  private var beat = 0.0
  // In frames of the phrase's own rate.
  private var rate = 0.0
  private var length = 0
  private var count = 0
  private var touches = 0
  private var next = 0
  private var played = 0
  private let buffers = Buffers()
  // By finger: the note that it holds, and whether it does; of manual fingers while recording, of the
  // repeating fingers while playing.
  private let held: UnsafeMutablePointer<NoteStart>
  private let isHeld: UnsafeMutablePointer<Bool>
  private var heldCount = 0
  // Notes that were due before this frame don't start.
  private var firstTouch = Int64.min
  // Fingers up to here were released already.
  private var letGo = 0

  init(sampleRate: Double) {
    self.sampleRate = sampleRate
    held = buffers.filled(
      with: NoteStart(finger: .key(0), key: 0, cents: 0, velocity: 0), count: Finger.count)
    isHeld = buffers.filled(with: false, count: Finger.count)
  }

  /// Whether it is recorded or played.
  var isRunning: Bool { @_noLocks get { if case .stopped = state { false } else { true } } }

  // MARK: - Time

  /// Continues at another rate from a frame on; ends recording.
  mutating func setSampleRate(_ rate: Double, at frame: Int64) {
    guard rate < sampleRate || rate > sampleRate else { return }
    finishRecording(at: frame)
    // The sample rate change has ended the held notes.
    forgetHeld()
    place = position(at: frame)
    origin = frame
    speed *= sampleRate / rate
    sampleRate = rate
  }

  /// Shifts when the timeline jumps.
  @_noLocks
  mutating func shift(by frames: Int64) {
    began &+= frames
    origin &+= frames
  }

  /// Starts no notes that were due before a frame.
  @_noLocks
  mutating func skip(to frame: Int64) { firstTouch = frame }

  /// Plays the phrase at the ratio of the tempo to that of its recording, or as it was played.
  @_noLocks
  mutating func setFollowsTempo(_ follows: Bool) { followsTempo = follows }

  /// Follows the tempo from a frame on.
  @_noLocks
  mutating func follow(framesPerBeat: Double, at frame: Int64) {
    guard case .playing = state, framesPerBeat > 0 else { return }
    let own = rate / sampleRate
    let ratio = followsTempo && beat > 0 ? beat / framesPerBeat / own : 1
    let next = LoopFollow.banded(ratio) * own
    if next == speed { return }
    place = position(at: frame)
    origin = frame
    speed = next
  }

  /// The position in the phrase at a frame, in frames of its own rate.
  @_noLocks
  private func position(at frame: Int64) -> Double { place + Double(frame &- origin) * speed }

  /// The frame on which a position in the phrase is due.
  @_noLocks
  private func due(_ position: Int) -> Int64 {
    let frames = (Double(position) - place) / speed
    return origin &+ Int64(frames < 0 ? frames - 0.5 : frames + 0.5)
  }

  /// The number of frames from a frame on until something is due.
  @_noLocks
  func framesToGo(at frame: Int64) -> Int {
    switch state {
    case .stopped: return .max
    case .recording: return max(1, Int(began &+ Int64(length) &- frame))
    case .playing:
      guard let phrase else { return .max }
      let place = next < count ? phrase.events[next].frame : length
      return max(1, Int(due(place) &- frame))
    }
  }

  // MARK: - Recording

  /// Starts to record, instead of the present phrase, at a tempo.
  @_noLocks
  mutating func record(_ pointer: PhrasePointer, framesPerBeat: Double, at frame: Int64) {
    forgetHeld()
    phrase = pointer
    began = frame
    beat = framesPerBeat
    rate = sampleRate
    length = Int(pointer.seconds * sampleRate + 0.5)
    count = 0
    touches = 0
    played = 0
    state = .recording
    pointer.marks.pointee.rate.store(Int(sampleRate), ordering: .relaxed)
    tellState()
  }

  /// Records a manual note action at a frame, if recording.
  @_noLocks
  mutating func hear(_ action: NoteAction, at frame: Int64) {
    guard case .recording = state else { return }
    guard frame < began &+ Int64(length) else {
      finishRecording(at: began &+ Int64(length))
      return
    }
    switch action {
    case .on(let note):
      guard !note.finger.isRepeated else { return }
      let finger = Int(note.finger.number)
      guard let phrase, touches < phrase.mostTouches else {
        release(finger, at: frame)
        return
      }
      // The finger's former note ends with it.
      if !isHeld[finger] { heldCount &+= 1 }
      held[finger] = note
      isHeld[finger] = true
      touches &+= 1
      write(note, isTouch: true, at: frame)
    case .off(let finger):
      guard !finger.isRepeated else { return }
      release(Int(finger.number), at: frame)
    case .allOff: releaseAll(at: frame)
    }
  }

  @_noLocks
  private mutating func release(_ finger: Int, at frame: Int64) {
    guard isHeld[finger] else { return }
    isHeld[finger] = false
    heldCount &-= 1
    write(held[finger], isTouch: false, at: frame)
  }

  @_noLocks
  private mutating func releaseAll(at frame: Int64) {
    var finger = 0
    while heldCount > 0 && finger < Finger.count {
      release(finger, at: frame)
      finger &+= 1
    }
  }

  @_noLocks
  private mutating func write(_ note: NoteStart, isTouch: Bool, at frame: Int64) {
    guard let phrase else { return }
    // Each touch has at most one release: there is room.
    phrase.events[count] = PhraseEvent(
      frame: Int(frame &- began), isTouch: isTouch, note: note)
    count &+= 1
    phrase.marks.pointee.touches.store(touches, ordering: .relaxed)
    phrase.marks.pointee.written.store(count, ordering: .releasing)  // publishes the event
  }

  /// Ends the recording and the notes that are still held.
  @_noLocks
  private mutating func finishRecording(at frame: Int64) {
    guard case .recording = state else { return }
    releaseAll(at: frame)
    length = Int(frame &- began)
    rest()
  }

  // MARK: - Playing

  /// Prepares to play from the start at a tempo; false if nothing is recorded.
  ///
  /// End its sounding notes before, by `stop`.
  @_noLocks
  mutating func play(framesPerBeat: Double, at frame: Int64) -> Bool {
    guard let phrase, touches > 0 else { return false }
    (origin, place, speed) = (frame, 0, rate / sampleRate)
    next = 0
    phrase.marks.pointee.before.store(played, ordering: .relaxed)
    state = .playing
    follow(framesPerBeat: framesPerBeat, at: frame)
    tellState()
    return true
  }

  /// The next action due by a frame; nil if none is, or if the phrase has ended.
  @_noLocks
  mutating func nextDue(at frame: Int64) -> NoteAction? {
    switch state {
    case .stopped: return nil
    case .recording:
      if frame >= began &+ Int64(length) { finishRecording(at: began &+ Int64(length)) }
      return nil
    case .playing:
      guard let phrase else { return nil }
      while next < count, phrase.events[next].isTouch, due(phrase.events[next].frame) < firstTouch {
        next &+= 1
        played &+= 1
      }
      guard next < count else {
        if frame >= due(length) { rest() }
        return nil
      }
      let event = phrase.events[next]
      guard due(event.frame) <= frame else { return nil }
      next &+= 1
      played &+= 1
      phrase.marks.pointee.played.store(played, ordering: .relaxed)
      return repeated(event)
    }
  }

  @_noLocks
  private mutating func repeated(_ event: PhraseEvent) -> NoteAction {
    let finger = event.note.finger.repeated()
    let number = Int(finger.number)
    if isHeld[number] != event.isTouch { heldCount &+= event.isTouch ? 1 : -1 }
    isHeld[number] = event.isTouch
    guard event.isTouch else { return .off(finger) }
    var note = event.note
    note.finger = finger
    held[number] = note
    return .on(note)
  }

  /// Ends recording or playing.
  ///
  /// Returns the actions that end sounding notes, one per call, and then nil.
  @_noLocks
  mutating func stop(at frame: Int64) -> NoteAction? {
    finishRecording(at: frame)
    while heldCount > 0 && letGo < Finger.count {
      let finger = letGo
      letGo &+= 1
      guard isHeld[finger] else { continue }
      isHeld[finger] = false
      heldCount &-= 1
      return .off(held[finger].finger)
    }
    letGo = 0
    rest()
    return nil
  }

  @_noLocks
  private mutating func forgetHeld() {
    if heldCount == 0 { return }
    for finger in 0..<Finger.count { isHeld[finger] = false }
    heldCount = 0
  }

  @_noLocks
  private mutating func rest() {
    guard isRunning else { return }
    state = .stopped
    tellState()
  }

  // MARK: - Telling

  @_noLocks
  private func tellState() {
    guard let phrase else { return }
    // The real-time check rejects the getter of a raw value. The byte has the same value.
    phrase.marks.pointee.state.store(unsafeBitCast(state, to: UInt8.self), ordering: .relaxed)
    phrase.marks.pointee.position.store(0, ordering: .relaxed)
    if case .recording = state { return }
    phrase.marks.pointee.length.store(length, ordering: .relaxed)
  }

  /// Publishes the position.
  @_noLocks
  func tellPosition(at frame: Int64) {
    guard isRunning, let phrase else { return }
    let isRecording = if case .recording = state { true } else { false }
    let frames = isRecording ? Double(frame &- began) : position(at: frame)
    phrase.marks.pointee.position.store(Int(frames), ordering: .relaxed)
    if isRecording { phrase.marks.pointee.length.store(Int(frames), ordering: .relaxed) }
  }
}
