package import Posix

/// The choice of connections that make room for a new one.
package enum Crowd {
  /// Returns the connections of the address that has the most, if it has at least two more than the
  /// newcomer's, so that room is taken from whom has more; otherwise none.
  package static func connections<Key: Hashable>(
    _ peers: [Key: IPAddress], tooManyFor newcomer: IPAddress
  ) -> [Key] {
    let crowds = Dictionary(grouping: peers.keys) { peers[$0]?.network ?? .any6 }
    guard let largest = crowds.values.max(by: { $0.count < $1.count }),
      largest.count >= (crowds[newcomer.network]?.count ?? 0) + 2
    else { return [] }
    return largest
  }
}
