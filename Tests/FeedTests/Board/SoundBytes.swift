import Foundation
import TestSupport

/// Sounds as they are posted, and malformed ones.
enum SoundBytes {
  /// A WAV file of silence with `frames` frames at 12 kHz.
  static func wave(frames: Int = 1200) -> [UInt8] {
    let data = [UInt8](repeating: 0, count: frames * 2)
    let format =
      number(1, 2) + number(1, 2) + number(12_000, 4) + number(24_000, 4)
      + number(2, 2) + number(16, 2)
    return chunk("RIFF", Array("WAVE".utf8) + chunk("fmt ", format) + chunk("data", data))
  }

  /// An MPEG-4 header with a duration, like that of a phone's recording.
  static func movie(scale: Int = 12_000, length: Int = 30_000) -> [UInt8] {
    let header =
      [UInt8](repeating: 0, count: 12) + big(scale) + big(length)
      + [UInt8](repeating: 0, count: 80)
    return box("ftyp", Array("M4A ".utf8) + big(0)) + box("mdat", [1, 2, 3])
      + box("moov", box("mvhd", header))
  }

  /// AAC frames at 44.1 kHz.
  static func frames(_ count: Int) -> [UInt8] {
    // 16 bytes each, with a header of 7.
    let header: [UInt8] = [0xFF, 0xF1, 0x50, 0x40, 0x02, 0x00, 0xFC]
    return (0..<count).flatMap { _ in header + [UInt8](repeating: 7, count: 9) }
  }

  /// The first bytes of a sound file, followed by garbage.
  static func pretending(_ head: [UInt8]) -> [UInt8] {
    head + (0..<2000).map { UInt8(truncatingIfNeeded: $0 * 37 + 11) }
  }

  static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
    big(content.count + 8) + Array(name.utf8) + content
  }

  private static func big(_ value: Int) -> [UInt8] { number(value, 4).reversed() }

  private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    Array(name.utf8) + number(content.count, 4) + content
  }

  private static func number(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
