/// The beat that a clip goes by, as its file tells it: to all programs by the chunk that they know, and
/// to this one exactly.
package struct WaveBeat: Equatable, Sendable {
  /// The length of a round of the clip, in frames: its length, or up to a frame less.
  package var round: Double
  /// The tempo, in beats a minute.
  package var tempo: Float
  /// The beats of a bar.
  package var beatsPerBar: Int

  /// A clip whose round takes so many frames.
  package init(round: Double, tempo: Float, beatsPerBar: Int) {
    self.round = round
    self.tempo = tempo
    self.beatsPerBar = beatsPerBar
  }

  static let name = "acid"
  static let ownName = "sbea"

  /// The number of beats of a clip at a rate in Hz.
  package func beats(rate: Int) -> Int {
    max(1, Int((round / Double(rate) * Double(tempo) / 60).rounded()))
  }

  // Sonic Foundry's chunk: flags (a loop), root note, unknown, unknown, beats, meter, tempo.
  func chunks(rate: Int) -> [UInt8] {
    let common =
      WaveChunk.number(UInt32(0)) + WaveChunk.number(UInt16(60)) + WaveChunk.number(UInt16(0x8000))
      + WaveChunk.number(Float(0).bitPattern) + WaveChunk.number(UInt32(beats(rate: rate)))
      + WaveChunk.number(UInt16(4)) + WaveChunk.number(UInt16(clamping: beatsPerBar))
      + WaveChunk.number(tempo.bitPattern)
    let own =
      WaveChunk.number(round.bitPattern) + WaveChunk.number(tempo.bitPattern)
      + WaveChunk.number(UInt32(clamping: beatsPerBar)) + WaveChunk.number(UInt32(clamping: rate))
    return WaveChunk.bytes(Self.name, common) + WaveChunk.bytes(Self.ownName, own)
  }

  /// The beat that our own chunk tells, with the rate of its frames in Hz; nil where that is none.
  init?(_ bytes: [UInt8], rate: inout Int) {
    guard bytes.count >= 20 else { return nil }
    round = Double(bitPattern: WaveChunk.number(bytes, at: 0))
    tempo = Float(bitPattern: WaveChunk.number(bytes, at: 8))
    beatsPerBar = Int(WaveChunk.number(bytes, at: 12) as UInt32)
    rate = Int(WaveChunk.number(bytes, at: 16) as UInt32)
    guard round.isFinite, round > 0, tempo.isFinite, tempo > 0, rate > 0 else { return nil }
  }
}
