/// The kind of an image file, detected by its first bytes.
package enum ImageKind: String, CaseIterable, Sendable {
  case jpeg = "jpg"
  case png, gif, webp

  /// The file extension.
  package var ending: String { rawValue }

  /// Detects the kind of a file, regardless of its declared type.
  ///
  /// Returns nil for other formats.
  package init?(_ bytes: some Collection<UInt8>) {
    let head = Array(bytes.prefix(12))
    if head.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if head.starts(with: "GIF87a".utf8) || head.starts(with: "GIF89a".utf8) {
      self = .gif
    } else if head.starts(with: "RIFF".utf8), head.dropFirst(8).elementsEqual("WEBP".utf8) {
      self = .webp
    } else {
      return nil
    }
  }
}
