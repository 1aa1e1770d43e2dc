internal import Posix

/// The file in which a node of a name keeps its state: `state/NAME` in its home folder.
///
/// Each node has one of its own: a second one of the same name and folder keeps none.
package final class StateFile: @unchecked Sendable {
  // A hundred times what there is to keep.
  private static let largest = 1 << 20

  /// The path of the file.
  package let path: String
  private let folder: String
  private let name: String
  // Only the control thread claims it, before anything is written; and what writes goes on where that
  // could not be done.
  private var lock: FileLock?

  /// The file of a node, not claimed yet.
  package init(home: String, name: String) {
    folder = home + "/state"
    path = "\(folder)/\(name)"
    self.name = name
  }

  /// Takes the file for this node, for as long as it runs; false where another one has it.
  ///
  /// A folder that can't be made, or not be written to, is nobody's: writing tells of that, and claims
  /// it when it can.
  package func claim() -> Bool {
    guard lock == nil else { return true }
    do throws(SystemError) {
      return try take()
    } catch {
      return true
    }
  }

  private func take() throws(SystemError) -> Bool {
    try Files.makeFolder(folder)
    lock = try FileLock("\(folder)/.\(name).lock")
    guard lock != nil else { return false }
    // What a node left that was killed while it wrote: nodes can be called me and me.2.
    for part in Files.names(in: folder) where part.hasPrefix(name + ".") && part.hasSuffix(".part")
    {
      let number = part.dropFirst(name.count + 1).dropLast(".part".count)
      guard !number.isEmpty, number.utf8.allSatisfy({ (48...57).contains($0) }) else { continue }
      Files.remove("\(folder)/\(part)")
    }
    return true
  }

  /// Puts what can't be read aside, so that it is not written over: as `NAME.bad`, in the place of what
  /// was put aside before; false where that can't be.
  package func setAside() -> Bool { lock != nil && Files.move(path, to: path + ".bad") }

  /// The state that was kept; nil where there is none.
  package func read() throws(NodeState.Fault) -> NodeState? {
    try Self.read(path)
  }

  /// The state in a file; nil where there is none.
  package static func read(_ path: String) throws(NodeState.Fault) -> NodeState? {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try Files.contents(of: path, atMost: largest)
    } catch {
      if error.isMissing { return nil }
      throw NodeState.Fault(description: "\(error)")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw NodeState.Fault(description: "\(path) is no text")
    }
    do throws(NodeState.Fault) {
      return try NodeState(text)
    } catch {
      throw NodeState.Fault(description: "\(path) is not as it was written: \(error)")
    }
  }

  /// Puts a state in its place, whole and safe on the disk.
  ///
  /// Waits for the disk.
  func write(_ text: String) throws(Refusal) {
    if lock == nil, (try? take()) == false {
      throw Refusal(.io, "the state is not kept: another node keeps its own in \(path)")
    }
    do throws(SystemError) {
      try Files.makeFolder(folder)
      try Files.write(text, to: path)
    } catch {
      throw Refusal(.io, "the state is not kept: \(error)")
    }
  }
}
