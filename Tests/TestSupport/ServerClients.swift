internal import Foundation

/// A JACK client of a test.
protocol ServerClient: AnyObject {
  /// Leaves the server.
  func close()
}

/// The clients that have joined the servers of this process.
///
/// They are closed before their server stops: libjack may crash when a client is closed after its
/// server has exited.
enum ServerClients {
  private struct Entry {
    weak var client: (any ServerClient)?
    let server: String
  }

  private final class Entries: @unchecked Sendable {
    // Accessed under the lock.
    var all: [Entry] = []
    let lock = NSLock()
  }

  private static let entries = Entries()

  /// Adds a client of a server.
  static func add(_ client: any ServerClient, of server: String) {
    entries.lock.withLock {
      entries.all.removeAll { $0.client == nil }
      entries.all.append(Entry(client: client, server: server))
    }
  }

  /// Closes the clients of a server.
  static func close(of server: String) {
    let clients = entries.lock.withLock {
      defer { entries.all.removeAll { $0.server == server } }
      return entries.all.filter { $0.server == server }.compactMap(\.client)
    }
    for client in clients { client.close() }
  }
}
