/// The parameters by the names of their addresses, whoever owns them.
extension Parameter {
  package static var inGain: Parameter { .mixer(.inGain) }
  package static var liveGain: Parameter { .mixer(.liveGain) }
  package static var loopGain: Parameter { .loop(.gain) }
  package static var gridGain: Parameter { .mixer(.gridGain) }
  package static var musicGain: Parameter { .mixer(.musicGain) }
  package static var outGain: Parameter { .mixer(.outGain) }
  package static var liveRoute: Parameter { .mixer(.liveRoute) }
  package static var loopRoute: Parameter { .loop(.route) }
  package static var gridRoute: Parameter { .mixer(.gridRoute) }
  package static var musicRoute: Parameter { .mixer(.musicRoute) }
  package static var mute: Parameter { .mixer(.mute) }

  package static var pitchOn: Parameter { .warp(.pitchOn) }
  package static var pitchSemitones: Parameter { .warp(.semitones) }
  package static var pitchFormant: Parameter { .warp(.formant) }
  package static var pitchMix: Parameter { .warp(.mix) }
  package static var pitchEngine: Parameter { .warp(.engine) }
  package static var stretchOn: Parameter { .warp(.stretchOn) }
  package static var stretchRate: Parameter { .warp(.rate) }

  package static var echoOn: Parameter { .echo(.on) }
  package static var echoTime: Parameter { .echo(.time) }
  package static var echoBeats: Parameter { .echo(.beats) }
  package static var echoFeedback: Parameter { .echo(.feedback) }
  package static var echoTone: Parameter { .echo(.tone) }
  package static var echoLowcut: Parameter { .echo(.lowcut) }
  package static var echoSpread: Parameter { .echo(.spread) }
  package static var echoGlide: Parameter { .echo(.glide) }
  package static var echoHold: Parameter { .echo(.hold) }
  package static var echoMix: Parameter { .echo(.mix) }

  package static var reverbOn: Parameter { .reverb(.on) }
  package static var reverbDecay: Parameter { .reverb(.decay) }
  package static var reverbSize: Parameter { .reverb(.size) }
  package static var reverbDamping: Parameter { .reverb(.damping) }
  package static var reverbPredelay: Parameter { .reverb(.predelay) }
  package static var reverbMix: Parameter { .reverb(.mix) }

  package static var tempo: Parameter { .beat(.tempo) }
  package static var metronomeBeats: Parameter { .beat(.beatsPerBar) }
  package static var transportFollow: Parameter { .beat(.transportFollow) }
  package static var metronomeCountIn: Parameter { .beat(.countIn) }

  package static var metronomeOn: Parameter { .metronome(.on) }
  package static var metronomeGain: Parameter { .metronome(.gain) }

  package static var midiSnap: Parameter { .keyboard(.snap) }
  package static var midiBend: Parameter { .keyboard(.bend) }
  package static var midiChannel: Parameter { .keyboard(.channel) }

  package static var playerSource: Parameter { .loop(.source) }
  package static var playerLoop: Parameter { .loop(.loop) }
  package static var playerDirection: Parameter { .loop(.direction) }
  package static var loopFeedback: Parameter { .loop(.feedback) }
  package static var loopQuantize: Parameter { .loop(.quantize) }
  package static var loopBeats: Parameter { .loop(.beats) }
  package static var loopTempo: Parameter { .beat(.fitsFirst) }
  package static var loopThreshold: Parameter { .loop(.threshold) }
  package static var loopSemitones: Parameter { .loop(.semitones) }
  package static var loopRate: Parameter { .loop(.rate) }
  package static var loopEngine: Parameter { .loop(.engine) }

  package static var loopPan: Parameter { .loop(.pan) }
  package static var loopMute: Parameter { .loop(.mute) }
  package static var loopAfter: Parameter { .loop(.after) }

  package static var guardOn: Parameter { .howlGuard(.on) }
  package static var guardHold: Parameter { .howlGuard(.hold) }

  package static var captureSource: Parameter { .capture(.source) }
  package static var captureFormat: Parameter { .capture(.format) }
}
