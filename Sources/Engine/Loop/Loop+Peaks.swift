internal import DSP

/// Computes the peaks of the clip, a few parts per block.
struct PeakWalk: BitwiseCopyable {
  /// The version and the length that the peaks are of, and the number of changes up to then.
  var version = -1
  var length = 0
  var changes = 0
  /// The next part, or the number of parts when all are done.
  var part = PublishedPeaks.parts
  /// The frames since the last part was computed.
  var waited = 0
}

extension Loop {
  // All peaks take 8192 frames at any sample rate, and reading for them costs no more than copying a clip
  // that is loaded.
  private static var framesPerPart: Int { @_noLocks get { 32 } }
  private static var framesPerPage: Int { @_noLocks get { 32 } }
  // During a layer the peaks are outdated before they are done. They may take four times as long, and most
  // blocks skip them.
  private static var framesBetween: Int { @_noLocks get { 256 } }

  /// The version whose peaks are published, also of a clip that is being recorded.
  private var picturedVersion: Int {
    @_noLocks get {
      if state.isRecording, let version = recording.version { return version }
      return tape.currentVersion
    }
  }

  /// Whether the clip has changed since the latest peaks.
  var arePeaksBehind: Bool {
    @_noLocks get {
      walk.part < PublishedPeaks.parts || walk.version != picturedVersion
        || walk.length != length || walk.changes != tape.changes
    }
  }

  /// Continues computing peaks, within the budget of a block of this length.
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
