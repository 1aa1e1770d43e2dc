import Foundation

/// A WAV file that contains a loop.
enum LoopedWave {
  /// Writes 16-bit silence.
  ///
  /// `loop` ends after its last frame.
  static func write(_ path: String, frames: Int, loop: Range<Int>) throws {
    typealias Font = SoundFontFixture
    let format =
      Font.word(1) + Font.word(1) + Font.long(44_100) + Font.long(88_200) + Font.word(2)
      + Font.word(16)
    // The file stores the last frame of the loop.
    let numbers = [
      0, 0, 22_676, 60, 0, 0, 0, 1, 0, 0, 0, loop.lowerBound, loop.upperBound - 1, 0, 0,
    ]
    let bytes =
      Array("WAVE".utf8) + Font.chunk("fmt ", format)
      + Font.chunk("smpl", numbers.flatMap(Font.long))
      + Font.chunk("data", [UInt8](repeating: 0, count: 2 * frames))
    try Data(Font.chunk("RIFF", bytes)).write(to: URL(fileURLWithPath: path))
  }
}
