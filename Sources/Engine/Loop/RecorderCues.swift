internal import DSP

/// The cues of the recorder.
///
/// Because of latency, each is due when the sound of its time has arrived.
struct RecorderCues: ~Copyable {
  private static var capacity: Int { @_noLocks get { 16 } }

  /// The kind of a cue.
  enum Kind: BitwiseCopyable {
    /// Starts writing a version of the clip.
    case begin(version: Int)
    /// Pauses.
    case suspend
    /// Resumes.
    case resume
    /// Ends the clip at a length in frames.
    case end(frames: Int)
    /// Starts an overdub of a kind.
    case beginOverdub(Layer.Kind)
    /// Goes on with another kind, as another step.
    case changeOverdub(Layer.Kind)
    /// Ends the overdub.
    case endOverdub
    /// Applies the direction.
    case turn
  }

  struct Cue: BitwiseCopyable {
    var frame: Int64
    var kind: Kind
  }

  private let buffers = Buffers()
  private let cues: UnsafeMutablePointer<Cue>
  private var count = 0

  init() {
    cues = buffers.filled(with: Cue(frame: 0, kind: .suspend), count: Self.capacity)
  }

  /// The frame of the first cue, or `Int64.max`.
  var nextFrame: Int64 { @_noLocks get { count > 0 ? cues[0].frame : .max } }

  /// Whether there are no cues.
  var isEmpty: Bool { @_noLocks get { count == 0 } }

  /// Whether fewer than two cues fit.
  ///
  /// Then a press is refused.
  var isFull: Bool { @_noLocks get { count &+ 2 > Self.capacity } }

  /// Adds a cue, which is followed after all earlier ones.
  @_noLocks
  mutating func add(_ kind: Kind, at frame: Int64) {
    if count == Self.capacity { return }
    let last = count > 0 ? cues[count &- 1].frame : frame
    cues[count] = Cue(frame: max(frame, last), kind: kind)
    count &+= 1
  }

  /// Removes and returns the first cue.
  @_noLocks
  mutating func removeFirst() -> Cue {
    let cue = cues[0]
    remove(0)
    return cue
  }

  /// Removes the start of a version.
  ///
  /// Returns false if that was followed already.
  @_noLocks
  mutating func removeBegin(of version: Int) -> Bool {
    for index in 0..<count {
      if case .begin(version: let other) = cues[index].kind, other == version {
        remove(index)
        return true
      }
    }
    return false
  }

  /// Whether an overdub has yet to start.
  var waitsForOverdub: Bool {
    @_noLocks get {
      for index in 0..<count {
        if case .beginOverdub = cues[index].kind { return true }
      }
      return false
    }
  }

  /// Removes the cues of all overdubs.
  @_noLocks
  mutating func removeOverdubs() {
    var index = 0
    while index < count {
      switch cues[index].kind {
      case .beginOverdub, .changeOverdub, .endOverdub: remove(index)
      default: index &+= 1
      }
    }
  }

  /// Moves the cues of all overdubs by a number of frames.
  @_noLocks
  mutating func delayOverdubs(by frames: Int) {
    var (index, left) = (0, count)
    while left > 0 {
      left &-= 1
      switch cues[index].kind {
      case .beginOverdub, .changeOverdub, .endOverdub:
        let cue = cues[index]
        remove(index)
        add(cue.kind, at: cue.frame &+ Int64(frames))
      default: index &+= 1
      }
    }
  }

  /// Removes the last overdub that has not started yet, with its end; an overdub that it would have changed ends.
  ///
  /// Returns false if all overdubs have started.
  @_noLocks
  mutating func removeLastOverdub() -> Bool {
    var index = count
    while index > 0 {
      index &-= 1
      switch cues[index].kind {
      case .beginOverdub, .changeOverdub: break
      default: continue
      }
      var later = index &+ 1
      while later < count {
        if case .endOverdub = cues[later].kind { remove(later) } else { later &+= 1 }
      }
      if case .changeOverdub = cues[index].kind {
        cues[index].kind = .endOverdub
      } else {
        remove(index)
      }
      return true
    }
    return false
  }

  @_noLocks
  private mutating func remove(_ place: Int) {
    count &-= 1
    for index in place..<count { cues[index] = cues[index &+ 1] }
  }

  /// Moves all cues, when the timeline jumps.
  @_noLocks
  mutating func shift(by frames: Int64) {
    for index in 0..<count { cues[index].frame &+= frames }
  }
}
