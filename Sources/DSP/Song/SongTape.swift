internal import CRealtime

/// The tape from which a warp plays a song.
///
/// It is filled from the ring as the warp approaches, with silence before and after the song.
package struct SongTape: ~Copyable, @unchecked Sendable {
  // How far an engine reads ahead while it changes its rate: 2 ms at most.
  private static var aheadSeconds: Double { @_noLocks get { 0.003 } }
  private static var riseSeconds: Double { @_noLocks get { 0.005 } }
  private static var longestPiece: Int { @_noLocks get { 256 } }

  private let anchor = Anchor()
  private let buffers = Buffers()
  private let ahead: Int
  private let riseFrames: Int
  private(set) var laid: Tape
  // The warp's position, 32.32 fixed-point.
  private var place: Int64 = 0
  /// The number of song frames that the warp has passed, including those after the end.
  package private(set) var framesGone = 0
  // The fraction of a frame beyond that, in units of 2^-32.
  private var partGone: UInt32 = 0
  private var source: SongPointer?
  private var isAllLaid = false
  private var framesBehind = 0
  private var riseLeft = 0
  private let piece: Stereo

  /// Creates a tape of which `reach` frames are readable contiguously.
  package init(reach: Int, sampleRate: Double) {
    ahead = Int(Self.aheadSeconds * sampleRate)
    riseFrames = Int(Self.riseSeconds * sampleRate)
    // The fastest step, on top of the longest lookback of an engine.
    laid = Tape(seconds: 0.1, reach: reach, sampleRate: sampleRate)
    piece = buffers.stereo(Self.longestPiece)
  }

  /// Starts a song, or none, after `silence` frames.
  ///
  /// The previous one must be inaudible.
  @_noLocks
  package mutating func begin(_ song: SongPointer?, silence: Int) {
    source = song
    isAllLaid = false
    framesBehind = 0
    (framesGone, partGone) = (0, 0)
    riseLeft = 0
    layAside(silence)
  }

  /// Continues the song after `silence` frames of silence, with a fade-in.
  @_noLocks
  package mutating func goOn(silence: Int) {
    riseLeft = riseFrames
    // The frames that were laid, but not heard.
    var next = place >> 32
    let end = laid.head
    layAside(silence)
    while next &- end < 0 {
      let count = Int(min(end &- next, Int64(Self.longestPiece)))
      laid.copy(from: next, to: piece, frames: count)
      raise(frames: count)
      laid.write(piece, frames: count)
      next = next &+ Int64(count)
    }
  }

  @_noLocks
  private mutating func layAside(_ silence: Int) {
    laid.writeSilence(frames: min(silence, laid.capacity))
    place = laid.head << 32
  }

  /// The first frame that has not been heard.
  var start: Int64 { @_noLocks get { place >> 32 } }

  /// Whether the ring could run dry within `frames` frames of tape.
  @_noLocks
  package func isShort(of frames: Int) -> Bool {
    guard let source else { return false }
    let (count, isAll) = source.framesAhead()
    return !isAll && count < frames &+ ahead &+ 1
  }

  /// Whether the warp has reached the end of the song.
  package var isAtEnd: Bool {
    @_noLocks get {
      // Positions wrap around, so only differences are meaningful.
      isAllLaid && Int((laid.head << 32 &- place) >> 32) <= framesBehind
    }
  }

  /// Fills the tape up to `place`, the frames that the warp reads past it, and lookahead.
  @_noLocks
  mutating func lay(to place: Int64, reading frames: Int = 0) {
    // The place moves back when the warp begins to read ahead.
    let gone = place &- self.place &+ Int64(partGone)
    framesGone &+= Int(gone >> 32)
    partGone = UInt32(truncatingIfNeeded: gone)
    self.place = place
    var toGo = Int((place &- laid.head << 32) >> 32) &+ 1 &+ frames &+ ahead
    while toGo > 0 {
      let count = min(toGo, Self.longestPiece)
      let read = readAhead(count)
      if read < count {
        piece.advanced(by: read).clear(frames: count &- read)
        if isAllLaid { framesBehind &+= count &- read }
      }
      laid.write(piece, frames: count)
      toGo &-= count
    }
  }

  /// Reads up to `frames` frames from the ring and returns their number.
  @_noLocks
  private mutating func readAhead(_ frames: Int) -> Int {
    guard let source, !isAllLaid else { return 0 }
    let (count, isAll) = source.framesAhead()
    let read = min(count, frames)
    source.read(to: piece, frames: read)
    if isAll && read == count { isAllLaid = true }
    raise(frames: read)
    return read
  }

  /// Applies the fade-in to frames of the next piece.
  @_noLocks
  private mutating func raise(frames: Int) {
    let rising = min(frames, riseLeft)
    for frame in 0..<rising {
      let share = (Float(riseFrames &- riseLeft &+ frame) + 0.5) / Float(riseFrames)
      let gain = Crossfade.eased(share)
      piece.left[frame] *= gain
      piece.right[frame] *= gain
    }
    riseLeft &-= rising
  }
}
