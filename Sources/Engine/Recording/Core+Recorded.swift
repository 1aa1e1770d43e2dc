internal import DSP

/// A recording that has the place of the input.
extension Core {
  /// Takes a recording for the input, before anything is rendered.
  mutating func play(_ recording: SongPointer) {
    let memory = UnsafeMutablePointer<RecordedInput>.allocate(capacity: 1)
    memory.initialize(to: RecordedInput(recording, sampleRate: sampleRate))
    memory.pointee.follow(warp)
    recorded = memory
  }

  /// By how many frames what is played of the input is late.
  var inputDelay: Int {
    @_noLocks get { recorded.map { $0.pointee.delay } ?? chain.delay }
  }

  /// Whether nothing more comes of a recording.
  var isInputOver: Bool {
    @_noLocks get { recorded.map { $0.pointee.isOver } ?? true }
  }

  /// Renders the recording as the live input.
  @_noLocks
  mutating func render(
    _ recorded: UnsafeMutablePointer<RecordedInput>, frames: Int, ports: Ports
  ) {
    let sound = ports.live
    // The input itself is silent.
    _ = chain.warp(silence, isSilent: true, isNeeded: false, to: warped, frames: frames)
    isDrySilent = recorded.pointee.isOver
    if isDrySilent {
      loops.remember(nil, in: .live, frames: frames)
      inGain.skip(frames: frames)
      live.pointee.skip(frames: frames)
      Core.clear(sound, frames: frames)
      return
    }
    recorded.pointee.render(plain: sound, chain: warped, frames: frames)
    var sameGain = inGain
    inGain.apply(to: sound, frames: frames, scratch: scratch)
    sameGain.apply(to: warped, frames: frames, scratch: scratch)
    _ = stopNonFinite(sound.left, meter: .in1, frames: frames)
    _ = stopNonFinite(sound.right, meter: .in2, frames: frames)
    // A gain can lift what is finite over all bounds: effects would remember that.
    count(nonFinite: Magnitude.silenceNonFinite(warped.left, frames: frames))
    count(nonFinite: Magnitude.silenceNonFinite(warped.right, frames: frames))
    loops.remember(sound, in: .live, frames: frames)
    if loops.isListening || capture.needsInput {
      Blocks.copy(sound.left, to: dry.left, frames: frames)
      Blocks.copy(sound.right, to: dry.right, frames: frames)
    }
    mix(
      sound, toChain: .another(warped), by: live, ports, meters: (.live1, .live2), frames: frames)
  }
}
