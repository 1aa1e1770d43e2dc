package import Engine
internal import OSC

/// The latency of the sound card that the server doesn't report, by which overdubs and recordings are
/// compensated.
package final class Latency: Feature {
  // Half a second at 96 kHz.
  private static let most = 50_000.0

  /// Called when the card, its rate or its buffer size has changed, or the server was restarted, and the
  /// measurement of the card, if there is one, is in use.
  package var whenRouteChanged: (SoundRoute, MeasuredLatencies) -> Void = { _, _ in }
  private let context: Context
  private var changesSeen = -1
  // A card may come up in another state with a restart of the server.
  private var wasGone = false
  /// The present card with its settings.
  package private(set) var route: SoundRoute?
  // The route of the session's value, until a route is known.
  private var restoredRoute: SoundRoute?
  private var extra = 0.0 {
    didSet { context.shared.setExtraDelay(Int(extra.rounded())) }
  }

  init(_ context: Context) { self.context = context }

  /// Uses the measurement of another card, rate or buffer size.
  func poll(_ now: Double) -> Int? {
    // Changes wake the control thread.
    let status = context.soundServer.status
    guard status.portChanges != changesSeen else { return nil }
    changesSeen = status.portChanges
    if !status.isRunning { wasGone = true }
    // While nothing is connected, the last card is the likely one.
    guard let route = context.soundServer.route, route != self.route || wasGone else { return nil }
    wasGone = false
    let measured = context.setup.home.map(MeasuredLatencies.read) ?? MeasuredLatencies()
    if route != self.route { useMeasurement(measured[route], of: route) }
    whenRouteChanged(route, measured)
    return nil
  }

  /// Uses the measurement of a card that is new; without one, keeps the session's value for it.
  private func useMeasurement(_ entry: MeasuredLatencies.Entry?, of route: SoundRoute) {
    let isKnown = (self.route ?? restoredRoute).map { $0 == route } ?? true
    self.route = route
    restoredRoute = nil
    if let entry {
      use(entry.extra)
    } else if !isKnown {
      use(0)
    }
  }

  /// Uses a new measurement, if it is of the present card, rate and buffer size.
  package func use(_ entry: MeasuredLatencies.Entry, of measured: SoundRoute) {
    if measured == route { use(entry.extra) }
  }

  private func use(_ frames: Double) {
    guard frames != extra else { return }
    extra = min(Self.most, max(-Self.most, frames))
    context.changed(Self.path)
    context.keeper.stateChanged()
  }
}

// MARK: - Addresses

extension Latency {
  private static let path = "/latency/extra"
  private typealias Declared = Declaring<Latency>

  static let addresses: [Address] = [
    Address(
      path,
      Declared.setting([.needed("", .number, in: -most...most)]) {
        [.float(Float($0.extra))]
      } write: { latency, request in
        latency.extra = request.number(0) ?? 0
      },
      unit: "frames",
      // With the card that it is for: it says nothing about another one.
      kept: Declared.kept(.session) { latency in
        guard latency.extra != 0 else { return nil }
        let route = latency.route ?? latency.restoredRoute
        return "\(latency.extra)" + (route.map { " \($0.rate) \($0.block) \($0.card)" } ?? "")
      } restore: { latency, text in
        latency.restore(text)
        return []
      },
      "Latency of the sound card's round trip beyond what JACK reports, which recordings and overdubs compensate; "
        + "`syrinx calibrate` measures and sets it")
  ]

  private func restore(_ text: String) {
    let words = text.split(separator: " ", maxSplits: 3).map(String.init)
    guard let frames = words.first.flatMap(Double.init), abs(frames) <= Self.most else { return }
    if words.count == 4, let rate = Int(words[1]), let block = Int(words[2]) {
      let restored = SoundRoute(card: words[3], rate: rate, block: block)
      if let route, route != restored { return }
      restoredRoute = restored
    }
    extra = frames
    context.changed(Self.path)
  }
}
