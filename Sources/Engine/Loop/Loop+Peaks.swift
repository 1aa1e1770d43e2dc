internal import DSP

/// A walk through the clip, a few parts a block, that makes a picture of it.
struct PeakWalk: BitwiseCopyable {
  /// The version and the length that are pictured; what had changed up to then.
  var version = -1
  var length = 0
  var changes = 0
  /// The part that comes next; as many as there are when it is done.
  var part = PublishedPeaks.parts
  /// For how many frames nothing was done for it.
  var waited = 0

  @_noLocks
  init() {}
}

extension Loop {
  // At any rate a picture takes as long as 8192 frames, and what is read for it is no more than what a
  // clip that is loaded takes to be copied.
  private static var framesPerPart: Int { @_noLocks get { 32 } }
  private static var framesPerPage: Int { @_noLocks get { 32 } }
  // While something is added to it, a picture is old before it is done: it may take four times as long, and
  // most blocks need not look at it.
  private static var framesBetween: Int { @_noLocks get { 256 } }

  /// The version of which there is to be a picture: also of a clip in the making.
  private var picturedVersion: Int {
    @_noLocks get {
      if state.isRecording, let version = recording.version { return version }
      return tape.currentVersion
    }
  }

  /// Whether the clip is another than that of which the latest picture was made.
  var arePeaksBehind: Bool {
    @_noLocks get {
      walk.part < PublishedPeaks.parts || walk.version != picturedVersion
        || walk.length != length || walk.changes != tape.changes
    }
  }

  /// Goes on with the picture of the clip as far as a block of so many frames allows.
  @_noLocks
  mutating func picture(to loop: UnsafeMutablePointer<PublishedLoops.Slot>, frames: Int) {
    if !arePeaksBehind { return }
    if tape.isOverdubbing && walk.version == picturedVersion {
      walk.waited &+= frames
      if walk.waited < Self.framesBetween { return }
      walk.waited = 0
    }
    if walk.part == PublishedPeaks.parts || walk.version != picturedVersion {
      walk.version = picturedVersion
      walk.length = length
      walk.changes = tape.changes
      walk.part = 0
    }
    if walk.length == 0 {
      walk.part = PublishedPeaks.parts
      loop.pointee.peaks.publish(hasClip: false)
      return
    }
    let end = min(PublishedPeaks.parts, walk.part &+ max(1, frames / Self.framesPerPart))
    var budget = max(1, frames / Self.framesPerPage)
    while walk.part < end {
      let start = walk.part &* walk.length / PublishedPeaks.parts
      let next = (walk.part &+ 1) &* walk.length / PublishedPeaks.parts
      guard
        let peak = tape.peak(
          of: walk.version, from: start, to: max(start &+ 1, next), budget: &budget)
      else { return }
      loop.pointee.peaks.set(walk.part, to: min(1, peak))
      walk.part &+= 1
    }
    if walk.part == PublishedPeaks.parts { loop.pointee.peaks.publish(hasClip: true) }
  }
}
