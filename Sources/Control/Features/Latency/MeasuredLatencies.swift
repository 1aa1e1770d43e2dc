package import Engine
package import Posix

/// The file of measured round trips in the data directory, `latency`.
///
/// Each line has the rate, the buffer size, the extra latency in frames, the ports of a permanent loopback
/// cable or two dashes, and the card, separated by tabs.
package struct MeasuredLatencies: Equatable, Sendable {
  /// A measurement.
  package struct Entry: Equatable, Sendable {
    /// The difference between the round trip and what the server reports, in frames.
    package var extra: Double
    /// The ports of a loopback cable that stays; nil without one.
    package var cable: Cable?

    /// Creates an entry.
    package init(extra: Double, cable: Cable? = nil) {
      self.extra = extra
      self.cable = cable
    }
  }

  /// The ports that a loopback cable connects.
  package struct Cable: Equatable, Sendable {
    /// The full names of the ports on the server.
    package var output: String, input: String

    /// Creates a cable.
    package init(output: String, input: String) {
      self.output = output
      self.input = input
    }
  }

  private var entries: [SoundRoute: Entry] = [:]

  /// Creates an empty file.
  package init() {}

  /// Parses a file, without the lines that are damaged.
  package init(_ text: String) {
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 6, let rate = Int(fields[0]), let block = Int(fields[1]),
        let extra = Double(fields[2]), extra.isFinite, !fields[5].isEmpty
      else { continue }
      let hasCable = fields[3] != "-" && fields[4] != "-"
      entries[SoundRoute(card: fields[5], rate: rate, block: block)] = Entry(
        extra: extra, cable: hasCable ? Cable(output: fields[3], input: fields[4]) : nil)
    }
  }

  /// The text of the file.
  package var text: String {
    let lines = entries.map { route, entry in
      let ports = [entry.cable?.output ?? "-", entry.cable?.input ?? "-"].map(Self.field)
      let extra = (entry.extra * 100).rounded() / 100
      return (["\(route.rate)", "\(route.block)", "\(extra)"] + ports + [Self.field(route.card)])
        .joined(separator: "\t") + "\n"
    }
    return lines.sorted().joined()
  }

  private static func field(_ name: String) -> String {
    String(name.map { $0 == "\t" || $0 == "\n" ? " " : $0 })
  }

  /// The measurement of a route; nil without one.
  package subscript(route: SoundRoute) -> Entry? {
    get { entries[Self.named(route)] }
    set { entries[Self.named(route)] = newValue }
  }

  private static func named(_ route: SoundRoute) -> SoundRoute {
    SoundRoute(card: field(route.card), rate: route.rate, block: route.block)
  }

  /// The loopback cable of a card, measured at any rate and buffer size; nil without one.
  package func cable(of card: String) -> Cable? {
    let name = Self.field(card)
    return entries.first { $0.key.card == name && $0.value.cable != nil }?.value.cable
  }

  // MARK: - Files

  /// The path of the file in a data directory.
  package static func path(home: String) -> String { home + "/latency" }

  /// Reads the file of a data directory; empty if there is none.
  package static func read(home: String) -> MeasuredLatencies {
    MeasuredLatencies(Files.read(path(home: home)) ?? "")
  }

  /// Adds a measurement to the file of a data directory.
  package static func add(
    _ entry: Entry, for route: SoundRoute, home: String
  ) throws(SystemError) {
    try Files.makeFolder(home)
    var all = read(home: home)
    all[route] = entry
    try Files.write(all.text, to: path(home: home))
  }
}
