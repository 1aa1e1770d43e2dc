/// The kind of a posted sound file, detected by its first bytes.
package enum SoundKind: String, CaseIterable, Sendable {
  case wav, flac, ogg, mp3
  /// AAC in an MPEG-4 file, as recorded by phones.
  case m4a
  /// Raw AAC (ADTS).
  case aac

  /// The media type.
  package var type: String {
    switch self {
    case .mp3: "audio/mpeg"
    case .m4a: "audio/mp4"
    case .wav, .flac, .ogg, .aac: "audio/\(rawValue)"
    }
  }

  /// Whether the format can be decoded without an external program.
  package var isReadHere: Bool { self != .m4a && self != .aac }

  /// Detects the kind, or returns nil for other formats.
  package init?(_ bytes: some Collection<UInt8>) {
    let head = Array(bytes.prefix(16))
    func has(_ text: String, at place: Int = 0) -> Bool {
      head.dropFirst(place).starts(with: text.utf8)
    }
    switch true {
    case (has("RIFF") || has("RF64")) && has("WAVE", at: 8): self = .wav
    case has("fLaC"): self = .flac
    case has("OggS"): self = .ogg
    case has("ftyp", at: 4): self = .m4a
    case has("ID3"): self = .mp3
    case head.count >= 4 && head[0] == 0xFF && head[1] & 0xF6 == 0xF0: self = .aac
    case head.count >= 4 && head[0] == 0xFF && Self.isMP3Frame(head): self = .mp3
    default: return nil
    }
  }

  /// Whether the bytes begin an MPEG layer III frame with a valid bit rate and sample rate.
  private static func isMP3Frame(_ head: [UInt8]) -> Bool {
    head[1] & 0xE0 == 0xE0 && head[1] & 0x18 != 0x08 && head[1] & 0x06 == 0x02
      && head[2] & 0xF0 != 0xF0 && head[2] & 0x0C != 0x0C
  }
}
