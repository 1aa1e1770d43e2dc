internal import Engine

/// Gains, routes, the songs' tempo, mute, and the lock.
///
/// All values are parameters of the engine.
final class Mixer: Feature {
  init(_ context: Context) {}

  static let addresses: [Address] = [
    gain("/in/gain", .mixer(.inGain), "Gain of the inputs, before everything else"),
    gain("/live/gain", .mixer(.liveGain), "Gain of the live input in the mix and on its stem"),
    gain(
      "/harmony/gain", .mixer(.harmonyGain), "Gain of the harmonies in the mix and on their stem"),
    Address("/loop/gain", aliasOf: "/loop/1/gain"),
    gain("/grid/gain", .mixer(.gridGain), "Gain of the grid's notes in the mix and on their stem"),
    gain("/music/gain", .mixer(.musicGain), "Gain of the songs in the mix"),
    gain("/out/gain", .mixer(.outGain), "Gain of the mix, before the limiter"),
    route("/live/route", .mixer(.liveRoute), "Output of the live input"),
    route("/harmony/route", .mixer(.harmonyRoute), "Output of the harmonies"),
    Address("/loop/route", aliasOf: "/loop/1/route"),
    route("/grid/route", .mixer(.gridRoute), "Output of the grid's notes"),
    route("/music/route", .mixer(.musicRoute), "Output of the songs"),
    Address(
      "/music/follow", .whole(.mixer(.musicFollow), 0...1), kept: .session,
      "1 plays songs at the speed of the tempo and at their own pitch, if /music/bpm is their tempo"
    ),
    Address(
      "/music/bpm", .number(.mixer(.musicTempo), 0...300), unit: "bpm", kept: .session,
      "Tempo of the songs, for /music/follow; 0 if it is unknown: they are played at their own speed"
    ),
    Address(
      "/mute", .whole(.mixer(.mute), 0...1), kept: .session,
      "1 mutes the mix, but not the stems"),
    Address(
      "/lock", .whole(.mixer(.lock), 0...1), kept: .session,
      "1 blocks commands that would lose a recording: clear, recording or loading over a clip, undo beyond its first "
        + "layer, and deletion"),
  ]

  private static func gain(_ path: String, _ parameter: Parameter, _ help: String) -> Address {
    Address(
      path, .number(parameter, -90...24), unit: "dB", kept: .session,
      help + "; -90 is silence")
  }

  private static func route(_ path: String, _ parameter: Parameter, _ help: String) -> Address {
    Address(
      path, .choice(parameter, ["chain", "direct", "off"]), kept: .session,
      help + ": through the effects, past them, or to its stem only")
  }
}
