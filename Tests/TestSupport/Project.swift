package import Foundation

/// The project's folder, for tests that read files of the repository.
package enum Project {
  /// The root of the repository.
  package static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Returns the URL of a file or folder in the repository.
  package static func file(_ path: String) -> URL { folder.appendingPathComponent(path) }
}
