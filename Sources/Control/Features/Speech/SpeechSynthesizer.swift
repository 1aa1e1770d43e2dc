internal import DSP
internal import Posix
internal import SoundFiles

/// A speech synthesizer: espeak-ng as a separate process, because its license (GPL) rules out linking.
enum SpeechSynthesizer {
  /// The range of speeds, in words per minute.
  static let speeds = 80...450
  private static let program = "espeak-ng"
  private static let seconds = 3.0
  // More than all loops, one after the other.
  private static let longestText = 1000
  private static let headerBytes = 44

  /// Synthesizes a phrase at a sample rate in Hz.
  ///
  /// Any thread; blocks for about 30 ms, and for at most 3 s.
  static func phrase(
    _ text: String, wordsPerMinute: Int, rate: Int
  ) throws(Refusal) -> [Float] {
    let words = [
      program, "-v", "en-us", "-s", "\(wordsPerMinute)", "-z", "--stdout", "--",
      String(text.prefix(longestText)),
    ]
    let output = try refusing("\(program): ") { () throws(SystemError) in
      try Program.output(of: words, seconds: seconds)
    }
    switch output.ending {
    case .code(0): break
    case .missing:
      throw Refusal(.missing, "speech needs the program \(program): apt install \(program)")
    case .late: throw Refusal(.io, "\(program) took longer than \(Int(seconds)) s")
    case .code(let code): throw Refusal(.io, "\(program) exited with code \(code)")
    case .signal(let signal): throw Refusal(.io, "\(program) was killed by signal \(signal)")
    }
    guard let (samples, ownRate) = samples(output.bytes) else {
      throw Refusal(.io, "\(program) returned no audio")
    }
    return converted(samples, from: ownRate, to: rate)
  }

  /// Decodes a mono 16-bit WAV stream without lengths in its header; returns the rate in Hz, too.
  static func samples(_ bytes: [UInt8]) -> (samples: [Float], rate: Int)? {
    guard bytes.count > headerBytes, bytes.starts(with: Array("RIFF".utf8)) else { return nil }
    let (channels, bits): (UInt16, UInt16) = (
      WaveChunk.number(bytes, at: 22), WaveChunk.number(bytes, at: 34)
    )
    let rate = Int(WaveChunk.number(bytes, at: 24) as UInt32)
    guard channels == 1, bits == 16, (8000...192_000).contains(rate) else { return nil }
    return (
      stride(from: headerBytes, to: bytes.count - 1, by: 2).map {
        Float(Int16(bitPattern: WaveChunk.number(bytes, at: $0))) / 32_768
      }, rate
    )
  }

  private static func converted(_ samples: [Float], from: Int, to rate: Int) -> [Float] {
    if from == rate || samples.isEmpty { return samples }
    var converter = RateConverter(from: from, to: rate)
    let input = StereoBuffer(frames: samples.count)
    for (index, sample) in samples.enumerated() {
      (input.stereo.left[index], input.stereo.right[index]) = (sample, sample)
    }
    let room = RateConverter.frames(samples.count, from: from, to: rate)
    let output = StereoBuffer(frames: room)
    var (taken, made) = (0, 0)
    while taken < samples.count, made < room {
      let done = converter.convert(
        input.stereo.advanced(by: taken), frames: samples.count - taken,
        into: output.stereo.advanced(by: made), room: room - made)
      taken += done.taken
      made += done.made
      if done.taken == 0, done.made == 0 { break }
    }
    while made < room {
      let more = converter.finish(into: output.stereo.advanced(by: made), room: room - made)
      if more == 0 { break }
      made += more
    }
    return Array(UnsafeBufferPointer(start: output.stereo.left, count: made))
  }
}
