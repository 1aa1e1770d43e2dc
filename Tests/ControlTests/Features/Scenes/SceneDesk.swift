import Control
import Engine
import Foundation
import InstrumentFiles
import Library
import OSC
import TestSupport
import Testing

/// A desk with a data directory for scenes and set lists.
final class SceneDesk {
  let root = FileManager.default.temporaryDirectory.appendingPathComponent(
    "syrinx-scenes-\(UUID().uuidString)")
  let desk: Desk

  init() throws {
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    desk = Desk(
      presets: PresetLibrary(shipped: Project.file("Presets").path), home: root.path,
      instruments: InstrumentLibrary(home: root.path))
    desk.awaitDisk()
  }

  deinit { try? FileManager.default.removeItem(at: root) }

  /// Writes a file by hand.
  func put(_ text: String, _ folder: String, _ name: String) throws {
    let folder = root.appendingPathComponent(folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try text.write(
      to: folder.appendingPathComponent("\(name).json"), atomically: false, encoding: .utf8)
  }

  func text(_ folder: String, _ name: String) throws -> String {
    try String(
      contentsOf: root.appendingPathComponent("\(folder)/\(name).json"), encoding: .utf8)
  }

  /// Sends a message, and returns its result: the last word of the reply, or the code and message of the
  /// error.
  @discardableResult
  func result(_ address: String, _ arguments: Argument...) -> String {
    let ends = ["/reply", "/error", "/scene/checked"]
    var all = desk.give([UInt8](address: address, arguments))
    desk.pass(until: "\(address) is answered", seconds: 64 / 48_000) {
      all += desk.take()
      return all.contains { ends.contains($0.address) }
    }
    let last = all.last { $0.address == "/reply" || $0.address == "/error" }
    guard let last else { return "" }
    return last.address == "/reply"
      ? last.arguments.last?.text ?? ""
      : "\(last.arguments[1].text ?? ""): \(last.arguments[2].text ?? "")"
  }

  /// The value of an address, as plain texts and numbers.
  func values(_ address: String) -> [String] {
    (desk.tell(address).last { $0.address == address }?.arguments ?? []).map { argument in
      argument.text ?? argument.number.map { "\(Float($0))" } ?? ""
    }
  }

  func value(_ address: String) -> String { values(address).first ?? "" }

  /// Records a loop of a tone, and stops it.
  func record(_ loop: Int, hertz: Double, frames: Int = 24_000) {
    desk.tell("/loop/\(loop)/record")
    _ = desk.play(Tone.sine(hertz, frames: frames))
    desk.tell("/loop/\(loop)/record")
    _ = desk.play(Tone.constant(0, frames: 640))
    desk.tell("/loop/\(loop)/stop")
    _ = desk.play(Tone.constant(0, frames: 9600))
    #expect(value("/loop/\(loop)/state") == "stopped")
  }
}
