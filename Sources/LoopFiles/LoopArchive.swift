internal import Engine
package import Posix

/// The loops of a journal, to be restored into an engine.
package struct LoopArchive: Sendable {
  /// A slot with its undo history.
  package struct Slot: Sendable {
    /// The index of the slot, from 0.
    package let number: Int
    /// The sample rate of its clips, in Hz.
    package let rate: Int
    /// The undo history, oldest version first.
    package var versions: [Version]
    /// The index of the current version.
    package var place: Int
    /// Whether it was playing.
    package let isPlaying: Bool
    /// The engine frame, in the previous engine's time, at which its playhead was at the start.
    package let beginning: Int64
    /// Whether its last version was still being recorded.
    package let wasRecording: Bool
    /// The page at which an unfinished overdub of the current version broke off; nil if there was
    /// none.
    package let breach: Int?

    /// The current version.
    package var current: Version { versions[place] }
  }

  /// A version of a clip.
  package struct Version: Sendable {
    /// Its serial number in the journal.
    package let serial: UInt32
    /// Its length, in frames.
    package let frames: Int
    /// The loop length, in frames.
    package let round: Double
    /// The number of overdubs.
    package let layers: Int
    /// The number of its clip.
    package let clip: Int
    let pages: PageTable

    /// The maximum number of pages, including those beyond its end.
    package var pageCount: Int { pages.count }

    /// The offset of a page in the journal, which identifies shared pages; nil if there is none.
    package func page(_ index: Int) -> Int? { pages[index] }
  }

  /// The known slots, by index.
  package private(set) var slots: [Slot] = []
  /// The highest serial number of a version.
  package let latestSerial: UInt32
  private let file: Descriptor
  private let path: String

  init(_ map: LoopMap, _ file: Descriptor, _ path: String) {
    self.file = file
    self.path = path
    latestSerial = map.latestSerial
    for (number, slot) in map.slots.sorted(by: { $0.key < $1.key }) {
      if let slot = Self.slot(number, slot, rate: map.rate) { slots.append(slot) }
    }
  }

  private static func slot(_ number: Int, _ map: SlotMap, rate: Int) -> Slot? {
    var versions = map.history.compactMap { serial in
      map.versions[serial].map { Self.version(serial, $0, frames: $0.frames, round: $0.round) }
    }
    var place = map.place
    var wasRecording = false
    // An unfinished recording is as long as it was written, and one more undo step.
    if let made = map.versions[map.making], !map.history.contains(map.making) {
      var pages = 0
      while made.pages[pages] != nil { pages += 1 }
      let frames = min(made.frames, pages * LoopRecord.pageFrames)
      if frames > 0 {
        versions = Array(versions.prefix(place + 1))
        versions.append(Self.version(map.making, made, frames: frames, round: Double(frames)))
        place = versions.count - 1
        wasRecording = true
      }
    }
    guard !versions.isEmpty else { return nil }
    return Slot(
      number: number, rate: wasRecording || map.rate == 0 ? rate : map.rate, versions: versions,
      place: place, isPlaying: map.isPlaying, beginning: map.beginning,
      wasRecording: wasRecording,
      breach: versions[place].serial == map.adding ? map.head : nil)
  }

  private static func version(
    _ serial: UInt32, _ map: VersionMap, frames: Int, round: Double
  ) -> Version {
    Version(
      serial: serial, frames: frames, round: round, layers: map.layers, clip: map.clip,
      pages: map.pages)
  }

  /// Whether no slot has a clip.
  package var isEmpty: Bool {
    slots.allSatisfy { slot in slot.versions.allSatisfy { $0.frames == 0 } }
  }

  /// Reads the page at an offset: the left side, then the right.
  package func read(
    _ place: Int, into sound: UnsafeMutablePointer<Float>
  ) throws(SystemError) {
    let memory = UnsafeMutableRawBufferPointer(start: sound, count: LoopRecord.pageBytes)
    do throws(SystemError) { try file.read(into: memory, at: place) } catch {
      throw SystemError(path, code: error.code)
    }
  }
}
