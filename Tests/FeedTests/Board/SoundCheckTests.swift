import Foundation
import TestSupport
import Testing

@testable import Feed

/// The validation of posted sounds.
@Suite struct SoundCheckTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func facts(_ bytes: [UInt8]) throws(BoardFault) -> Post.Sound {
    try SoundCheck.facts(bytes, folder: folder.url.path)
  }

  @Test func `kind and duration come from the content`() throws {
    #expect(
      try facts(SoundBytes.wave()) == Post.Sound(seconds: 0.1, bytes: 2444, kind: .wav))
    let movie = SoundBytes.movie()
    #expect(try facts(movie) == Post.Sound(seconds: 2.5, bytes: movie.count, kind: .m4a))
    let frames = try facts(SoundBytes.frames(430))
    #expect(frames.kind == .aac && abs(frames.seconds - 430 * 1024 / 44_100) < 0.001)
    #expect(folder.names.isEmpty)
  }

  @Test(arguments: [SoundWriting.flac, .ogg, .mp3])
  func `files written by libsndfile are accepted`(_ writing: SoundWriting) throws {
    let path = folder.path("sound")
    try writing.write(path, seconds: 2)
    let facts = try facts(Array(folder.bytes("sound")))
    #expect(facts.kind.rawValue == writing.rawValue && abs(facts.seconds - 2) < 0.1)
  }

  @Test func `an unknown or implausible duration is reported as 0`() throws {
    #expect(try facts(SoundBytes.movie(length: 0xFFFF_FFFF)).seconds == 0)
    #expect(try facts(SoundBytes.movie(scale: 1, length: 0x7FFF_FFFF)).seconds == 0)
  }

  @Test(arguments: [
    Array("RIFF\u{10}\u{0}\u{0}\u{0}WAVE".utf8), Array("fLaC".utf8), Array("OggS".utf8),
    Array("ID3\u{4}".utf8), [0xFF, 0xFB, 0x90, 0x64], [0xFF, 0xF1, 0x50, 0x80],
    [0, 0, 0, 24] + Array("ftypM4A ".utf8), [0, 0, 0, 24] + Array("ftypheic".utf8),
    Array("<html>".utf8), [0x89, 0x50, 0x4E, 0x47], [0],
  ])
  func `a valid beginning alone is rejected`(_ head: [UInt8]) {
    let fault = #expect(throws: BoardFault.self) { _ = try facts(SoundBytes.pretending(head)) }
    #expect(fault?.kind == .noSound)
    #expect(throws: BoardFault.self) { _ = try facts(head) }
    #expect(folder.names.isEmpty)
  }

  @Test func `a damaged MPEG-4 file is parsed safely`() {
    let movie = SoundBytes.movie()
    for place in movie.indices {
      for value: UInt8 in [0, 1, 0x7F, 0xFF] {
        var damaged = movie
        damaged[place] = value
        _ = try? facts(damaged)
        _ = try? facts(Array(damaged.prefix(place)))
      }
    }
  }
}
