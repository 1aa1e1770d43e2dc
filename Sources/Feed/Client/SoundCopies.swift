internal import Glibc
internal import Posix

/// Local copies of posts' sounds, as readable files in a folder.
///
/// One thread at a time.
package final class SoundCopies: @unchecked Sendable {
  // The maximum number of files. A file being played stays open when it is deleted. The others can
  // be played again without the board.
  private static let most = 16
  private static let decodeSeconds = 30.0
  // The maximum duration of a decoded post: ten minutes.
  private static let mostSeconds = 600
  private static let decoder = "ffmpeg"

  private let folder: String
  private var paths: [String] = []

  /// Creates the copies in a data directory.
  ///
  /// Deletes those of an earlier node.
  package init(home: String) {
    folder = "\(home)/feed"
    for name in Files.names(in: folder) where name.hasPrefix(Self.prefix) {
      Files.remove("\(folder)/\(name)")
    }
  }

  /// Stores the bytes of a sound and returns the path of a readable file.
  package func path(of bytes: [UInt8], named name: String) throws(FeedFault) -> String {
    guard let kind = SoundKind(bytes) else {
      throw FeedFault("the feed server's reply is not a sound", isPassing: false)
    }
    let path = "\(folder)/\(Self.prefix)\(name).\(kind.rawValue)"
    try system(try Files.write(bytes, to: path, inNewFolder: folder)) {
      FeedFault("can't save it: \($0)", isPassing: false)
    }
    guard !kind.isReadHere else { return keep(path) }
    defer { Files.remove(path) }
    return keep(try decoded(path, kind))
  }

  private static let prefix = "post-"

  private func keep(_ path: String) -> String {
    paths.removeAll { $0 == path }
    paths.append(path)
    while paths.count > Self.most { Files.remove(paths.removeFirst()) }
    return path
  }

  /// Decodes a file with an external program: AAC, whose decoders in Debian have licenses
  /// incompatible with linking.
  private func decoded(_ path: String, _ kind: SoundKind) throws(FeedFault) -> String {
    let result = "\(path).wav"
    let ending: Program.Ending
    do throws(SystemError) {
      ending = try Program.run(
        [
          Self.decoder, "-nostdin", "-v", "error", "-y", "-protocol_whitelist", "file",
          // Sets the demuxer by content. Neither one opens other files.
          "-f", kind == .aac ? "aac" : "mov", "-i", path, "-map", "0:a:0", "-t",
          "\(Self.mostSeconds)", "-c:a", "pcm_s16le", "-f", "wav", result,
        ], seconds: Self.decodeSeconds)
    } catch {
      throw FeedFault("can't run \(Self.decoder): \(error)", isPassing: false)
    }
    guard ending == .code(0) else {
      Files.remove(result)
      throw FeedFault(
        ending == .missing
          ? "this post is in AAC, which needs \(Self.decoder); it is not installed"
          : "can't decode the AAC of this post", isPassing: false)
    }
    return result
  }
}
