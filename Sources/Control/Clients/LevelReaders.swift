internal import DSP
internal import Engine

/// Shares the meters among those who read them: each has the peaks since its own last time.
final class LevelReaders {
  /// A reader of the meters.
  enum Reader: Int, CaseIterable {
    case subscribers
    /// The program's own line on the terminal.
    case terminal
  }

  private var pending = Array(
    repeating: Array(repeating: Float(0), count: Meters.Channel.allCases.count),
    count: Reader.allCases.count)

  /// The peaks in dB in the order of `/meter`, and by how much the limiter turned down.
  func take(for reader: Reader, _ engine: Engine) -> [Float] {
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
