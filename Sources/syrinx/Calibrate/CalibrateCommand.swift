internal import Calibration
internal import Control
internal import Drivers
internal import Engine
internal import OSC
internal import Posix

/// The command `syrinx calibrate`: measures the round trip of the sound card.
enum CalibrateCommand: Command {
  static let page = CommandPage(
    name: "calibrate", summary: "Measure the latency of the sound card that JACK doesn't report.",
    usage: "syrinx calibrate [OPTIONS]",
    options: """
      --out PORT: JACK port that plays the sweeps (default: system:playback_1)
      --in PORT: JACK port that records them (default: system:capture_1)
      --level DB: Peak level of the sweeps, -60 to 0 dBFS (default: -12)
      --loopback: A cable stays between these ports: the node measures it again at each start, and when \
      the rate or the buffer size changes
      -s, --server NAME: Name of the JACK server (default: $JACK_DEFAULT_SERVER, else default)
      --home DIR: Data directory of the node (default: $XDG_DATA_HOME/syrinx, else \
      ~/.local/share/syrinx)
      \(NodePlace.option)
      """,
    details: """
      Connect the output to the input with a cable, or put the microphone next to the loudspeaker:
      each 34 cm add 1 ms. Turn off monitoring. Four sweeps play in seven seconds. The result is the
      difference between the measured round trip and what JACK reports. It is stored in HOME/latency
      for this card, sample rate and buffer size, and sent to a running node (/latency/extra), whose
      overdubs and recordings are compensated from then on. The node uses it again at each start.

      A result that is not certain is refused: no signal, a clipped or noisy input, two arrivals,
      or sweeps that differ.

      Examples:
        syrinx calibrate
        syrinx calibrate --out system:playback_3 --in system:capture_3 --loopback

      Exit codes: 0; 64 for wrong usage; 65 for a refused measurement; 66 without such a port;
      69 without a JACK server; 73 if the result can't be stored.
      """)

  static func run(_ given: CommandPage.Given) throws(Failure) {
    try given.checkNoArguments()
    let level = try given.number("level", Float(-60)...0, "-60 to 0 dBFS")
    let place = try given.place
    let home = try StoredFiles.home(given)
    var measurement = RouteMeasurement(
      output: given["out"] ?? "system:playback_1", input: given["in"] ?? "system:capture_1",
      server: given["server"], decibels: level ?? RouteMeasurement.usualDecibels)
    var bar = ProgressBar()
    measurement.progress = { bar.show(Int($0 * 100), of: 100, "parts") }
    let result = try measurement.measure()
    bar.clear()
    let cable =
      given.has("loopback")
      ? MeasuredLatencies.Cable(output: measurement.output, input: measurement.input) : nil
    do throws(SystemError) {
      try MeasuredLatencies.add(
        MeasuredLatencies.Entry(extra: result.extra, cable: cable), for: result.route, home: home)
    } catch {
      throw Failure(
        .cannotWrite,
        "can't store the result: \(error); /latency/extra is \(hundredths(result.extra))")
    }
    try Failure.print(text(result, home: home) + tell(result, place))
  }

  private static func text(_ result: RouteMeasurement.Result, home: String) -> String {
    let trip = result.trip
    func milliseconds(_ frames: Double) -> String {
      hundredths(frames / Double(result.route.rate) * 1000) + " ms"
    }
    let kind = trip.isAlone ? "a single arrival, as by cable" : "with reflections, as in a room"
    return """
      round trip    \(hundredths(trip.frames)) frames, \(milliseconds(trip.frames)), at \(result.route.rate) Hz \
      with \(result.route.block) frames per buffer
      JACK reports  \(result.reported) frames, \(milliseconds(Double(result.reported)))
      difference    \(hundredths(result.extra)) frames, \(milliseconds(result.extra))
      confidence    \(trip.confidence.rawValue): \(Int(trip.clearance)) dB above the noise, sweeps within \
      \(hundredths(trip.spread)) frames, \(kind)
      stored        \(MeasuredLatencies.path(home: home)), for \(result.route.card)

      """
  }

  /// Sets the result in a running node, and returns a line about it.
  private static func tell(_ result: RouteMeasurement.Result, _ place: NodePlace) -> String {
    do throws(Failure) {
      let conversation = try Conversation(with: place)
      try conversation.send("/latency/extra", [.float(Float(result.extra))])
      try conversation.listen(seconds: nil)
      return "node          /latency/extra is set at \(place.text)\n"
    } catch {
      return "node          not set at \(place.text): \(error.message)\n"
    }
  }
}

/// Returns a number with two decimal places at most.
func hundredths(_ number: Double) -> String { plain((number * 100).rounded() / 100) }
