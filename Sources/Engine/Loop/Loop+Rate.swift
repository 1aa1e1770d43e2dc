internal import DSP

extension Loop {
  /// Takes over the clip of a loop at another sample rate, converted to its own.
  ///
  /// Not on the audio thread.
  mutating func adopt(_ former: borrowing Loop) {
    let length = former.tape.length
    guard length > 0, let version = tape.beginClip() else { return }
    let bank = SincBank()
    let speed = former.sampleRate / sampleRate
    let table = bank.table(forSpeed: Float(speed))
    // Silence precedes the clip, and its tail follows it.
    let reach = bank.reach(ofTable: table) + 1
    let count = length + former.tape.seam + 2 * reach
    let buffers = Buffers()
    let sound = buffers.stereo(count)
    former.tape.readCurrent(
      to: sound.advanced(by: reach), frames: length + former.tape.seam)
    let newLength = min(Int((Double(length) / speed).rounded()), tape.capacity)
    let whole = newLength + tape.seam
    let out = buffers.stereo(256)
    let step = Int64(speed * 4_294_967_296)
    var done = 0
    while done < whole {
      let frames = min(256, whole - done)
      let place = Int64((Double(done) * speed + Double(reach)) * 4_294_967_296)
      bank.read(
        table: table, left: sound.left, right: sound.right, from: place, step: step, to: out,
        frames: frames)
      tape.load(out, into: version, at: done, frames: frames)
      done += frames
    }
    tape.setClip(version, asIn: former.tape)
    withExtendedLifetime(buffers) {}
    tape.finishLoading(version, length: newLength, framesBehind: tape.seam)
    tape.setBeat(former.tape.beat / speed)
    takeOver(stateOf: former)
  }
}
