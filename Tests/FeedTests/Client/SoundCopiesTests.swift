import Feed
import Foundation
import SoundFiles
import TestSupport
import Testing

/// Local copies of posts' sounds.
@Suite struct SoundCopiesTests {
  private let folder: TemporaryFolder
  private let copies: SoundCopies

  init() throws {
    folder = try TemporaryFolder()
    copies = SoundCopies(home: folder.url.path)
  }

  private var names: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path("feed"))) ?? []
  }

  @Test func `the file extension follows the content, not the name`() throws {
    let path = try copies.path(of: SoundBytes.wave(), named: "7")
    #expect(path.hasSuffix("/feed/post-7.wav"))
    #expect(try SoundReader(path).expectedFrames == 1200)
  }

  @Test func `a malformed sound is reported and not stored`() throws {
    let fault = #expect(throws: FeedFault.self) {
      try copies.path(of: Array("<html>".utf8), named: "1")
    }
    #expect(fault?.message.contains("not a sound") == true && fault?.isPassing == false)
    #expect(names.isEmpty)
  }

  @Test func `only the latest copies are kept, and none of an earlier node`() throws {
    var paths: [String] = []
    for number in 0..<20 {
      paths.append(try copies.path(of: SoundBytes.wave(), named: "\(number)"))
    }
    #expect(names.count == 16)
    #expect(!FileManager.default.fileExists(atPath: paths[3]))
    #expect(FileManager.default.fileExists(atPath: paths[4]))
    _ = SoundCopies(home: folder.url.path)
    #expect(names.isEmpty)
  }

  @Test func `malformed AAC is reported in one line and leaves nothing behind`() throws {
    // Malformed for the decoder, too, where it is installed.
    let fault = #expect(throws: FeedFault.self) {
      try copies.path(of: SoundBytes.movie(), named: "1")
    }
    #expect(fault?.message.contains("AAC") == true && fault?.isPassing == false)
    #expect(names.isEmpty)
  }

  private static let decoder = ["/usr/bin/ffmpeg", "/usr/local/bin/ffmpeg"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  @Test(.enabled(if: decoder != nil, "AAC is read by ffmpeg"), arguments: ["m4a", "aac"])
  func `AAC is decoded to a readable file where the decoder is installed`(
    ending: String
  ) throws {
    let source = folder.path("source.wav")
    try SoundFixture.write(source, [(0..<48_000).map { Float(0.3 * sin(Double($0) / 20)) }])
    let packed = folder.path("packed.\(ending)")
    let process = Process()
    process.executableURL = URL(filePath: try #require(Self.decoder))
    process.arguments = ["-nostdin", "-v", "error", "-i", source, "-c:a", "aac", packed]
    try process.run()
    process.waitUntilExit()
    let path = try copies.path(of: [UInt8](Data(contentsOf: URL(filePath: packed))), named: "1")
    let frames = try SoundReader(path).expectedFrames ?? 0
    // One second, with the padding of the codec.
    #expect(48_000...52_000 ~= frames)
    #expect(names == ["post-1.\(ending).wav"])
  }
}
