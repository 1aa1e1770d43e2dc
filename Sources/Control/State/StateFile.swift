internal import Posix

/// The file in which a node of a name keeps its state: `state/NAME` in its home folder.
///
/// Each node has one of its own: a second one of the same name and folder keeps none.
package final class StateFile: @unchecked Sendable {
  // A hundred times what there is to keep.
  private static let largest = 1 << 20

  /// Where it is.
  package let path: String
  private let folder: String
  private let name: String
  // Only the control thread claims it.
  private var lock: FileLock?

  /// The file of a node, not claimed yet.
  package init(home: String, name: String) {
    folder = home + "/state"
    path = "\(folder)/\(name)"
    self.name = name
  }

  /// Takes the file for this node, for as long as it runs; false where another one has it.
  ///
  /// A folder that can't be made, or not be written to, is nobody's: writing tells of that.
  package func claim() -> Bool {
    guard lock == nil else { return true }
    do throws(SystemError) {
      try Files.makeFolder(folder)
      lock = try FileLock("\(folder)/.\(name).lock")
      guard lock != nil else { return false }
    } catch {
      return true
    }
    // What a node left that was killed while it wrote.
    for part in Files.names(in: folder) where part.hasPrefix(name + ".") && part.hasSuffix(".part")
    {
      Files.remove("\(folder)/\(part)")
    }
    return true
  }

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
    do throws(SystemError) {
      try Files.makeFolder(folder)
      try Files.write(text, to: path)
    } catch {
      throw Refusal(.io, "the state is not kept: \(error)")
    }
  }
}
