/// Markers in a WAV file: the chunk `cue ` with a position for each, and `LIST` of type `adtl` with their
/// names.
package struct WaveCues: Equatable, Sendable {
  /// A marker.
  package struct Cue: Equatable, Sendable {
    /// The frame of the marker.
    package var frame: Int
    /// The name of the marker.
    package var name: String

    /// Creates a marker.
    package init(_ frame: Int, _ name: String) {
      self.frame = frame
      self.name = name
    }
  }

  /// The markers, in the order of their frames.
  package var cues: [Cue]

  /// Creates markers.
  package init(_ cues: [Cue]) { self.cues = cues }

  // Positions have 32 bits, so later markers can't be stored.
  var chunks: [UInt8] {
    let cues = cues.filter { $0.frame <= Int(UInt32.max) }
    if cues.isEmpty { return [] }
    var places = WaveChunk.number(UInt32(cues.count))
    var names = Array("adtl".utf8)
    for (index, cue) in cues.enumerated() {
      let number = WaveChunk.number(UInt32(index + 1))
      let frame = WaveChunk.number(UInt32(cue.frame))
      places += number + frame + Array("data".utf8)
      places += [UInt8](repeating: 0, count: 8) + frame
      names += WaveChunk.bytes("labl", number + Array(cue.name.utf8) + [0])
    }
    return WaveChunk.bytes("cue ", places) + WaveChunk.bytes("LIST", names)
  }
}
