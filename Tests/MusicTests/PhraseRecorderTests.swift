import Music
import Testing

@Suite struct PhraseRecorderTests {
  @Test func `notes have their times from the beginning on`() {
    var recorder = PhraseRecorder(at: 100)
    let first = recorder.touch(60, name: "C", velocity: 0.5, cents: -14, at: 100.5)
    #expect(first)
    let second = recorder.touch(64, name: "E", at: 101)
    #expect(second)
    recorder.release(60, at: 102)
    recorder.release(64, at: 102.5)
    let phrase = recorder.ended(at: 103)
    #expect(phrase.length == 3)
    #expect(phrase.names == ["C", "E"])
    #expect(phrase.touches.map(\.time) == [0.5, 1])
    #expect(phrase.touches.map(\.release) == [2, 2.5])
    #expect(phrase.touches.map(\.note) == [60, 64])
    #expect(phrase.touches.map(\.velocity) == [0.5, 1])
    #expect(phrase.touches.map(\.cents) == [-14, 0])
  }

  @Test func `it is over after ten seconds, and what sounds then ends there`() {
    var recorder = PhraseRecorder(at: 5)
    recorder.touch(60, name: "C", at: 14.5)
    #expect(!recorder.isOver(at: 14.999))
    #expect(recorder.isOver(at: 15))
    let late = recorder.touch(62, name: "D", at: 15)
    #expect(!late)
    recorder.release(60, at: 17)
    let phrase = recorder.ended(at: 20)
    #expect(phrase.length == 10)
    #expect(phrase.names == ["C"])
    #expect(phrase.touches[0].release == 10)
  }

  @Test func `what still sounds ends with the phrase`() {
    var recorder = PhraseRecorder(at: 0)
    recorder.touch(60, name: "C", at: 1)
    let phrase = recorder.ended(at: 2)
    #expect(phrase.touches[0].release == 2)
  }

  @Test func `a note that is touched again ends before, and so does one touched with nothing`() {
    var recorder = PhraseRecorder(at: 0)
    recorder.touch(60, name: "C", at: 1)
    recorder.touch(60, name: "C", at: 2)
    let ended = recorder.touch(60, name: "C", velocity: 0, at: 3)
    #expect(ended)
    recorder.touch(61, name: "C#", velocity: .nan, at: 3)
    recorder.release(72, at: 3.5)
    let phrase = recorder.ended(at: 4)
    #expect(phrase.touches.map(\.time) == [1, 2])
    #expect(phrase.touches.map(\.release) == [2, 3])
  }

  @Test func `notes of one number and other cents are others`() {
    var recorder = PhraseRecorder(at: 0)
    recorder.touch(46, name: "A#-37", cents: -37, at: 1)
    recorder.touch(46, name: "A#+26", cents: 26, at: 2)
    recorder.touch(46, name: "Bb", at: 2)
    recorder.release(46, cents: -37, at: 3)
    recorder.release(46, cents: 1, at: 3.5)
    recorder.release(46, at: 4)
    #expect(recorder.ended(at: 5).touches.map(\.release) == [3, 4, 4])
  }

  @Test func `a clock that goes back, or tells no time, harms nothing`() {
    var recorder = PhraseRecorder(at: 10)
    recorder.touch(60, name: "C", at: 5)
    recorder.touch(62, name: "D", at: 12)
    recorder.release(62, at: 11)
    recorder.touch(64, name: "E", velocity: 7, at: .nan)
    let phrase = recorder.ended(at: -.infinity)
    #expect(phrase.touches.map(\.time) == [0, 2, 2])
    #expect(phrase.touches.map(\.release) == [2, 2, 2])
    #expect(phrase.touches[2].velocity == 1)
    #expect(phrase.length == 2)
    #expect(PhraseRecorder(at: 0).ended(at: .infinity).length == 10)
  }

  @Test func `there is an end to how many notes it takes`() {
    var recorder = PhraseRecorder(at: 0)
    for index in 0..<Phrase.mostTouches {
      let fits = recorder.touch(60, name: "C", at: Double(index) / 1000)
      #expect(fits)
    }
    let tooMany = recorder.touch(62, name: "D", at: 5)
    #expect(!tooMany)
    #expect(recorder.count == Phrase.mostTouches)
    recorder.release(60, at: 6)
    #expect(recorder.ended(at: 7).touches.last?.release == 6)
  }
}
