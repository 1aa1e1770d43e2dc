internal import Feed

/// Clients of boards, of which the last one used is kept, with its connection.
struct BoardClients {
  private let connector: BoardConnector
  private var last: (board: String, client: any BoardClient)?

  init(_ connector: BoardConnector) { self.connector = connector }

  /// The URL of the board used last; nil before the first.
  var board: String? { last?.board }

  /// Returns a client of the board at a URL.
  mutating func client(of board: String) throws(FeedFault) -> any BoardClient {
    if let last, last.board == board { return last.client }
    let client = try connector.client(of: board)
    last = (board, client)
    return client
  }
}
