import Foundation
import Posix
import TestSupport

@testable import Library
@testable import SoundFiles

/// A library in a temporary folder.
final class LibraryFixture {
  let folder: TemporaryFolder
  let library: TakeLibrary
  var home: String { folder.path("home") }

  init() throws {
    folder = try TemporaryFolder()
    library = try TakeLibrary(home: folder.path("home"))
  }

  /// The file names in the takes folder, or in its trash.
  func names(_ name: String = "takes") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(home)/\(name)").sorted()
  }

  /// Records a take and adds it.
  @discardableResult
  func add(
    _ title: String, day: Int = 0, frames: Int = 100, in library: TakeLibrary? = nil,
    _ change: (inout Take) -> Void = { _ in }
  ) throws -> Take {
    try Self.add(title, day: day, frames: frames, to: library ?? self.library, change)
  }

  @discardableResult
  static func add(
    _ title: String, id: String = Take.newID(), day: Int = 0, frames: Int = 100,
    to library: TakeLibrary, _ change: (inout Take) -> Void = { _ in }
  ) throws -> Take {
    var take = Take(id: id, title: title, date: date(day), rate: 48_000)
    change(&take)
    take.frames = frames
    let path = library.recordingPath(take.id)
    var writer = try WaveWriter(path, rate: take.rate, isFine: true, tags: take.tags)
    try WaveFixture.append(Tone.constant(0.25, frames: frames), to: &writer)
    try writer.finish(tags: take.tags)
    return try library.add(take, from: path)
  }

  static func date(_ day: Int) -> ZonedDate {
    ZonedDate(microseconds: 1_700_000_000_000_000 + day * 86_400_000_000, zoneMinutes: 60)
  }

  /// All takes according to the database, and the tags of their files.
  static func state(_ library: TakeLibrary) throws -> [String] {
    let (shown, trash) = (
      try library.list(count: 1000).takes, try library.trash(count: 1000).takes
    )
    return try (shown.map { ($0, library.path($0)) } + trash.map { ($0, library.trashPath($0)) })
      .map { take, path in "\(path) \(take.json) \(try WaveTags.read(path).metadata)" }
      + library.settings().map { "\($0.key)=\($0.value)" }.sorted()
  }
}
