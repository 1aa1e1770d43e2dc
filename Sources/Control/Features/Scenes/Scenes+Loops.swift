internal import Engine
internal import JSON
internal import Library
internal import OSC

/// The loops of a scene.
extension Scenes {
  private func isLoaded(_ ready: ReadyScene) -> Bool {
    context[Loops.self].sets.loaded == ready.loopSet
  }

  /// The commands that stop and play loops, counted from 0.
  func loopActions(stopping: [Int], playing: [Int]) -> [Command.Action] {
    stopping.map { .loop(.bringToStop, loop: UInt8($0)) }
      + playing.map { .loop(.bringToPlay, loop: UInt8($0)) }
  }

  // MARK: - Sets

  /// Whether a switch need not wait for its loop set.
  func isSetReady(_ queued: Queued) -> Bool {
    let name = queued.ready.loopSet
    if name.isEmpty || isLoaded(queued.ready) || context[.mixer(.lock)] != 0 { return true }
    // All loops are exchanged on one frame: none while a clip of the last exchange is being copied.
    if context[Loops.self].sets.exchanging > 0 { return false }
    if case .unread = sets.state(of: name) { return false }
    return true
  }

  /// The commands that replace all loops by those of the set of a scene; none if it has no set, or that is loaded.
  func setCommands(_ queued: Queued) -> [PlannedCommand] {
    let (ready, request) = (queued.ready, queued.request)
    guard !ready.loopSet.isEmpty, !isLoaded(ready) else { return [] }
    if context[.mixer(.lock)] != 0 {
      request.refuse(
        Refusal(.denied, "\(request.path): the lock is on, and the loops stay; /lock 0 unlocks"))
      return []
    }
    switch sets.state(of: ready.loopSet) {
    case .unread: return []
    case .failed(let refusal):
      request.refuse(refusal)
      return []
    case .ready(let set):
      for fault in set.faults { request.refuse(fault) }
      let part = queued.chosenPart.map { $0 > 0 ? partLoops[$0 - 1].map { $0 - 1 } : [] } ?? []
      do throws(Refusal) {
        return try context[Loops.self].sets.exchange(
          set, playing: ready.playing + part, except: ready.untouched
        ) {
          request.refuse($0)
        }
      } catch {
        request.refuse(error)
        return []
      }
    }
  }
}
