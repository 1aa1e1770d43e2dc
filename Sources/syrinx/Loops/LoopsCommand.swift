internal import Control
internal import DSP
internal import Engine
internal import Glibc
internal import LoopFiles
internal import Posix
internal import SoundFiles

/// The command `syrinx loops`: reads a file of saved loops, also a damaged one.
enum LoopsCommand: Command {
  static let page = CommandPage(
    name: "loops", summary: "List and export the loops in a journal file, also a damaged one.",
    usage: "syrinx loops list FILE | export FILE FOLDER [OPTIONS]",
    options: """
      --steps: export: also each version that undo and redo reach
      """,
    details: """
      A node saves its loops in loops/NAME/journal in its data directory. It moves a damaged file to
      journal.bad, and one with loops that don't fit to journal.aside; the newest three damaged files
      are kept. FILE can be any of them. It is not changed, and a node may be using it.

      `list` prints one line per loop. `export` writes each loop into FOLDER as loop-1.wav and so on,
      in 32-bit floating-point samples, and replaces existing files. Lost parts are silent.

        syrinx loops list ~/.local/share/syrinx/loops/syrinx/journal.bad
        syrinx loops export journal.bad rescued --steps

      Exit codes: 0; 64 for wrong usage; 65 for a file that is no journal; 66 for a missing file; 73 if
      a file can't be written.
      """)

  static func run(_ given: CommandPage.Given) throws(Failure) {
    switch (given.rest.first, given.rest.count) {
    case ("list", 2):
      guard !given.has("steps") else { throw Failure(.usage, "--steps is for export only") }
      try list(try archive(given.rest[1]))
    case ("export", 3):
      try export(try archive(given.rest[1]), to: given.rest[2], withSteps: given.has("steps"))
    default:
      throw Failure(
        .usage,
        "`syrinx loops` takes list and a file, or export, a file and a folder; got "
          + (given.rest.isEmpty ? "nothing" : given.rest.map(quoted).joined(separator: " ")))
    }
  }

  /// Reads a file, and reports damage in it.
  private static func archive(_ path: String) throws(Failure) -> LoopArchive {
    let read = try Failure.of(.missingInput, "can't read ", try LoopArchive.read(path))
    guard let (archive, damage) = read else {
      throw Failure(.badInput, "\(path) is no journal of loops of this version")
    }
    if let damage { Environment.say(damage) }
    return archive
  }

  private static func list(_ archive: LoopArchive) throws(Failure) {
    for slot in archive.slots {
      let version = slot.current
      let seconds = Double(version.frames) / Double(max(slot.rate, 1))
      let layers = version.layers == 1 ? "1 overdub" : "\(version.layers) overdubs"
      try Failure.print(
        "loop \(slot.number + 1): \(plain((seconds * 1000).rounded() / 1000)) s at \(slot.rate) Hz, "
          + "\(layers), step \(slot.place + 1) of \(slot.versions.count)\n")
    }
  }

  private static func export(
    _ archive: LoopArchive, to folder: String, withSteps: Bool
  ) throws(Failure) {
    try Failure.of(.cannotWrite, "can't write ", try Files.makeFolder(folder))
    for slot in archive.slots {
      for (step, version) in slot.versions.enumerated()
      where version.frames > 0 && (withSteps || step == slot.place) {
        let name =
          "loop-\(slot.number + 1)" + (step == slot.place ? "" : "-step-\(step + 1)") + ".wav"
        try export(archive, version, rate: slot.rate, to: "\(folder)/\(name)")
      }
    }
  }

  private static func export(
    _ archive: LoopArchive, _ version: LoopVersion, rate: Int, to path: String
  ) throws(Failure) {
    let page = StereoBuffer(frames: LoopRecord.pageFrames)
    try Failure.of { () throws(SoundFileError) in
      var writer = try SoundWriter(
        path, rate: rate, isFine: true, expectedFrames: version.frames)
      for start in stride(from: 0, to: version.frames, by: page.frames) {
        if let offset = version.page(start / page.frames) {
          // Both channels of the page are next to each other, as in the file.
          try system(try archive.read(offset, into: page.stereo.left)) {
            SoundFileError(.missing, "can't read \($0)")
          }
        } else {
          page.stereo.left.update(repeating: 0, count: 2 * page.frames)
        }
        try writer.write(page.stereo, frames: min(page.frames, version.frames - start))
      }
      try writer.finish()
    }
  }
}
