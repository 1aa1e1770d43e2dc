internal import DSP
internal import Engine

/// Peak meters for several readers.
///
/// Each receives the peaks since its own last read.
final class LevelReaders {
  /// A reader of the meters.
  enum Reader: Int, CaseIterable {
    case subscribers
    /// The status line on the terminal.
    case terminal
  }

  private var pending = Array(
    repeating: Array(repeating: Float(0), count: Meters.Channel.allCases.count),
    count: Reader.allCases.count)

  /// Returns and resets the peaks of a reader: dB in the order of `/meter`, with the limiter's gain
  /// reduction.
  func collect(for reader: Reader, _ engine: Engine) -> [Float] {
    for channel in Meters.Channel.allCases {
      let peak = engine.shared.meters.collect(channel)
      for index in pending.indices {
        pending[index][channel.rawValue] = max(pending[index][channel.rawValue], peak)
      }
    }
    return Meters.Channel.allCases.map { channel in
      let peak = pending[reader.rawValue][channel.rawValue]
      pending[reader.rawValue][channel.rawValue] = 0
      return Level.decibels(channel == .limiter ? max(peak, 1) : peak)
    }
  }
}
