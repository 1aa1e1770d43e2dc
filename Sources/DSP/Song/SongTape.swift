internal import CRealtime

/// A song as a warp reads it: a short tape onto which it is laid out of its ring as the warp comes
/// nearer, silence before and behind it.
package struct SongTape: ~Copyable, @unchecked Sendable {
  // What an engine that goes over to another rate still reads ahead of its place: 2 ms at most.
  private static var aheadSeconds: Double { @_noLocks get { 0.003 } }
  private static var riseSeconds: Double { @_noLocks get { 0.005 } }
  private static var longestPiece: Int { @_noLocks get { 256 } }

  private let anchor = Anchor()
  private let ahead: Int
  private let riseFrames: Int
  private(set) var laid: Tape
  // How far the warp has come, in frames with 32 binary places.
  private var place: Int64 = 0
  /// How many frames of the song the warp has passed since it began, those behind its end, too.
  package private(set) var framesGone = 0
  // The part of a frame beyond that, with 32 binary places.
  private var partGone: UInt32 = 0
  private var source: SongPointer?
  private var isAllLaid = false
  private var framesBehind = 0
  private var riseLeft = 0
  private let piece: Stereo

  /// A tape of which `reach` frames can be read in one piece.
  package init(reach: Int, sampleRate: Double) {
    ahead = Int(Self.aheadSeconds * sampleRate)
    riseFrames = Int(Self.riseSeconds * sampleRate)
    // A step at the fastest, behind all that an engine looks back at.
    laid = Tape(seconds: 0.1, reach: reach, sampleRate: sampleRate)
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: 2 * Self.longestPiece)
    memory.initialize(repeating: 0, count: 2 * Self.longestPiece)
    piece = Stereo(memory, memory + Self.longestPiece)
  }

  deinit { piece.left.deallocate() }

  /// Begins a song, or none, behind so much silence, in frames: for what was not heard.
  @_noLocks
  package mutating func begin(_ song: SongPointer?, silence: Int) {
    source = song
    isAllLaid = false
    framesBehind = 0
    (framesGone, partGone) = (0, 0)
    riseLeft = 0
    layAside(silence)
  }

  /// Goes on with the song behind so much silence, in frames, and rises out of it.
  @_noLocks
  package mutating func goOn(silence: Int) {
    riseLeft = riseFrames
    layAside(silence)
  }

  @_noLocks
  private mutating func layAside(_ silence: Int) {
    laid.writeSilence(frames: min(silence, laid.capacity))
    place = laid.head << 32
  }

  /// Whether the song could end before it has said so, within so many frames of tape.
  @_noLocks
  package func isShort(of frames: Int) -> Bool {
    guard let source else { return false }
    let (count, isAll) = source.framesAhead()
    return !isAll && count < frames &+ ahead &+ 1
  }

  /// Whether the warp has come to the song's end.
  package var isAtEnd: Bool {
    @_noLocks get {
      // Places wrap around: only their differences say something.
      isAllLaid && Int((laid.head << 32 &- place) >> 32) <= framesBehind
    }
  }

  /// Lays out what lies up to a place of the way, if it doesn't lie there yet.
  @_noLocks
  mutating func lay(to place: Int64) {
    let gone = UInt64(truncatingIfNeeded: place &- self.place) &+ UInt64(partGone)
    framesGone &+= Int(truncatingIfNeeded: gone >> 32)
    partGone = UInt32(truncatingIfNeeded: gone)
    self.place = place
    var toGo = Int((place &- laid.head << 32) >> 32) &+ 1 &+ ahead
    while toGo > 0 {
      let count = min(toGo, Self.longestPiece)
      let read = readAhead(count)
      if read < count {
        rt_zero(piece.left + read, count &- read)
        rt_zero(piece.right + read, count &- read)
        if isAllLaid { framesBehind &+= count &- read }
      }
      laid.write(piece, frames: count)
      toGo &-= count
    }
  }

  /// Reads what there is of the next frames.
  @_noLocks
  private mutating func readAhead(_ frames: Int) -> Int {
    guard let source, !isAllLaid else { return 0 }
    let (count, isAll) = source.framesAhead()
    let read = min(count, frames)
    source.read(to: piece, frames: read)
    if isAll && read == count { isAllLaid = true }
    let rising = min(read, riseLeft)
    for frame in 0..<rising {
      let share = (Float(riseFrames &- riseLeft &+ frame) + 0.5) / Float(riseFrames)
      let gain = Crossfade.eased(share)
      piece.left[frame] *= gain
      piece.right[frame] *= gain
    }
    riseLeft &-= rising
    return read
  }
}
