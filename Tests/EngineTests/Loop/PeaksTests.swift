import DSP
import Engine
import TestSupport
import Testing

/// The peaks of the clip, compared with a copy of the clip.
@Suite struct PeaksTests {
  private static let parts = PublishedPeaks.parts
  // The precision of the edges of parts, in frames.
  private static let cell = 64

  private let host = OfflineHost()

  private func send(_ actions: LoopAction...) {
    for action in actions { host.send(Command(.loop(action))) }
  }

  private func play(_ sound: [Float], block: Int = 64) { _ = host.render(sound, block: block) }

  /// Records a sound as the clip, and lets the recorder finish.
  private func record(_ sound: [Float], block: Int = 64) {
    send(.record)
    play(sound, block: block)
    send(.stop)
    play(Tone.constant(0, frames: 480), block: block)
  }

  /// The latest peaks, when no others are in progress.
  private func picture(block: Int = 64) -> [Float] {
    var blocks = 0
    repeat {
      play(Tone.constant(0, frames: block), block: block)
      blocks += 1
    } while host.engine.shared.loops[0].peaks.isBehind && blocks < 10_000
    return host.engine.shared.loops[0].peaks.read()
  }

  /// The expected peaks, computed from the clip.
  private func peaksOfClip() throws -> [Float] {
    let transfer = ClipTransfer(sampleRate: 48_000)
    _ = host.events()
    host.send(Command(.copyOut(ClipPointer(transfer))))
    play(Tone.constant(0, frames: 9600))
    try #require(transfer.length > 0)
    let whole = transfer.length + transfer.framesBehind
    return (0..<Self.parts).map { part in
      let start = part * transfer.length / Self.parts
      let end = max(start + 1, (part + 1) * transfer.length / Self.parts)
      let cells =
        start / Self.cell * Self.cell..<min(whole, (end + Self.cell - 1) / Self.cell * Self.cell)
      let peak = cells.reduce(0) {
        max($0, abs(transfer.sound.left[$1]), abs(transfer.sound.right[$1]))
      }
      return min(1, peak)
    }
  }

  /// A sound with a different level in each part.
  private static func sound(frames: Int, seed: UInt64 = 1) -> [Float] {
    let noise = Tone.noise(amplitude: 1, frames: frames, seed: seed)
    return noise.indices.map { noise[$0] * Float($0 * 37 % frames) / Float(frames) }
  }

  @Test func `without a clip there are no peaks`() { #expect(picture().isEmpty) }

  @Test(arguments: [100, 5000, 100_000, 480_000], [64, 1024])
  func `the peaks show a recording`(frames: Int, block: Int) throws {
    record(Self.sound(frames: frames), block: block)
    let picture = picture(block: block)
    #expect(picture.count == Self.parts)
    #expect(try picture == peaksOfClip())
  }

  @Test func `the peaks cover both channels`() {
    send(.record)
    let silence = Tone.constant(0, frames: 25_600)
    var right = silence
    right[200 * 100 + 50] = -0.75
    _ = host.render(silence, right: right, block: 64)
    send(.stop)
    let picture = picture()
    #expect(picture[200] == 0.75)
    // The cell extends into its neighbors.
    #expect(picture.enumerated().allSatisfy { abs($0 - 200) <= 1 || $1 == 0 })
  }

  @Test func `the peaks show a recording in progress`() {
    send(.record)
    play(Tone.constant(0.5, frames: 48_000))
    play(Tone.constant(0, frames: 48_000))
    let picture = host.engine.shared.loops[0].peaks.read()
    // Peaks are at most as old as two passes take.
    #expect(picture[..<118].allSatisfy { $0 == 0.5 })
    #expect(picture[156...].allSatisfy { $0 == 0 })
  }

  @Test func `the peaks follow overdub, replace, undo and redo`() throws {
    record(Self.sound(frames: 48_000))
    let first = picture()
    send(.play, .overdub)
    play(Tone.constant(0.25, frames: 30_000))
    send(.overdub)
    play(Tone.constant(0, frames: 2000))
    let second = picture()
    #expect(second != first)
    #expect(try second == peaksOfClip())
    send(.replace)
    play(Tone.constant(0, frames: 24_000))
    send(.replace)
    play(Tone.constant(0, frames: 2000))
    let third = picture()
    #expect(third.count { $0 == 0 } > 100, "the previous clip is gone")
    #expect(try third == peaksOfClip())
    send(.undo)
    #expect(picture() == second)
    send(.undo)
    #expect(picture() == first)
    send(.redo)
    #expect(picture() == second)
    send(.clear)
    #expect(picture().isEmpty)
    send(.undo)
    #expect(picture() == second)
  }

  @Test func `the peaks show a loaded clip`() throws {
    let transfer = ClipTransfer(sampleRate: 48_000)
    let sound = Self.sound(frames: 200_000)
    for (frame, sample) in sound.enumerated() {
      transfer.sound.left[frame] = sample
      transfer.sound.right[frame] = 0
    }
    transfer.length = sound.count
    host.send(Command(.load(ClipPointer(transfer))))
    play(Tone.constant(0, frames: 9600))
    #expect(try picture() == peaksOfClip())
  }

  @Test func `peaks over full scale are clipped`() {
    record(Tone.constant(3, frames: 10_000))
    #expect(picture().allSatisfy { $0 == 1 })
  }

  @Test func `the peaks are kept when the clip is converted to another rate`() {
    // The second half is louder.
    record(Tone.sine(1000, frames: 48_000) + Tone.sine(1000, amplitude: 0.75, frames: 48_000))
    let other = OfflineHost(takingOver: host.engine, sampleRate: 96_000)
    for _ in 0..<200 { _ = other.render(Tone.constant(0, frames: 64), block: 64) }
    let picture = other.engine.shared.loops[0].peaks.read()
    // At the edges the converted clip overshoots by less than a hundredth.
    #expect(picture[1..<127].allSatisfy { abs($0 - 0.5) < 0.01 })
    #expect(picture[130..<255].allSatisfy { abs($0 - 0.75) < 0.01 })
  }
}
