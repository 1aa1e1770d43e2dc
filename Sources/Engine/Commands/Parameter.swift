/// What a command can set in the engine.
///
/// One case for each address that is heard; its values travel as `Float` in the address's unit.
package enum Parameter: UInt16, CaseIterable, Sendable, BitwiseCopyable {
  case inGain, liveGain, loopGain, gridGain, musicGain, outGain
  case liveRoute, loopRoute, gridRoute, musicRoute
  case mute
}
