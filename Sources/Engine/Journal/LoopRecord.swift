/// One thing that has become of a loop, as its journal tells it.
///
/// A version of a clip is told by a serial number of the journal's own, which is never used again.
package struct LoopRecord: BitwiseCopyable, Sendable {
  /// The frames of a page: first those of the left side, then those of the right.
  package static var pageFrames: Int { @_noLocks get { 512 } }
  /// The bytes of a page.
  package static var pageBytes: Int { @_noLocks get { 4096 } }
  /// The most versions of a history.
  package static var mostVersions: Int { @_noLocks get { 64 } }

  /// What a record tells.
  package enum Kind: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    /// The rate of all that follows, in Hz (`frames`), and the number of the telling (`other`).
    case rate = 1
    /// A version is there: like another one, `other`, or empty where that is 0.
    case begin
    /// The page `other` of a version has this sound.
    case page
    /// `frames` pages of a version, from `other` on, have none.
    case hole
    /// A version is so long.
    case length
    /// The versions of a slot in their order, and the one that is heard, at the place `other`: all of
    /// its other versions are gone, but for the one in the making.
    case history
    /// A version is being recorded that is not in the history yet; none where `serial` is 0.
    case making
    /// A version of the history is being added to, none where `serial` is 0; the page `other` is the one
    /// that was told last of it.
    case adding
    /// Whether a slot plays (`count`), and the frame of the engine's time at which it was at its
    /// beginning.
    case phase
  }

  /// What it tells.
  package var kind: Kind
  /// The slot that it tells of, from 0.
  package var slot: UInt8
  /// How many versions a history has, or 1 for yes.
  package var count: UInt16 = 0
  /// The serial number of the version.
  package var serial: UInt32 = 0
  /// Another version, a page or a place, as the kind says.
  package var other: UInt32 = 0
  /// How many times something was added to the version.
  package var layers: UInt32 = 0
  /// A length in frames, a number of pages, a rate or a time, as the kind says.
  package var frames: Int64 = 0
  /// The length of a round of the version, in frames: less than its length by less than one.
  package var round: Double = 0
  /// The number of the clip that the version is one of.
  package var clip: Int64 = 0

  /// A record that tells nothing yet.
  @_noLocks
  package init(_ kind: Kind, slot: Int = 0) {
    self.kind = kind
    self.slot = UInt8(truncatingIfNeeded: slot)
  }
}
