internal import Glibc
internal import Posix

/// A connection pool.
///
/// Each connection is used by one thread at a time, and is replaced after the server was
/// unavailable.
final class PostgresPool: Sendable {
  // The timeout for a free connection, and for a restart of the server, in seconds.
  private static let patience = 10.0
  private static let pause: UInt32 = 100_000

  private struct State {
    var idle: [PostgresConnection] = []
    var lent = 0
    var isClosed = false
  }

  private let url: String
  private let most: Int
  private let state = Monitor(State())

  init(_ url: String, most: Int) {
    self.url = url
    self.most = most
  }

  /// Connects and runs `body`.
  ///
  /// Fails immediately if the server is unavailable.
  func tryOnce<Value>(
    _ body: (PostgresConnection) throws(PostgresFault) -> Value
  ) throws(BoardFault) -> Value {
    do throws(PostgresFault) {
      return try body(PostgresConnection(url))
    } catch {
      throw Self.fault(error)
    }
  }

  /// Runs `body` with a connection.
  ///
  /// It must be idempotent: it is repeated if the connection is lost, when it may have taken effect
  /// already.
  func with<Value>(
    _ body: (PostgresConnection) throws(PostgresFault) -> Value
  ) throws(BoardFault) -> Value {
    let deadline = HostTime.steady + Self.patience * 1e6
    while true {
      do throws(PostgresFault) {
        let connection = try borrow()
        do throws(PostgresFault) {
          let value = try body(connection)
          giveBack(connection)
          return value
        } catch {
          if case .refused = error { giveBack(connection) } else { giveBack(nil) }
          throw error
        }
      } catch {
        // All pooled connections may be dead. A new one then shows whether the server is available.
        guard case .lost = error, HostTime.steady < deadline else { throw Self.fault(error) }
        if state.wait({ $0.idle.isEmpty }) ?? false { usleep(Self.pause) }
      }
    }
  }

  func close() {
    state.change { state in
      state.isClosed = true
      state.idle = []
    }
  }

  private enum Loan {
    case kept(PostgresConnection)
    case new
    case none
  }

  private func borrow() throws(PostgresFault) -> PostgresConnection {
    let loan = state.wait(seconds: Self.patience) { [most] state -> Loan? in
      if state.isClosed { return Loan.none }
      if let connection = state.idle.popLast() {
        state.lent += 1
        return .kept(connection)
      }
      guard state.lent < most else { return nil }
      state.lent += 1
      return .new
    }
    switch loan {
    case .kept(let connection)?: return connection
    case .new?:
      do throws(PostgresFault) {
        return try PostgresConnection(url)
      } catch {
        giveBack(nil)
        throw error
      }
    case Loan.none?: throw .refused("the feed server is exiting")
    case nil: throw .refused("all \(most) connections are in use")
    }
  }

  private func giveBack(_ connection: PostgresConnection?) {
    state.change(waking: .one) { state in
      state.lent -= 1
      if let connection, !state.isClosed { state.idle.append(connection) }
    }
  }

  private static func fault(_ fault: PostgresFault) -> BoardFault {
    switch fault {
    case .lost(let reason): BoardFault(.store, "can't reach the database: \(reason)")
    case .refused(let reason): BoardFault(.store, "the database rejected the connection: \(reason)")
    }
  }
}
