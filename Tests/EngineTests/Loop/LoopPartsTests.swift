import Testing

@testable import Engine

/// The components of a loop, tested separately.
@Suite struct LoopPartsTests {
  private let beats: BeatClock = {
    var beats = BeatClock(sampleRate: 1000)
    beats.setTempo(60, at: 0)
    beats.beginBar(at: 0)
    return beats
  }()

  // MARK: - The queue

  @Test func `an action is due on the frame nearest to its time, and never before it is queued`() {
    var queued = Queued()
    #expect(queued.isEmpty && queued.frame == .max && queued.framesToGo(at: 5) == .max)
    queued.put(.play, due: 1999.6, from: 1500)
    #expect(queued.frame == 2000 && queued.exact == 1999.6)
    #expect(queued.framesToGo(at: 1500) == 500 && !queued.isDue(by: 1999) && queued.isDue(by: 2000))
    queued.put(.stop, due: 1499.6, from: 1501)
    #expect(queued.holds(.stop) && !queued.holds(.play) && queued.frame == 1501)
    // Without a grid it is due at once, without an exact time.
    queued.put(.overdub, due: -1, from: 1600)
    #expect(queued.isDue(by: 1600) && queued.exact < 0)
    queued.clear()
    #expect(queued.isEmpty && queued.exact < 0)
  }

  @Test func `waiting for sound, it is never due, and does not count in`() {
    var queued = Queued()
    queued.put(.record, afterBars: 1, of: beats, from: 1)
    queued.putUntilSound(.recordOn)
    #expect(queued.holds(.recordOn) && !queued.isDue(by: 1 << 40) && !queued.isCounted)
    #expect(queued.framesToGo(at: 0) == .max)
  }

  @Test func `a count-in starts with a bar, and the action so many bars later`() {
    var queued = Queued()
    queued.put(.record, afterBars: 2, of: beats, from: 1500)
    #expect(queued.isCounted && queued.countStart == 4000 && queued.frame == 12_000)
    #expect(queued.framesToCount(at: 1500) == 2500)
    #expect(!queued.isCounting(at: 3999) && queued.isCounting(at: 4000))
    #expect(queued.isCounting(at: 11_999) && !queued.isCounting(at: 12_000))
  }

  @Test func `when the beats move, the number of remaining bars is the same`() {
    var (queued, moved) = (Queued(), beats)
    queued.put(.record, afterBars: 2, of: beats, from: 1500)
    queued.saveBars(of: beats, at: 3000)
    moved.setTempo(120, at: 3000)
    // A quarter of the bar is left, half as long.
    queued.restoreBars(of: moved, at: 3000)
    #expect(queued.countStart == 3500 && queued.frame == 7500)
  }

  // MARK: - The recording

  @Test func `a recording has the length of its grid, unless that is not what was recorded`() {
    var recording = ClipRecording()
    var moment = Moment()
    moment.exact = 1000.25
    recording.begin(3, at: 1000, limit: 5000, moment: moment)
    recording.advance(frames: 2000)
    #expect(recording.version == 3 && recording.frames == 2000 && !recording.isFull)
    #expect(recording.cycle(endingAt: 3000.5) == 2000.25)
    #expect(recording.cycle(endingAt: 3000.250_000_000_1) == 2000)
    #expect(recording.exactEnd(after: 4000) == 5000.25)
    // It was paused meanwhile, or ends off the grid.
    #expect(recording.cycle(endingAt: 4000.5) < 0 && recording.cycle(endingAt: -1) < 0)
    recording.advance(frames: 3000)
    let (isFull, ended, endedAgain) = (recording.isFull, recording.end(), recording.end())
    #expect(isFull && ended == 3 && endedAgain == nil)
    #expect(recording.frames == 5000)
    recording.begin(4, at: 9000, limit: 5000, moment: Moment())
    #expect(recording.frames == 0 && !recording.continues)
    #expect(recording.cycle(endingAt: 9000) < 0 && recording.exactEnd(after: 1) < 0)
  }

  // MARK: - The layer

  @Test func `a layer has the length of its grid, unless it ended off the grid`() {
    var layer = Layer()
    layer.begin(.insert, at: 500, exact: 499.75, delay: 64, ofWarp: 0, lag: 0, inClipTime: false)
    #expect(layer.adds(.insert) && !layer.adds(.overdub) && layer.delay == 64)
    #expect(layer.length(at: 1500, exact: 1500.25) == 1000.5)
    #expect(
      layer.length(at: 1500, exact: 1600) == 1000 && layer.length(at: 1500, exact: -1) == 1000)
    layer.shift(by: 100)
    #expect(layer.length(at: 1600, exact: -1) == 1000)
    layer.end()
    #expect(!layer.adds(.insert) && layer.kind == .insert)
  }

  @Test func `kinds of layers grow the clip, or replace what it had`() {
    let all: [Layer.Kind] = [.overdub, .replace, .substitute, .multiply, .insert]
    #expect(all.filter(\.grows) == [.multiply, .insert])
    #expect(all.filter(\.replaces) == [.replace, .substitute, .insert])
  }

  // MARK: - Cues

  @Test func `only the last overdub that has not started is removed`() {
    var cues = RecorderCues()
    cues.add(.endOverdub, at: 10)
    let none = cues.removeLastOverdub()
    cues.add(.beginOverdub(.overdub), at: 20)
    cues.add(.endOverdub, at: 30)
    cues.add(.beginOverdub(.overdub), at: 40)
    cues.add(.endOverdub, at: 50)
    var removed = [cues.removeLastOverdub()]
    let isOneLeft = cues.waitsForOverdub
    removed += [cues.removeLastOverdub(), cues.removeLastOverdub()]
    #expect(!none && isOneLeft && removed == [true, true, false])
    let next = cues.nextFrame
    #expect(next == 10)
  }

  @Test func `removing a change of kind ends the layer there, and delays keep the order of cues`() {
    var cues = RecorderCues()
    cues.add(.changeOverdub(.replace), at: 20)
    cues.add(.endOverdub, at: 30)
    cues.add(.turn, at: 35)
    cues.delayOverdubs(by: 100)
    let isRemoved = cues.removeLastOverdub()
    #expect(isRemoved)
    var found: [Int64] = []
    while !cues.isEmpty {
      let cue = cues.removeFirst()
      found.append(cue.frame)
      if case .turn = cue.kind { #expect(cue.frame == 35) } else { #expect(cue.frame == 120) }
    }
    #expect(found == [35, 120])
  }

  // MARK: - Heard places

  /// Positions in a cycle of 1000 frames, 100 frames apart: at speed 1 up to frame 50,000, then at 1.5, or in
  /// reverse.
  private func places(speeds: [Double]) -> HeardPlaces {
    var places = HeardPlaces(sampleRate: 48_000)
    var place = 0.0
    for (index, speed) in speeds.enumerated() {
      for number in 0..<500 {
        let rest = place.truncatingRemainder(dividingBy: 1000)
        // The speed that is set comes a little before that which is heard.
        let next = speeds[min(index + (number > 490 ? 1 : 0), speeds.count - 1)]
        places.note(rest < 0 ? rest + 1000 : rest, speed: next, round: 1000)
        places.advance(frames: 100)
        place += 100 * speed
      }
    }
    return places
  }

  @Test func `what was heard in the last second is known through cycles and changes of speed`() {
    for sign in [1.0, -1] {
      let places = places(speeds: [sign, 1.5 * sign])
      #expect(places.now == 100_000)
      // Half a second ago, and a quarter, in frames of the clip.
      for (from, to, passed) in [
        (76_000, 88_000, 18_000.0), (99_000, 100_100, 1650), (60_123, 60_124, 1.5),
      ] {
        let first = places.place(at: Int64(from), speed: 1.5 * sign)
        let last = places.place(at: Int64(to), speed: 1.5 * sign)
        #expect(abs(last - first - sign * passed) < 1e-6)
      }
      // The last one that was noted.
      let now = places.place(at: 99_900, speed: 1.5 * sign)
      #expect(abs(now - (sign > 0 ? 850 : 150)) < 1e-6)
    }
    let both = places(speeds: [1, 1, 1.5])
    #expect(abs(both.place(at: 101_000, speed: 1) - both.place(at: 99_000, speed: 1) - 2500) < 1e-6)
  }

  @Test func `a jump makes what was heard before it unknown`() {
    var places = places(speeds: [1])
    places.note(500, speed: 1, round: 1000)
    places.advance(frames: 100)
    places.note(600, speed: 1, round: 1000)
    #expect(abs(places.place(at: 50_050, speed: 1) - 550) < 1e-6)
    #expect(abs(places.place(at: 49_000, speed: 0.5) - 0) < 1e-6)
  }
}
