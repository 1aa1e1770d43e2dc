/// The search for the cause: from what only one cause explains to what remains.
extension LateEpisode {
  // A cause explains a delay if it accounts for this share of it.
  private static let share = 0.5
  // Minor page faults cost about a microsecond each; fewer are usual.
  private static let manyFaults = 200
  private static let lowFrequency = 0.6

  /// The cause of the lateness.
  package var verdict: Verdict {
    if system.suspended > 1000 {
      return Verdict(.suspend, "the machine was suspended for \(Self.text(system.suspended))")
    }
    if system.continues > 0 {
      return Verdict(
        .stopped,
        server?.wasStopped ?? false
          ? "the node and the sound server were stopped"
          : "the node was stopped by a signal or a debugger")
    }
    if isOwnLong { return ownVerdict }
    if apart > Self.share * period, own.wait >= Self.share * apart { return starved(own.wait) }
    if isServerLate, let verdict = serverVerdict { return verdict }
    if let verdict = clientVerdict { return verdict }
    return remaining
  }

  // The least time that a cause must account for, in microseconds.
  private var needed: Double { Self.share * max(delay, Self.share * period) }

  /// Whether processing that took this many microseconds was too long.
  package func isLong(_ took: Double) -> Bool { took > 0.8 * period }

  private var isOwnLong: Bool { isLong(took) }

  private var isServerLate: Bool { serverDelay > 0 || apart > Self.share * period }

  /// The cause if the node's own processing took too long.
  private var ownVerdict: Verdict {
    let limit = Self.share * max(took, tookLong)
    if own.majorFaults > 0 { return pages(own.majorFaults, of: "the node") }
    if own.wait >= limit { return starved(own.wait) }
    // The other buffers used no more of a CPU than the time they took.
    let used = own.run - tookOthers
    let sentence = "the node's processing took \(Self.text(took)) of \(Self.text(period))"
    if used >= limit {
      if own.minorFaults > Self.manyFaults {
        return Verdict(.fault, "\(sentence), with \(own.minorFaults) page faults")
      }
      if isUndervolted { return Verdict(.power, "\(sentence); the supply voltage is too low") }
      if system.throttles > 0 {
        return Verdict(.heat, "\(sentence); the CPU is throttled because of heat")
      }
      if let frequency, frequency < Self.lowFrequency {
        let percent = Int((frequency * 100).rounded())
        return Verdict(.frequency, "\(sentence); the CPU runs at \(percent) % of its frequency")
      }
      return Verdict(.own, sentence)
    }
    if own.diskWait >= limit { return Verdict(.disk, "the node waited for a disk") }
    if let taken = takenInvisibly(limit) { return taken }
    if system.diskStall >= limit, own.diskWait > 0 {
      return Verdict(.disk, "the node waited for a disk")
    }
    return Verdict(.own, "\(sentence), most of it without a CPU")
  }

  /// The cause if something is known to have delayed the sound server.
  private var serverVerdict: Verdict? {
    guard let server else { return nil }
    if server.majorFaults > 0 { return pages(server.majorFaults, of: "the sound server") }
    if server.wait >= needed { return starved(server.wait) }
    if server.wasStopped, server.excess < needed {
      return Verdict(.server, "the sound server was stopped for \(Self.text(delay))")
    }
    if server.excess >= needed {
      return Verdict(.server, "the sound server used the CPU for \(Self.text(server.excess))")
    }
    return nil
  }

  /// The cause if something is known of another client.
  private var clientVerdict: Verdict? {
    if let client = burning { return client }
    if let client = clients.first(where: { $0.majorFaults > 0 }) {
      return pages(client.majorFaults, of: client.name)
    }
    if let client = clients.first(where: { $0.wait >= needed && $0.missing >= 1 }) {
      return starved(client.wait)
    }
    // One that misses cycles while the others get theirs.
    if !isServerLate || clients.count > 1,
      let client = clients.max(by: { $0.missing < $1.missing }), client.missing >= 1.5
    {
      return Verdict(
        .client, client.wasStopped ? "\(client.name) was stopped" : "\(client.name) was late")
    }
    return nil
  }

  private var burning: Verdict? {
    guard let client = clients.max(by: { $0.excess < $1.excess }),
      // One that used less was not late by that.
      client.excess >= max(needed, 0.8 * period)
    else { return nil }
    return Verdict(.client, "\(client.name) used the CPU for \(Self.text(client.excess))")
  }

  /// The cause if a thread had no CPU for a time in microseconds.
  private func starved(_ wait: Double) -> Verdict {
    if let burning { return burning }
    if system.interrupts >= wait {
      return Verdict(
        .interrupt, "interrupts had the CPUs for \(Self.text(system.interrupts))")
    }
    return Verdict(.cpu, "other programs had the CPU for \(Self.text(wait))")
  }

  /// The cause if a thread waited for pages of memory.
  private func pages(_ count: Int, of name: String) -> Verdict {
    let sentence = "\(name) waited for \(count) \(count == 1 ? "page" : "pages") from the disk"
    return system.swappedIn > 0 || system.memoryStall >= needed
      ? Verdict(.memory, "\(sentence); the machine is short of memory")
      : Verdict(.fault, sentence)
  }

  /// The cause if a CPU was taken from all programs.
  private func takenInvisibly(_ limit: Double) -> Verdict? {
    if system.steal >= limit {
      return Verdict(
        .steal, "the hypervisor took the CPUs for \(Self.text(system.steal))")
    }
    if system.interrupts >= limit {
      return Verdict(
        .interrupt, "interrupts had the CPUs for \(Self.text(system.interrupts))")
    }
    return nil
  }

  /// The most likely cause if nothing is known of any.
  private var remaining: Verdict {
    if isGraphChanged {
      return Verdict(.graph, "clients or connections of the sound server changed")
    }
    if isServerLate {
      if let taken = takenInvisibly(needed) { return taken }
      let sentence = "the cycle started \(Self.text(max(serverDelay, apart))) late"
      if hasCard { return Verdict(.card, "\(sentence): the sound card was late") }
      if server != nil, clientCount > 0 { return Verdict(.client, lateClients) }
      return Verdict(.server, "\(sentence): the sound server was late")
    }
    // The server and the node were in time.
    if clientCount > 0 { return Verdict(.client, lateClients) }
    return Verdict(.unknown, "the machine's counters show no cause")
  }

  private var lateClients: String {
    clients.count == 1 && clientCount == 1
      ? "\(clients[0].name) was late"
      : clients.isEmpty
        ? "another client was late"
        : "another client was late: one of \(clients.map(\.name).joined(separator: ", "))"
  }

  /// A time in microseconds in words.
  private static func text(_ microseconds: Double) -> String {
    let milliseconds = microseconds / 1e3
    guard milliseconds.isFinite, abs(milliseconds) < 1e9 else { return "a long time" }
    return milliseconds < 10
      ? "\((milliseconds * 10).rounded() / 10) ms" : "\(Int(milliseconds.rounded())) ms"
  }
}
