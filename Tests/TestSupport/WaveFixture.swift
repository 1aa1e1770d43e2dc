internal import DSP
internal import Foundation
package import SoundFiles

/// WAV files for tests, made by the writer under test.
package enum WaveFixture {
  /// Writes a WAV file in blocks.
  package static func write(
    _ path: String, _ left: [Float], _ right: [Float]? = nil, rate: Int = 48_000,
    isFine: Bool = true, block: Int = 1000, tags: WaveTags? = nil
  ) throws(SoundFileError) {
    var writer = try WaveWriter(path, rate: rate, isFine: isFine)
    try append(left, right, block: block, to: &writer)
    try writer.finish(tags: tags)
  }

  /// Appends sound to a writer in blocks.
  package static func append(
    _ left: [Float], _ right: [Float]? = nil, block: Int = 1000, to writer: inout WaveWriter
  ) throws(SoundFileError) {
    let right = right ?? left
    let buffer = StereoBuffer(frames: block)
    for start in stride(from: 0, to: left.count, by: block) {
      let frames = min(block, left.count - start)
      for frame in 0..<frames {
        buffer.stereo.left[frame] = left[start + frame]
        buffer.stereo.right[frame] = right[start + frame]
      }
      try writer.append(buffer.stereo, frames: frames)
    }
  }

  /// Reads the markers of a WAV file.
  package static func cues(of path: String) throws -> WaveCues {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let chunks = try WaveLayout(path).chunks
    guard let cues = chunks.first(where: { $0.name == "cue " }) else { return WaveCues([]) }
    guard let list = chunks.first(where: { $0.name == "LIST" }) else {
      throw Fault("\(path) has markers without names")
    }
    var names: [UInt32: String] = [:]
    var place = list.content + 4
    while place < list.content + list.count {
      let count = Int(WaveChunk.number(bytes, at: place + 4) as UInt32)
      let content = place + WaveChunk.headBytes
      guard content + count <= list.content + list.count else { throw Fault("a name is too long") }
      let text = bytes[content + 4..<content + count - 1]
      names[WaveChunk.number(bytes, at: content)] = String(decoding: text, as: UTF8.self)
      place = content + count + count % 2
    }
    return WaveCues(
      stride(from: cues.content + 4, to: cues.content + cues.count, by: 24).map { place in
        let number: UInt32 = WaveChunk.number(bytes, at: place)
        let frame: UInt32 = WaveChunk.number(bytes, at: place + 4)
        return WaveCues.Cue(Int(frame), names[number] ?? "")
      })
  }

  /// A WAV stream of 16 bits without lengths, as programs write to a pipe.
  package static func stream(
    _ samples: [Int16], rate: UInt32 = 22_050, channels: UInt16 = 1, bits: UInt16 = 16
  ) -> [UInt8] {
    Array("RIFF\u{7f}\u{7f}\u{7f}\u{7f}WAVEfmt ".utf8) + WaveChunk.number(UInt32(16))
      + WaveChunk.number(UInt16(1)) + WaveChunk.number(channels) + WaveChunk.number(rate)
      + WaveChunk.number(2 * rate) + WaveChunk.number(UInt16(2)) + WaveChunk.number(bits)
      + Array("data".utf8) + WaveChunk.number(UInt32(0x7FFF_F000))
      + samples.flatMap { WaveChunk.number($0) }
  }
}
