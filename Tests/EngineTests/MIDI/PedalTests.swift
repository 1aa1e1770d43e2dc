import Engine
import TestSupport
import Testing

/// One button for all: what a foot does, and when.
@Suite struct PedalTests {
  private func tap(_ stage: LoopStage, _ loop: Int = 0) {
    stage.send(.press, loop)
    stage.send(.release, loop)
  }

  @Test func `presses go round: record, play, overdub, play`() {
    let stage = LoopStage()
    let states: [LoopActivity] = [.recording, .playing, .overdubbing, .playing, .overdubbing]
    for state in states {
      tap(stage, 1)
      stage.rest(24_000)
      #expect(stage.activity(1) == state)
    }
    #expect(stage.reading(1).length == 24_000)
  }

  @Test func `held it stops, and held again it clears`() {
    let stage = LoopStage()
    tap(stage)
    stage.rest(24_000)
    tap(stage)
    stage.rest(24_000)
    stage.send(.press, 0)
    stage.rest(23_000)
    // What the press began is taken back when it has become a long one, and not before.
    #expect(stage.activity(0) == .overdubbing)
    stage.rest(2000)
    #expect(stage.activity(0) == .stopped && stage.reading(0).overdubs == 0)
    stage.send(.release, 0)
    stage.rest(24_000)
    stage.send(.press, 0)
    stage.rest(37_000)
    #expect(stage.activity(0) == .empty)
    stage.press(.undo, 0)
    #expect(stage.reading(0).length == 24_000)
  }

  @Test func `pressed twice it undoes the layer before, and what the first press began`() {
    let stage = LoopStage()
    tap(stage)
    stage.play(Tone.sine(400, frames: 24_000))
    tap(stage)
    stage.rest(24_000)
    tap(stage)
    stage.play(Tone.sine(1000, frames: 24_000))
    tap(stage)
    stage.rest(24_000)
    #expect(stage.reading(0).overdubs == 1)
    tap(stage)
    stage.rest(8000)
    tap(stage)
    stage.rest(24_000)
    #expect(stage.activity(0) == .playing && stage.reading(0).overdubs == 0)
    // Two presses further apart are two.
    tap(stage)
    stage.rest(20_000)
    tap(stage)
    stage.rest(24_000)
    #expect(stage.activity(0) == .playing && stage.reading(0).overdubs == 1)
  }

  @Test func `what a long and a double press mean can be set, or be off`() {
    let stage = LoopStage()
    stage.set(.long, of: 0, Float(PedalMeaning.off.rawValue))
    stage.set(.double, of: 0, Float(PedalMeaning.off.rawValue))
    tap(stage)
    stage.rest(24_000)
    stage.send(.press, 0)
    stage.rest(60_000)
    #expect(stage.activity(0) == .playing)
    stage.send(.release, 0)
    tap(stage)
    stage.rest(4000)
    tap(stage)
    stage.rest(24_000)
    #expect(stage.activity(0) == .playing && stage.reading(0).overdubs == 1)
    stage.set(.double, of: 0, Float(PedalMeaning.once.rawValue))
    tap(stage)
    stage.rest(4000)
    tap(stage)
    stage.rest(26_000)
    #expect(stage.activity(0) == .stopped)
  }

  @Test func `a foot that rests on the first press goes on recording`() {
    let stage = LoopStage()
    stage.send(.press, 0)
    stage.rest(60_000)
    #expect(stage.activity(0) == .recording)
  }

  @Test func `presses within 25 ms count once, and the times of the others can be set`() {
    let stage = LoopStage()
    tap(stage)
    stage.rest(1100)
    tap(stage)
    stage.rest(22_900)
    #expect(stage.activity(0) == .recording)
    tap(stage)
    stage.rest(24_000)
    #expect(stage.activity(0) == .playing && stage.reading(0).length == 24_000)
    stage.set(.press(.long), 1)
    stage.set(.press(.double), 0.1)
    stage.send(.press, 0)
    stage.rest(47_000)
    #expect(stage.activity(0) == .overdubbing)
    stage.rest(2000)
    #expect(stage.activity(0) == .stopped)
    stage.send(.release, 0)
    stage.press(.play, 0)
    // Two presses 0.2 s apart are two.
    tap(stage)
    stage.rest(9600)
    tap(stage)
    stage.rest(24_000)
    #expect(stage.activity(0) == .playing && stage.reading(0).overdubs == 1)
  }

  @Test func `forty presses come to what was recorded, frame by frame`() {
    // Times in frames of a take of two loops: what each press does is worked out beside it.
    let stage = LoopStage(count: 2, block: 64)
    let sound = Tone.noise(amplitude: 0.05, frames: 1_200_000, seed: 9)
    var presses: [(frame: Int, loop: Int)] = [(1000, 0), (49_003, 0), (60_001, 1), (156_007, 1)]
    var place = 170_000
    for index in 0..<36 {
      presses.append((place, index % 2))
      place += 25_013 + index * 37
    }
    #expect(presses.count == 40)
    var start = 0
    // Recorded to the frame, in freewheel: presses lie at any frame of a block.
    for (index, press) in presses.enumerated() {
      let end = index + 1 < presses.count ? presses[index + 1].frame : press.frame + 24_000
      stage.play(Array(sound[start..<press.frame]))
      tap(stage, press.loop)
      stage.play(Array(sound[press.frame..<end]))
      start = end
    }
    // The same by arithmetic: what is in a loop, added to by what was played between two presses.
    for loop in 0..<2 {
      let own = presses.filter { $0.loop == loop }.map(\.frame)
      let (from, length) = (own[0], own[1] - own[0])
      var clip = (0..<length).map { Double(sound[from + $0]) }
      for pair in stride(from: 2, to: own.count - 1, by: 2) {
        for frame in own[pair]..<own[pair + 1] {
          clip[(frame - own[1]) % length] += Double(sound[frame])
        }
      }
      #expect(stage.reading(loop).length == length)
      #expect(stage.activity(loop) == (own.count % 2 == 0 ? .playing : .overdubbing))
      stage.press(.stop, loop)
      stage.rest(4800)
      let begin = stage.time
      stage.send(.play, loop)
      stage.rest(length)
      // But for the fades where something was added, five milliseconds at each end, and the opening.
      var near = Set<Int>()
      for press in own.dropFirst(2) {
        for frame in -1...241 { near.insert(((press - own[1] + frame) % length + length) % length) }
      }
      for frame in 300..<length - 300 where !near.contains(frame) {
        let found = Double(stage.stems[loop][begin + frame])
        guard abs(found - clip[frame]) > 1e-6 else { continue }
        Issue.record("loop \(loop), frame \(frame): \(found), not \(clip[frame])")
        break
      }
    }
  }
}
