/// The beat of a clip, stored in its file: in the chunk that other programs read, and with full precision in
/// a chunk of our own.
package struct WaveBeat: Equatable, Sendable {
  /// The loop length in frames: the length of the clip, or up to one frame less.
  package var round: Double
  /// The tempo in beats per minute.
  package var tempo: Float
  /// The number of beats per bar.
  package var beatsPerBar: Int

  /// Creates the beat of a clip from its loop length in frames.
  package init(round: Double, tempo: Float, beatsPerBar: Int) {
    self.round = round
    self.tempo = tempo
    self.beatsPerBar = beatsPerBar
  }

  static let name = "acid"
  static let ownName = "sbea"

  /// Returns the number of beats in the clip, for a sample rate in Hz.
  package func beats(rate: Int) -> Int {
    max(1, Int((round / Double(rate) * Double(tempo) / 60).rounded()))
  }

  // Sonic Foundry's `acid` chunk: flags (0 for a loop, 1 for a one-shot), root note, unknown, unknown, beats,
  // meter, tempo.
  func chunks(rate: Int, isLoop: Bool = true) -> [UInt8] {
    let common =
      WaveChunk.number(UInt32(isLoop ? 0 : 1)) + WaveChunk.number(UInt16(60))
      + WaveChunk.number(UInt16(0x8000))
      + WaveChunk.number(Float(0).bitPattern) + WaveChunk.number(UInt32(beats(rate: rate)))
      + WaveChunk.number(UInt16(4)) + WaveChunk.number(UInt16(clamping: beatsPerBar))
      + WaveChunk.number(tempo.bitPattern)
    let own =
      WaveChunk.number(round.bitPattern) + WaveChunk.number(tempo.bitPattern)
      + WaveChunk.number(UInt32(clamping: beatsPerBar)) + WaveChunk.number(UInt32(clamping: rate))
    return WaveChunk.bytes(Self.name, common) + WaveChunk.bytes(Self.ownName, own)
  }

  /// Parses our own chunk, and sets the sample rate in Hz that its frames refer to.
  ///
  /// Returns nil if it is malformed.
  init?(_ bytes: [UInt8], rate: inout Int) {
    guard bytes.count >= 20 else { return nil }
    round = Double(bitPattern: WaveChunk.number(bytes, at: 0))
    tempo = Float(bitPattern: WaveChunk.number(bytes, at: 8))
    beatsPerBar = Int(WaveChunk.number(bytes, at: 12) as UInt32)
    rate = Int(WaveChunk.number(bytes, at: 16) as UInt32)
    guard round.isFinite, round > 0, tempo.isFinite, tempo > 0, rate > 0 else { return nil }
  }
}
