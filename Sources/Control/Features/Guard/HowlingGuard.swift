internal import Engine
internal import OSC

/// The feedback suppressor of the inputs, which runs on the audio thread.
final class HowlingGuard: Feature {
  private let context: Context

  init(_ context: Context) { self.context = context }

  private var notches: [Argument] {
    context.shared.notches.all().flatMap {
      [Argument.float($0.hertz), .float($0.decibels)]
    }
  }

  static let addresses: [Address] = [
    Address(
      "/guard/on", .whole(.howlGuard(.on), 0...1), kept: .session,
      "1 enables the feedback suppressor of the inputs: "
        + "up to eight narrow notches, without latency"),
    Address(
      "/guard/hold", .number(.howlGuard(.hold), 0...3600), unit: "s", kept: .session,
      "Hold time of a notch; 0 holds it until /guard/clear"),
    Address(
      "/guard/notches", Declaring<HowlingGuard>.reading("ff…") { $0.notches },
      "Frequency in Hz and depth in dB of each notch, in ascending order; empty if there are none"),
    Address(
      "/guard/clear",
      Declaring<HowlingGuard>.command(isButton: true) { _, _ in PlannedCommand(action: .clearGuard)
      },
      "Releases all notches; remaining feedback is detected again"),
  ]
}
