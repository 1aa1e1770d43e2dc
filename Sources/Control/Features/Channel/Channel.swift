internal import DSP
internal import Engine
internal import OSC

/// The channel strip of the live input: low cut, gate and compressor.
///
/// All values are parameters of the engine, except the present gains.
final class Channel: Feature {
  private let context: Context
  private var reading = PolledReading(path)

  init(_ context: Context) { self.context = context }

  /// The gains of gate and compressor in dB, in steps of 0.1 dB.
  private var gains: [Argument] {
    [Level.decibels(context.shared.channel.gate), context.shared.channel.level].map {
      .float((max($0, Level.silenceDecibels) * 10).rounded() / 10)
    }
  }

  /// Announces the gains to subscribers when they change.
  func poll(_ now: Double) -> Int? { reading.poll(context, gains) }
}

extension Channel {
  private static let path = "/channel"

  static let addresses: [Address] = [
    number(
      "/lowcut", .lowCut, 0...1000, unit: "Hz",
      "Cutoff of the input's high-pass filter, 18 dB per octave; 0 turns it off"),
    flag("/gate/on", .gateOn, "1 enables the noise gate of the input, without latency"),
    number(
      "/gate/threshold", .gateThreshold, -90...0, unit: "dB",
      "Level at which the gate opens; it stays open down to 6 dB below"),
    number(
      "/gate/hold", .gateHold, 0...2, unit: "s",
      "Hold time of the gate, at least 0.02 s"),
    number(
      "/gate/range", .gateRange, -90...0, unit: "dB",
      "Gain of the closed gate; -90 is silence"),
    flag("/level/on", .levelOn, "1 enables the compressor of the input, without latency"),
    number(
      "/level/amount", .levelAmount, 0...1,
      "Amount of compression, with make-up gain: peaks of -12 dBFS keep their level, and soft sounds become louder"
    ),
    Address(
      path, Declaring<Channel>.reading("ff", isAnnounced: false) { $0.gains }, unit: "dB",
      "Current gains of gate and compressor; sent to subscribers on change, up to 30 times per second"
    ),
    Address(
      "/in/processed", .whole(.channel(.isRecorded), 0...1), kept: .session,
      "1 records the input after low cut, gate and compressor in loops and captures, instead of before"
    ),
  ]

  private static func flag(
    _ path: String, _ parameter: Parameter.Channel, _ help: String
  ) -> Address {
    Address(
      path, .whole(.channel(parameter), 0...1), belongsToPreset: true, kept: .session, help)
  }

  private static func number(
    _ path: String, _ parameter: Parameter.Channel, _ range: ClosedRange<Float>,
    unit: String = "", _ help: String
  ) -> Address {
    Address(
      path, .number(.channel(parameter), range), unit: unit, belongsToPreset: true,
      kept: .session, help)
  }
}
