internal import DSP

extension Loop {
  /// Takes over the clip of a loop at another sample rate, converted to its own.
  ///
  /// Not on the audio thread.
  mutating func adopt(_ former: borrowing Loop) {
    let length = former.tape.length
    guard length > 0, let version = tape.beginLoading() else { return }
    let bank = SincBank()
    let speed = former.sampleRate / sampleRate
    let table = bank.table(forSpeed: Float(speed))
    // Silence precedes the clip, and its tail follows it.
    let reach = bank.reach(ofTable: table) + 1
    let count = length + former.tape.seam + 2 * reach
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: 2 * count)
    defer { memory.deallocate() }
    memory.initialize(repeating: 0, count: 2 * count)
    let (left, right) = (memory, memory + count)
    former.tape.readCurrent(
      to: Stereo(left + reach, right + reach), frames: length + former.tape.seam)
    let newLength = min(Int((Double(length) / speed).rounded()), tape.capacity)
    let whole = newLength + tape.seam
    let piece = UnsafeMutablePointer<Float>.allocate(capacity: 512)
    defer { piece.deallocate() }
    let out = Stereo(piece, piece + 256)
    let step = Int64(speed * 4_294_967_296)
    var done = 0
    while done < whole {
      let frames = min(256, whole - done)
      let place = Int64((Double(done) * speed + Double(reach)) * 4_294_967_296)
      bank.read(
        table: table, left: left, right: right, from: place, step: step, to: out, frames: frames)
      tape.load(out, into: version, at: done, frames: frames)
      done += frames
    }
    tape.setClip(version, asIn: former.tape)
    tape.finishLoading(version, length: newLength, framesBehind: tape.seam)
    takeOver(stateOf: former)
  }
}
