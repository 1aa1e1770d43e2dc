internal import Engine
internal import OSC

/// The guard against howling: it works on the audio thread, and is told and asked here.
final class HowlingGuard: Feature {
  private let context: Context

  init(_ context: Context) { self.context = context }

  private var notches: [Argument] {
    context.engine.shared.notches.all().flatMap {
      [Argument.float($0.hertz), .float($0.decibels)]
    }
  }

  static let addresses: [Address] = [
    Address(
      "/guard/on", .whole(.howlGuard(.on), 0...1), kept: .session,
      "1 guards the inputs against howling: what comes round from the loudspeakers is taken out by "
        + "at most eight narrow notches, without delay"),
    Address(
      "/guard/hold", .number(.howlGuard(.hold), 0...3600), unit: "s", kept: .session,
      "Hold time of each notch, after which it lets go; 0 is until /guard/clear"),
    Address(
      "/guard/notches", Of<HowlingGuard>.reading(types: "ff…", isAnnounced: true) { $0.notches },
      "The frequency in Hz and the depth in dB of each notch, from the lowest on; nothing where "
        + "there is none"),
    Address(
      "/guard/clear",
      Of<HowlingGuard>.command(isButton: true) { _, _ in PlannedCommand(action: .clearGuard) },
      "Lets go of all notches; what howls is found again"),
  ]
}
