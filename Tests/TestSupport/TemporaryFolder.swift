package import Foundation

/// A folder of the test's own, which goes with it.
package final class TemporaryFolder {
  /// Where it is.
  package let url: URL

  /// An empty folder.
  package init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent(
      "syrinx-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The path of a name in it.
  package func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  /// The names of all that is in it.
  package var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
  }

  /// The bytes of a file in it.
  package func bytes(_ name: String) throws -> Data {
    try Data(contentsOf: url.appendingPathComponent(name))
  }
}
