internal import DSP

/// A recording in place of the input.
extension Core {
  /// Replaces the input by a recording before anything is rendered, with or without pitch correction.
  mutating func play(_ recording: SongPointer, isTuned: Bool) {
    var recorded = RecordedInput(recording, isTuned: isTuned, sampleRate: sampleRate)
    recorded.follow(chain.warp)
    input.play(recorded)
    if isTuned { chain.expectStretchedInput() }
  }

  /// The delay of the input or its recording, in frames.
  var inputDelay: Int {
    @_noLocks get {
      guard let recording = input.recording else { return chain.input.delay }
      return recording.pointee.delay &+ (recording.pointee.isTuned ? chain.input.delay : 0)
    }
  }

  /// Renders a recording without pitch correction as the live input.
  @_noLocks
  mutating func render(
    _ recording: UnsafeMutablePointer<RecordedInput>, frames: Int, ports: Ports
  ) {
    let sound = ports.live
    let warped = segment.warped
    // The input itself is silent.
    _ = chain.input.process(
      segment.silence, isSilent: true, isVoice: false, isNeeded: false, to: warped, frames: frames)
    segment.isDrySilent = recording.pointee.isOver
    if segment.isDrySilent {
      loops.remember(nil, in: .live, frames: frames)
      input.gain.skip(frames: frames)
      strips.live.pointee.skip(frames: frames)
      sound.clear(frames: frames)
      return
    }
    recording.pointee.render(plain: sound, chain: warped, frames: frames)
    var sameGain = input.gain
    input.gain.apply(to: sound, frames: frames, scratch: segment.scratch)
    sameGain.apply(to: warped, frames: frames, scratch: segment.scratch)
    _ = stopNonFinite(sound.left, meter: .in1, frames: frames)
    _ = stopNonFinite(sound.right, meter: .in2, frames: frames)
    // The gain can overflow. Effects would keep the result.
    count(nonFinite: warped.silenceNonFinite(frames: frames))
    let usesChannel = input.usesChannel
    _ = passChannel(sound, isSilent: false, frames: frames)
    chain.input.renderHarmonies(of: sound, frames: frames)
    if usesChannel { input.processPitchedChannel(warped, frames: frames) }
    mix(
      sound, toChain: .another(warped), by: strips.live, ports, meters: (.live1, .live2),
      frames: frames)
  }
}
