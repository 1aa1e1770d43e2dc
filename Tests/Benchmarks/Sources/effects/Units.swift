import DSP
import Harness

/// The node's effects, in the form that the harness measures.
nonisolated(unsafe) let units: [effect] = [
  shifter(
    "Syrinx live", kinds(EFFECT_PITCH, EFFECT_STRETCH),
    make: { rate, _ in boxed(PitchUnit(rate: rate, engine: .live)) },
    stretch: {
      stretch($0!, frames: $1, rate: $2, ratio: $3, to: $4!, room: $5, engine: .live)
    }),
  shifter(
    "Syrinx voice", kinds(EFFECT_PITCH, EFFECT_STRETCH, EFFECT_KEEPS_FORMANTS),
    make: { rate, _ in boxed(PitchUnit(rate: rate, engine: .voice)) },
    stretch: {
      stretch($0!, frames: $1, rate: $2, ratio: $3, to: $4!, room: $5, engine: .voice)
    }),
  shifter(
    "Syrinx studio", kinds(EFFECT_PITCH, EFFECT_STRETCH),
    make: { rate, _ in boxed(PitchUnit(rate: rate, engine: .studio)) },
    stretch: {
      stretch($0!, frames: $1, rate: $2, ratio: $3, to: $4!, room: $5, engine: .studio)
    }),
  effect(
    name: lasting("Syrinx reverb"), kinds: kinds(EFFECT_REVERB),
    make: { rate, _ in boxed(ReverbUnit(rate: rate)) },
    set: { unbox($0!, as: ReverbUnit.self).pointee.set($1, Float($2)) },
    process: { unit, input, output, frames in
      copy(input!, to: output!, frames: Int(frames))
      unbox(unit!, as: ReverbUnit.self).pointee.process(Stereo(output!), frames: Int(frames))
    },
    end: { end($0!, as: ReverbUnit.self) }, stretch: nil, delay: nil),
  effect(
    name: lasting("Syrinx echo"), kinds: kinds(EFFECT_ECHO),
    make: { rate, _ in boxed(EchoUnit(rate: rate)) },
    set: { unbox($0!, as: EchoUnit.self).pointee.set($1, Float($2)) },
    process: { unit, input, output, frames in
      copy(input!, to: output!, frames: Int(frames))
      unbox(unit!, as: EchoUnit.self).pointee.process(Stereo(output!), frames: Int(frames))
    },
    end: { end($0!, as: EchoUnit.self) }, stretch: nil, delay: nil),
  effect(
    name: lasting("Syrinx gate"), kinds: kinds(EFFECT_GATE),
    make: { rate, _ in boxed(GateUnit(rate: rate)) },
    set: { unbox($0!, as: GateUnit.self).pointee.set($1, Float($2)) },
    process: { unit, input, output, frames in
      copy(input!, to: output!, frames: Int(frames))
      unbox(unit!, as: GateUnit.self).pointee.process(Stereo(output!), frames: Int(frames))
    },
    end: { end($0!, as: GateUnit.self) }, stretch: nil, delay: nil),
  effect(
    name: lasting("Syrinx level"), kinds: kinds(EFFECT_LEVEL),
    make: { rate, _ in boxed(LevelUnit(rate: rate)) }, set: { _, _, _ in },
    process: { unit, input, output, frames in
      copy(input!, to: output!, frames: Int(frames))
      unbox(unit!, as: LevelUnit.self).pointee.process(Stereo(output!), frames: Int(frames))
    },
    end: { end($0!, as: LevelUnit.self) }, stretch: nil, delay: nil),
  tuner("Syrinx tune", make: { rate, _ in boxed(TuneUnit(rate: rate, engine: .live)) }),
  tuner("Syrinx tune, voice", make: { rate, _ in boxed(TuneUnit(rate: rate, engine: .voice)) }),
  effect(
    name: lasting("Syrinx harmonies"), kinds: kinds(EFFECT_HARMONIES),
    make: { rate, _ in boxed(HarmonyUnit(rate: rate)) }, set: { _, _, _ in },
    process: { unit, input, output, frames in
      unbox(unit!, as: HarmonyUnit.self).pointee.process(
        Stereo(input!), to: Stereo(output!), frames: Int(frames))
    },
    end: { end($0!, as: HarmonyUnit.self) }, stretch: nil,
    delay: { unbox($0!, as: HarmonyUnit.self).pointee.delay }),
  effect(
    name: lasting("Syrinx FFT"), kinds: kinds(EFFECT_TRANSFORM),
    make: { _, block in boxed(TransformUnit(size: Int(block))) },
    set: { _, _, _ in },
    process: { unit, _, _, _ in unbox(unit!, as: TransformUnit.self).pointee.process() },
    end: { end($0!, as: TransformUnit.self) }, stretch: nil, delay: nil),
]

/// Creates a `Warp` effect.
///
/// A C function captures nothing, so each engine has its own factory.
private func shifter(
  _ name: String, _ kinds: Int32,
  make: @escaping @convention(c) (Double, Int32) -> UnsafeMutableRawPointer?,
  stretch:
    @escaping @convention(c) (
      UnsafePointer<Float>?, Int, Double, Double, UnsafeMutablePointer<Float>?, Int
    ) -> Int
) -> effect {
  effect(
    name: lasting(name), kinds: kinds, make: make,
    set: { unbox($0!, as: PitchUnit.self).pointee.set($1, Float($2)) },
    process: { unit, input, output, frames in
      unbox(unit!, as: PitchUnit.self).pointee.process(
        Stereo(input!), to: Stereo(output!), frames: Int(frames))
    },
    end: { end($0!, as: PitchUnit.self) }, stretch: stretch,
    delay: { unbox($0!, as: PitchUnit.self).pointee.delay })
}

/// Creates a pitch correction.
private func tuner(
  _ name: String, make: @escaping @convention(c) (Double, Int32) -> UnsafeMutableRawPointer?
) -> effect {
  effect(
    name: lasting(name), kinds: kinds(EFFECT_TUNE), make: make, set: { _, _, _ in },
    process: { unit, input, output, frames in
      unbox(unit!, as: TuneUnit.self).pointee.process(
        Stereo(input!), to: Stereo(output!), frames: Int(frames))
    },
    end: { end($0!, as: TuneUnit.self) }, stretch: nil,
    delay: { unbox($0!, as: TuneUnit.self).pointee.delay })
}

private func kinds(_ kinds: effect_kinds...) -> Int32 {
  Int32(kinds.reduce(0) { $0 | $1.rawValue })
}
