import Music
import Testing

@Suite struct PhraseTests {
  private func written(_ phrase: Phrase) -> [String] {
    phrase.events.map { event in
      "\(event.time) \(phrase.touches[event.touch].name) \(event.isTouch ? "on" : "off")"
    }
  }

  @Test func `it is played in the order of its times, ends before beginnings`() {
    var recorder = PhraseRecorder(at: 0)
    recorder.touch(60, name: "C", at: 0)
    recorder.touch(64, name: "E", at: 1)
    recorder.release(60, at: 2)
    recorder.touch(67, name: "G", at: 2)
    recorder.touch(64, name: "E", at: 3)
    let phrase = recorder.ended(at: 4)
    #expect(
      written(phrase) == [
        "0.0 C on", "1.0 E on", "2.0 C off", "2.0 G on", "3.0 E off", "3.0 E on", "4.0 G off",
        "4.0 E off",
      ])
  }

  @Test func `a note of no length begins before it ends`() {
    var recorder = PhraseRecorder(at: 0)
    recorder.touch(60, name: "C", at: 1)
    recorder.touch(60, name: "C", at: 1)
    recorder.release(60, at: 1)
    #expect(
      written(recorder.ended(at: 2)) == ["1.0 C on", "1.0 C off", "1.0 C on", "1.0 C off"])
  }

  @Test func `whatever was recorded, no note sounds twice at once, and none is left`() {
    var state: UInt64 = 3
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    for _ in 0..<300 {
      var recorder = PhraseRecorder(at: 0)
      var time = 0.0
      for _ in 0..<60 {
        time += Double(random(4)) * 0.1
        if random(3) == 0 {
          recorder.release(60 + random(4), at: time)
        } else {
          recorder.touch(60 + random(4), name: "x", at: time)
        }
      }
      let phrase = recorder.ended(at: time)
      var sounding: [Int: Int] = [:]
      var last = 0.0
      for event in phrase.events {
        #expect(event.time >= last && event.time <= phrase.length)
        last = event.time
        let note = phrase.touches[event.touch].note
        #expect(sounding[note] == (event.isTouch ? nil : event.touch))
        sounding[note] = event.isTouch ? event.touch : nil
      }
      #expect(sounding.isEmpty)
    }
  }

  @Test func `an empty one is silent`() {
    let phrase = PhraseRecorder(at: 3).ended(at: 3)
    #expect(phrase.events.isEmpty && phrase.names.isEmpty && phrase.length == 0)
  }
}
