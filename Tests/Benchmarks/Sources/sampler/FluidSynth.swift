internal import CFluidSynth

/// FluidSynth as a library, with its effects off.
final class FluidSynth: Synth {
  /// The interpolation between samples.
  enum Interpolation: Int32 {
    /// The default.
    case fourth = 4
    /// The best one.
    case seventh = 7
  }

  let name: String
  private let settings: OpaquePointer
  private let synth: OpaquePointer

  init(_ interpolation: Interpolation, loadsAll: Bool = false) {
    name = loadsAll ? "fluidsynth, the full font" : "fluidsynth, order \(interpolation.rawValue)"
    settings = new_fluid_settings()
    fluid_settings_setnum(settings, "synth.sample-rate", 48_000)
    fluid_settings_setint(settings, "synth.reverb.active", 0)
    fluid_settings_setint(settings, "synth.chorus.active", 0)
    fluid_settings_setint(settings, "synth.polyphony", 512)
    // If supported, it reads only the samples of the programs played.
    fluid_settings_setint(settings, "synth.dynamic-sample-loading", loadsAll ? 0 : 1)
    synth = new_fluid_synth(settings)
    fluid_synth_set_interp_method(synth, -1, interpolation.rawValue)
  }

  deinit {
    delete_fluid_synth(synth)
    delete_fluid_settings(settings)
  }

  func load(_ font: String, bank: Int, program: Int) throws {
    let id = fluid_synth_sfload(synth, font, 1)
    guard id >= 0, fluid_synth_program_select(synth, 0, id, Int32(bank), Int32(program)) == 0 else {
      throw Failure("fluidsynth can't load \(font)")
    }
  }

  func begin(key: Int, velocity: Int) { fluid_synth_noteon(synth, 0, Int32(key), Int32(velocity)) }

  func silence() {
    fluid_synth_all_sounds_off(synth, -1)
    _ = play(4800)
  }

  func render(_ frames: Int, left: UnsafeMutablePointer<Float>, right: UnsafeMutablePointer<Float>)
  {
    fluid_synth_write_float(synth, Int32(frames), left, 0, 1, right, 0, 1)
  }

  var voices: Int { Int(fluid_synth_get_active_voice_count(synth)) }
}
