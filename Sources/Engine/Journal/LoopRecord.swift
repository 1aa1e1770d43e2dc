internal import DSP

/// A record of the loop journal: one change of a loop.
///
/// A version of a clip has a serial number, which is never used again.
package struct LoopRecord: BitwiseCopyable, Sendable {
  /// The number of frames per page: first those of the left channel, then those of the right.
  package static var pageFrames: Int { @_noLocks get { PageStack.frames } }
  /// The number of bytes per page.
  package static var pageBytes: Int { @_noLocks get { 8 &* pageFrames } }
  /// The maximum number of versions in a history.
  package static var mostVersions: Int { @_noLocks get { 64 } }

  /// The kind of a record.
  package enum Kind: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    /// The sample rate of everything that follows, in Hz (`frames`), and the number of the snapshot
    /// (`other`).
    case rate = 1
    /// A new version: a copy of version `other`, or empty if that is 0.
    case version
    /// The samples of page `other` of a version.
    case page
    /// `frames` pages of a version, from `other` on, are empty.
    case hole
    /// The length of a version, and that of its beat (`other`, the bits of a Float, in frames).
    case length
    /// The versions of a slot in order, of which the one at index `other` is current. All other versions
    /// are dropped, except the one being recorded.
    case history
    /// The version being recorded, which is not in the history yet; none if `serial` is 0.
    case recording
    /// The version of the history being overdubbed, none if `serial` is 0, and its last written page,
    /// `other`; whether those go backward (`frames`), and whether the clip is becoming longer (`count`), of which
    /// nothing is kept before it has.
    case overdub
    /// Whether a slot plays (`count`), and the engine frame at which a cycle started.
    case phase
  }

  /// The kind.
  package var kind: Kind
  /// The index of the slot, from 0.
  package var slot: UInt8
  /// The number of versions in a history, or 1 for true.
  package var count: UInt16
  /// The serial number of the version.
  package var serial: UInt32
  /// Another version, a page or an index, depending on the kind.
  package var other: UInt32
  /// The number of overdubs in the version.
  package var layers: UInt32
  /// A length in frames, a number of pages, a rate or a time, depending on the kind.
  package var frames: Int64
  /// The exact loop length of the version in frames: its length, or less by under one frame.
  package var round: Double
  /// The number of the version's clip.
  package var clip: Int64

  /// Creates a record; -1 as `other` means none.
  @_noLocks
  package init(
    _ kind: Kind, slot: Int = 0, count: Int = 0, serial: UInt32 = 0, other: Int = 0,
    layers: Int = 0, frames: Int = 0, round: Double = 0, clip: Int = 0
  ) {
    self.kind = kind
    self.slot = UInt8(truncatingIfNeeded: slot)
    self.count = UInt16(truncatingIfNeeded: count)
    self.serial = serial
    self.other = UInt32(truncatingIfNeeded: other)
    self.layers = UInt32(truncatingIfNeeded: layers)
    self.frames = Int64(frames)
    self.round = round
    self.clip = Int64(clip)
  }

  /// The length of a beat in frames, 0 if it is unknown.
  package var beat: Float {
    @_noLocks get {
      let beat = Float(bitPattern: other)
      return beat > 0 && beat < 1e9 ? beat : 0
    }
  }

  /// The number of bytes that follow it in a file: a page, or the serial numbers of a history.
  package var bytes: Int {
    switch kind {
    case .page: Self.pageBytes
    case .history: 4 * Int(count)
    default: 0
    }
  }
}
