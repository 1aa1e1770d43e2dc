import Control
import Engine
import Foundation
import OSC
import TestSupport
import Testing

/// The tuner: results, rate and subscribers.
@Suite struct TunerTests {
  private let desk = Desk()

  /// Plays audio, with the background queue keeping up.
  private func play(_ left: [Float], right: [Float]? = nil) {
    for start in stride(from: 0, to: left.count, by: 480) {
      let range = start..<min(left.count, start + 480)
      _ = desk.host.render(Array(left[range]), right: right.map { Array($0[range]) }, block: 64)
      desk.seconds += Double(range.count) / 48_000
      _ = desk.node.tick()
      desk.awaitWriting()
    }
  }

  /// The results sent while audio plays.
  private func told(_ sound: [Float], right: [Float]? = nil) -> [Received] {
    play(sound, right: right)
    return desk.take()
  }

  @Test func `subscribers receive the note twelve times per second`() {
    #expect(desk.tell("/subscribe", .string("/tuner")).isEmpty)
    // 7 cents above A4.
    let told = told(Tone.sine(440 * exp2(7.0 / 1200), frames: 96_000))
    #expect((23...25).contains(told.count))
    #expect(told.allSatisfy { $0.address == "/tuner" && $0.arguments.count == 3 })
    // Correct from the start: a tone needs a few hundredths of a second.
    for message in told.dropFirst() {
      #expect(message.arguments[0] == .int32(69))
      #expect(abs((message.arguments[1].number ?? 0) - 7) < 0.001)
      #expect(abs((message.arguments[2].number ?? 0) + 6.02) < 0.05)
    }
  }

  @Test func `the deviation is relative to the nearest key by the reference`() throws {
    desk.tell("/grid/reference", .float(442))
    desk.tell("/subscribe", .string("/tuner"))
    for (hertz, note, cents) in [
      (442.0, 69, 0.0), (440, 69, -7.852), (442 * exp2(-9.49 / 12), 60, -49),
      (442 * exp2(-9.51 / 12), 59, 49), (27.625 * 2, 33, 0), (442 * 8, 105, 0),
    ] {
      let last = try #require(told(Tone.sine(hertz, frames: 24_000)).last).arguments
      #expect(last[0] == .int32(Int32(note)), "\(hertz)")
      #expect(abs((last[1].number ?? .nan) - cents) < 0.001, "\(hertz)")
    }
  }

  @Test func `without a steady tone only the level is reported`() {
    desk.tell("/subscribe", .string("/tuner"))
    let silence = told(Tone.constant(0, frames: 48_000))
    #expect(silence.count >= 11)
    #expect(silence.allSatisfy { $0.arguments == [.int32(-1), .float(0), .float(-120)] })
    let noise = told(Tone.noise(frames: 48_000)).dropFirst()
    #expect(noise.allSatisfy { $0.arguments[..<2] == [.int32(-1), .float(0)] })
    #expect(noise.allSatisfy { abs(($0.arguments[2].number ?? 0) + 6.02) < 0.05 })
  }

  @Test func `the tuner follows the input gain and the louder channel`() throws {
    desk.tell("/in/gain", .float(-20))
    desk.tell("/subscribe", .string("/tuner"))
    let (low, high) = (Tone.sine(220, frames: 48_000), Tone.sine(660, frames: 48_000))
    let quiet = low.map { $0 / 4 }
    let left = try #require(told(low, right: high.map { $0 / 4 }).last).arguments
    #expect(left[0] == .int32(57))
    #expect(abs((left[2].number ?? 0) + 26.02) < 0.05)
    #expect(try #require(told(quiet, right: high).last).arguments[0] == .int32(76))
    // With inverted phase, the two channels are not silence.
    let turned = low.map { -$0 }
    #expect(try #require(told(low, right: turned).last).arguments[0] == .int32(57))
  }

  @Test func `a query runs the tuner for a few seconds`() {
    let nothing = Received("/tuner", [.int32(-1), .float(0), .float(-120)])
    let tone = Tone.sine(440, frames: 48_000)
    play(tone)
    #expect(desk.tell("/tuner") == [nothing], "nobody wanted to know before")
    play(tone)
    #expect(desk.tell("/tuner").first?.arguments[0] == .int32(69))
    for _ in 0..<4 { play(tone) }
    #expect(desk.tell("/tuner") == [nothing], "that was too long ago")
  }

  @Test func `the tuner stops with its last subscriber, and restarts`() {
    desk.tell("/subscribe", .string("/tuner"))
    let tone = Tone.sine(440, frames: 24_000)
    #expect(told(tone).last?.arguments[0] == .int32(69))
    desk.tell("/unsubscribe")
    #expect(told(tone).isEmpty)
    #expect(desk.tell("/tuner").last?.arguments[0] == .int32(-1))
    desk.tell("/subscribe", .string("/tuner"))
    #expect(told(tone).last?.arguments[0] == .int32(69))
  }

  @Test func `the tuner continues when the server returns at another rate`() {
    desk.tell("/subscribe", .string("/tuner"))
    #expect(told(Tone.sine(440, frames: 24_000)).last?.arguments[0] == .int32(69))
    let other = OfflineHost(takingOver: desk.host.engine, sampleRate: 96_000)
    let tone = Tone.sine(440, frames: 96_000, sampleRate: 96_000)
    for start in stride(from: 0, to: tone.count, by: 960) {
      _ = other.render(Array(tone[start..<start + 960]), block: 64)
      desk.seconds += 0.01
      _ = desk.node.tick()
      desk.awaitWriting()
    }
    let last = desk.take().last?.arguments
    #expect(last?[0] == .int32(69))
    #expect(abs(last?[1].number ?? .nan) < 0.001)
  }
}
