internal import Posix

/// The state file of a node: `state/NAME` in its data directory.
///
/// Only one running node owns the file. A second node of the same name and folder is not persisted.
package final class StateFile: @unchecked Sendable {
  // A hundred times the usual size.
  private static let largest = 1 << 20

  /// The path of the file.
  package let path: String
  private let folder: String
  private let name: String
  // Set on the control thread before the first write, or by the writer if that failed.
  private var lock: FileLock?

  /// Creates a file that is not claimed yet.
  package init(home: String, name: String) {
    folder = home + "/state"
    path = "\(folder)/\(name)"
    self.name = name
  }

  /// Locks the file for the lifetime of this node.
  ///
  /// Returns false if another node holds the lock.
  ///
  /// A folder that can't be created or written to counts as claimed. Writing reports the error and claims
  /// it later.
  package func claim() -> Bool {
    guard lock == nil else { return true }
    do throws(SystemError) {
      return try acquireLock()
    } catch {
      return true
    }
  }

  private func acquireLock() throws(SystemError) -> Bool {
    try Files.makeFolder(folder)
    lock = try FileLock("\(folder)/.\(name).lock")
    guard lock != nil else { return false }
    // Temporary files of a killed node. Names can be prefixes of each other, such as `me` and `me.2`.
    for part in Files.names(in: folder) where part.hasPrefix(name + ".") && part.hasSuffix(".part")
    {
      let number = part.dropFirst(name.count + 1).dropLast(".part".count)
      guard !number.isEmpty, number.utf8.allSatisfy({ (48...57).contains($0) }) else { continue }
      Files.remove("\(folder)/\(part)")
    }
    return true
  }

  /// Renames an unreadable file to `NAME.bad`, replacing an older one, so that it is not overwritten.
  ///
  /// Returns false on failure.
  package func setAside() -> Bool { lock != nil && Files.move(path, to: path + ".bad") }

  /// Reads the state; nil if there is no file.
  package func read() throws(NodeState.Fault) -> NodeState? {
    try Self.read(path)
  }

  /// Reads the state in a file; nil if there is none.
  package static func read(_ path: String) throws(NodeState.Fault) -> NodeState? {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try Files.contents(of: path, atMost: largest)
    } catch {
      if error.isMissing { return nil }
      throw NodeState.Fault(description: "\(error)")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw NodeState.Fault(description: "\(path) is not UTF-8 text")
    }
    do throws(NodeState.Fault) {
      return try NodeState(text)
    } catch {
      throw NodeState.Fault(description: "\(path) is invalid: \(error)")
    }
  }

  /// Replaces the file, atomically and durably.
  ///
  /// Blocks on disk I/O.
  func write(_ text: String) throws(Refusal) {
    if lock == nil, (try? acquireLock()) == false {
      throw Refusal(.io, "the state is not saved: another node uses \(path)")
    }
    try refusing("the state is not saved: ") { () throws(SystemError) in
      try Files.makeFolder(folder)
      try Files.write(text, to: path)
    }
  }
}
