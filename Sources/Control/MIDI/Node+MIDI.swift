internal import Engine
internal import OSC

/// The keyboard: what its keys sound, and what its controllers turn.
extension Node {
  /// Lets the keys of a keyboard sound at other pitches from now on, in cents above MIDI key 0: one
  /// for each of the 128 keys where they snap to the scale, and one where they don't.
  ///
  /// A key that is held goes on as it began.
  func setKeyMap(snapped: [Float], own: [Float]) throws(Refusal) {
    let map = KeyMap(snapped: snapped, own: own)
    let command = PlannedCommand(
      action: .keyMap(map.pointer),
      whenDone: { [weak self] in
        // The audio thread has let all go that came before.
        guard let self, let place = keyMaps.firstIndex(where: { $0 === map }) else { return }
        keyMaps.removeFirst(place)
      })
    keyMaps.append(map)
    do throws(Refusal) {
      try submit([command], path: "", client: nil)
    } catch {
      keyMaps.removeLast()
      throw error
    }
  }

  /// Waits for a controller that moves, to bind it to an address; or binds one at once.
  func learn(_ path: String, controller: Int?, for client: Client?) throws(Refusal) {
    guard let address = table[path] else { throw unknown(path) }
    guard address.argument(turnedTo: 0) != nil else {
      throw Refusal(
        .type, "\(path) takes \(address.usage), and can't be turned by a controller")
    }
    if let controller {
      bindings.bind(controller, to: path, for: client, node: self)
    } else {
      bindings.learn(path, for: client, node: self)
    }
  }

  /// Lets no controller turn an address.
  func forgetBinding(_ path: String, for client: Client?) throws(Refusal) {
    guard bindings.forget(path, for: client, node: self) else {
      throw Refusal(.missing, "no controller is bound to \(quoted(path)); /midi/bindings lists all")
    }
  }

  /// Answers with all that is bound, and how much that is.
  func listBindings(for client: Client?) {
    let all = bindings.controllers.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
    for (path, controller) in all {
      reply("/midi/binding", [.string(path), .int32(Int32(controller))], to: client)
    }
    reply("/midi/bindings/end", [.int32(Int32(all.count))], to: client)
  }
}
