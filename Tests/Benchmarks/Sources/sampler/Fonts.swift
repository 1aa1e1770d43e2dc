/// The SoundFonts to be played, generated for the measurements.
enum Fonts {
  /// A tone of `hertz` Hz at key 60 with a seamless loop, which starts at full level.
  static func tone(_ hertz: Int, in folder: String) throws -> String {
    var font = SoundFontFixture()
    // 24 bits: the noise of 16 bits is only 98 dB down.
    let sound = (0..<4864).map { frame in
      // Not at phase 0: the first frame must not be silent.
      let phase = (Double(frame * hertz % 48_000) / 48_000) * 2 * Double.pi
      return Int((8_000_000 * Measure.cosine(phase)).rounded())
    }
    font.sound = sound.flatMap { SoundFontFixture.word($0 >> 8) }
    font.fine = sound.map { UInt8(truncatingIfNeeded: $0) }
    // 4704 frames are a whole number of periods of 1, 5 and 10 kHz.
    font.samples = [
      SoundFontFixture.Sample(start: 0, end: 4864, loop: 48..<4752, rate: 48_000, root: 60)
    ]
    font.instruments = [[SoundFontFixture.Zone([(54, 1), (53, 0)])]]
    let path = "\(folder)/tone-\(hertz).sf2"
    try font.write(path)
    return path
  }

  /// A rich sound with envelope, filter and pan, with keys a tenth of a semitone apart.
  static func rich(in folder: String) throws -> String {
    var font = SoundFontFixture()
    let frames = 48_000
    font.sound = (0..<frames + 64).flatMap { frame in
      let phase = Double(frame % 240) / 240 * 2 * Double.pi
      let wave = (1...12).reduce(0.0) { $0 + Measure.cosine(phase * Double($1)) / Double($1) }
      return SoundFontFixture.word(Int((8000 * wave).rounded()))
    }
    font.samples = [
      SoundFontFixture.Sample(
        start: 0, end: frames + 64, loop: 240..<frames - 240, rate: 48_000, root: 60)
    ]
    font.instruments = [
      [
        // Cutoff 3 kHz, resonance 6 dB, panned, a long decay to -6 dB, 10 cents per key.
        SoundFontFixture.Zone([
          (8, 10_200), (9, 60), (17, 120), (36, 4000), (37, 60), (56, 10), (54, 1), (53, 0),
        ])
      ]
    ]
    let path = "\(folder)/rich.sf2"
    try font.write(path)
    return path
  }
}
