import Foundation
import OSC
import Posix
import SoundFiles
import TestSupport
import Testing

extension NodeTests {
  /// Recorded sessions after a crash.
  @Suite struct InterruptedSessionTests {
    @Test(.hangLimit)
    func `after a kill in a session, the next start recovers it with its markers`() throws {
      let server = try JackServer()
      let home = try TemporaryFolder()
      var (node, phone) = try startNode(on: server, home: home.url.path)
      phone.send("/session/record", .int32(1))
      func recorded() -> Double { phone.ask("/session/state")?.arguments[1].number ?? 0 }
      try waitUntil("a part of a second is recorded") { recorded() > 0.3 }
      phone.send("/session/mark", .string("Verse"))
      phone.send("/session/mark", .string("Ende: äöü"))
      #expect(phone.sync())
      let name = try #require(phone.ask("/session/state")?.arguments[2].text)
      let folder = home.path("sessions/\(name)")
      func log() -> String { Files.read(folder + "/session.txt") ?? "" }
      // The log is written with the sound.
      try waitUntil("the markers are on disk") { log().contains(" mark Ende: äöü\n") }
      let written = recorded()
      try waitUntil("more is recorded") { recorded() > written + 0.5 }
      node.kill()

      (node, phone) = try startNode(on: server, home: home.url.path)
      try waitUntil("the session is complete") { log().contains("\nend ") }
      #expect(node.errors.contains("the session \(name) was interrupted; "))
      let cues = try log().split(separator: "\n").compactMap { line -> WaveCues.Cue? in
        let words = line.split(separator: " ", maxSplits: 2)
        guard words.count == 3, words[1] == "mark" else { return nil }
        return WaveCues.Cue(try #require(Int(words[0])), String(words[2]))
      }
      #expect(cues.map(\.name) == ["Verse", "Ende: äöü"])
      let files = Files.names(in: folder).filter { $0.hasSuffix(".wav") }
      #expect(files.count == 10)
      for file in files {
        #expect(try WaveFixture.cues(of: "\(folder)/\(file)") == WaveCues(cues), "\(file)")
        #expect(try !SoundReader("\(folder)/\(file)").isCutOff, "\(file)")
      }
      #expect(node.end() == 0)
    }
  }
}
