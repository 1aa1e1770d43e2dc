import DSP
import Foundation
import Library
import Posix
import SoundFiles
import TestSupport
import Testing

/// A data directory, and `syrinx takes` on it.
struct TakesHome {
  let folder: TemporaryFolder
  var home: String { folder.path("home") }

  init() throws { folder = try TemporaryFolder() }

  func takes(
    _ arguments: String..., environment: [String: String] = [:]
  ) throws -> (code: Int32, output: String, errors: String) {
    try NodeProcess.run(["takes", "--home", home] + arguments, environment: environment)
  }

  /// Runs a command that must succeed; returns its output lines.
  func lines(
    _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [String] {
    let result = try NodeProcess.run(["takes", "--home", home] + arguments)
    #expect(
      result.code == 0 && result.errors.isEmpty, "\(result)", sourceLocation: sourceLocation)
    return result.output.split(separator: "\n").map(String.init)
  }

  func library() throws -> TakeLibrary { try TakeLibrary(home: home) }

  /// Records a take as a node does; days are counted from 14 November 2023, 23:13 local time.
  @discardableResult
  func add(
    _ title: String, id: String = Take.newID(), day: Int = 0, frames: Int = 480,
    _ change: (inout Take) -> Void = { _ in }
  ) throws -> Take {
    let date = ZonedDate(
      microseconds: 1_700_000_000_000_000 + day * 86_400_000_000, zoneMinutes: 60)
    var take = Take(id: id, title: title, date: date, rate: 48_000)
    change(&take)
    let library = try library()
    let path = library.recordingPath(take.id)
    var writer = try WaveWriter(path, rate: take.rate, isFine: true)
    let sound = StereoBuffer(frames: frames)
    for frame in 0..<frames { sound.stereo.left[frame] = 0.25 }
    try writer.append(sound.stereo, frames: frames)
    try writer.finish(tags: take.tags)
    return try library.add(take, from: path)
  }

  /// The output on a terminal with a number of columns.
  func terminal(columns: Int, variable: String? = nil, _ words: String...) throws -> String {
    var (near, far): (Int32, Int32) = (0, 0)
    try #require(openpty(&near, &far, nil, nil, nil) == 0)
    var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    #expect(ioctl(far, UInt(TIOCSWINSZ), &size) == 0)
    let process = Process()
    process.executableURL = NodeProcess.binary
    process.arguments = ["takes", "--home", home] + words
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["COLUMNS": variable ?? ""]) { $1 }
    process.standardOutput = FileHandle(fileDescriptor: far)
    try process.run()
    close(far)
    var output = Data()
    var buffer = [UInt8](repeating: 0, count: 4096)
    // The last writer has closed the terminal, which makes reads fail.
    while case let count = read(near, &buffer, buffer.count), count > 0 {
      output += buffer[..<count]
    }
    close(near)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: output, as: UTF8.self).replacingOccurrences(of: "\r\n", with: "\n")
  }
}

/// The objects of a JSON array.
func jsonObjects(_ text: String) throws -> [[String: Any]] {
  try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
}
