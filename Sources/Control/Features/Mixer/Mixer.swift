internal import Engine

/// Gains, routes and mute: all of it values of the audio's.
final class Mixer: Feature {
  init(_ context: Context) {}

  static let addresses: [Address] = [
    gain("/in/gain", .mixer(.inGain), "Gain of the inputs, before everything"),
    gain("/live/gain", .mixer(.liveGain), "Gain of the live input in the mix and on its stem"),
    Address("/loop/gain", aliasOf: "/loop/1/gain"),
    gain("/grid/gain", .mixer(.gridGain), "Gain of the grid's notes in the mix and on their stem"),
    gain("/music/gain", .mixer(.musicGain), "Gain of the songs in the mix"),
    gain("/out/gain", .mixer(.outGain), "Gain of the mix, before the limiter"),
    route("/live/route", .mixer(.liveRoute), "Where the live input goes"),
    Address("/loop/route", aliasOf: "/loop/1/route"),
    route("/grid/route", .mixer(.gridRoute), "Where the grid's notes go"),
    route("/music/route", .mixer(.musicRoute), "Where the songs go"),
    Address(
      "/mute", .whole(.mixer(.mute), 0...1), kept: .session,
      "1 mutes the mix; the stems go on"),
  ]

  private static func gain(_ path: String, _ parameter: Parameter, _ help: String) -> Address {
    Address(
      path, .number(parameter, -90...24), unit: "dB", kept: .session,
      help + "; -90 is silence")
  }

  private static func route(_ path: String, _ parameter: Parameter, _ help: String) -> Address {
    Address(
      path, .choice(parameter, ["chain", "direct", "off"]), kept: .session,
      help + ": through the effects, past them, or nowhere but to its stem")
  }
}
