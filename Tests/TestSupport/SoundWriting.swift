internal import CSndfile

/// The compressed formats that libsndfile writes.
package enum SoundWriting: String, Sendable {
  case flac, ogg, mp3

  /// Writes seconds of a mono tone at 44.1 kHz.
  package func write(_ path: String, seconds: Int) throws {
    var info = SF_INFO()
    info.samplerate = 44_100
    info.channels = 1
    info.format =
      switch self {
      case .flac: Int32(SF_FORMAT_FLAC | SF_FORMAT_PCM_16)
      case .ogg: Int32(SF_FORMAT_OGG | SF_FORMAT_VORBIS)
      case .mp3: Int32(SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III)
      }
    guard let file = sf_open(path, Int32(SFM_WRITE), &info) else { throw Fault("can't write") }
    let samples = (0..<44_100 * seconds).map { Float($0 % 100) / 200 }
    sf_writef_float(file, samples, sf_count_t(samples.count))
    sf_close(file)
  }
}
