internal import Engine
internal import Glibc
package import Posix

/// The loops of a journal, to be restored into an engine.
package struct LoopArchive: Sendable {
  /// A slot with its undo history.
  package struct Slot: Sendable {
    /// The index of the slot, from 0.
    package let number: Int
    /// The undo history, oldest version first.
    package var versions: [LoopVersion]
    /// The index of the current version.
    package var place: Int
    /// Whether it was playing.
    package let isPlaying: Bool
    /// The engine frame, in the previous engine's time, at which its playhead was at the start.
    package let beginning: Int
    // The sample rate of that frame, in Hz.
    let beginningRate: Int
    /// Whether its last version was still being recorded.
    package let wasRecording: Bool
    /// The page at which an unfinished overdub of the current version broke off; nil if there was
    /// none.
    package let breach: Int?
    /// Whether that overdub was in reverse.
    package let isBreachBackward: Bool
    /// Whether it was becoming longer, of which nothing is kept.
    package let wasGrowing: Bool

    /// The current version.
    package var current: LoopVersion { versions[place] }

    /// The sample rate of the current version, in Hz.
    package var rate: Int { current.rate }

    /// Whether no version has audio.
    var isEmpty: Bool { versions.allSatisfy { $0.frames == 0 } }

    /// The slot with an index; nil if it has no versions.
    fileprivate init?(_ number: Int, _ index: SlotIndex) {
      var versions = index.history.compactMap { index.versions[$0] }
      var place = index.current
      var wasRecording = false
      // An unfinished recording is as long as it was written, and one more undo step.
      if var recorded = index.versions[index.recording],
        !index.history.contains(index.recording)
      {
        // Pages before the last one can be damaged: they are silent.
        let pages = recorded.lastPage.map { $0 + 1 } ?? 0
        recorded.frames = min(recorded.frames, pages * LoopRecord.pageFrames)
        recorded.round = Double(recorded.frames)
        if recorded.frames > 0 {
          versions = Array(versions.prefix(place + 1)) + [recorded]
          place = versions.count - 1
          wasRecording = true
        }
      }
      guard !versions.isEmpty else { return nil }
      self.number = number
      self.versions = versions
      self.place = place
      isPlaying = index.isPlaying
      beginning = index.beginning
      beginningRate = index.beginningRate
      self.wasRecording = wasRecording
      wasGrowing = index.isGrowing
      isBreachBackward = index.isOverdubBackward
      breach = versions[place].serial == index.overdub ? index.overdubbedPage : nil
    }
  }

  /// The known slots, by index.
  package let slots: [Slot]
  // The sample rate of records that would follow, in Hz.
  let latestRate: Int
  /// The highest serial number of a version.
  package let latestSerial: UInt32
  // The number of its file.
  let number: UInt64
  private let pages: JournalPages
  private let path: String

  init(_ index: JournalIndex, _ pages: JournalPages, _ path: String, number: UInt64) {
    self.number = number
    self.pages = pages
    self.path = path
    latestSerial = index.latestSerial
    latestRate = index.rate
    slots = index.slots.sorted { $0.key < $1.key }.compactMap { Slot($0.key, $0.value) }
  }

  /// Reads a journal file without changing it: one that was set aside, or one that can't be written now.
  ///
  /// Returns nil if it is no journal, and a line about damage in it.
  package static func read(
    _ path: String
  ) throws(SystemError) -> (archive: LoopArchive, damage: String?)? {
    let file = try Descriptor(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), orThrow: path)
    guard let end = Files.size(of: file) else { throw SystemError(path, code: EINVAL) }
    guard let reading = try JournalReading(file, end: end) else { return nil }
    let archive = LoopArchive(
      reading.index, reading.pages, path, number: reading.format.number)
    return (archive, reading.damage?.line(path))
  }

  /// Whether no slot has a clip.
  package var isEmpty: Bool { slots.allSatisfy(\.isEmpty) }

  /// Reads the page at an offset: the left channel, then the right.
  package func read(
    _ offset: Int, into sound: UnsafeMutablePointer<Float>
  ) throws(SystemError) {
    let memory = UnsafeMutableRawBufferPointer(start: sound, count: LoopRecord.pageBytes)
    do throws(SystemError) { try pages.read(offset, into: memory) } catch {
      throw SystemError(path, code: error.code)
    }
  }
}
