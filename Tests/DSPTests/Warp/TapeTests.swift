import DSP
import TestSupport
import Testing

@Suite struct TapeTests {
  private func write(_ tape: inout Tape, from first: Int, frames: Int) {
    var left = (first..<first + frames).map { Float($0) }
    var right = left.map { -$0 }
    withStereo(&left, &right) { tape.write($0, frames: frames) }
  }

  @Test func `every stored range is readable contiguously`() {
    var tape = Tape(seconds: 0.01, reach: 100, sampleRate: 48_000)
    var written = 0
    for frames in [1, 64, 333, 500, 7, 1000, 77, 64, 512] {
      write(&tape, from: written, frames: frames)
      written += frames
      #expect(tape.head == Int64(written))
      for start in max(0, written - tape.capacity)..<max(1, written - tape.reach) {
        let (left, right) = (tape.left(at: Int64(start)), tape.right(at: Int64(start)))
        for frame in 0..<min(tape.reach, written - start)
        where left[frame] != Float(start + frame) || right[frame] != -Float(start + frame) {
          Issue.record("frame \(start + frame) of \(written) reads \(left[frame])")
          return
        }
      }
    }
  }

  @Test func `frames before the first and after silence are silent`() {
    var tape = Tape(seconds: 0.01, reach: 100, sampleRate: 48_000)
    #expect((0..<100).allSatisfy { tape.left(at: -100)[$0] == 0 })
    write(&tape, from: 1, frames: tape.capacity)
    tape.writeSilence(frames: tape.capacity)
    let start = tape.head - Int64(tape.capacity)
    #expect((0..<tape.capacity - 100).allSatisfy { tape.left(at: start + Int64($0))[99] == 0 })
    #expect((0..<tape.capacity - 100).allSatisfy { tape.right(at: start + Int64($0))[99] == 0 })
  }
}
