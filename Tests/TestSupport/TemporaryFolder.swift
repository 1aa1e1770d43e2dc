package import Foundation

/// A temporary folder of a test, deleted with it.
package final class TemporaryFolder {
  /// The URL of the folder.
  package let url: URL

  /// Creates an empty folder with a unique name.
  package init(_ name: String = "syrinx-test-\(UUID().uuidString)") throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// Returns the path of a name in the folder.
  package func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  /// The names of all files in the folder.
  package var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
  }

  /// Reads the bytes of a file in the folder.
  package func bytes(_ name: String) throws -> Data {
    try Data(contentsOf: url.appendingPathComponent(name))
  }
}
