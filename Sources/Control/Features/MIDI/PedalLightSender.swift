internal import Engine

/// Sends the LEDs of pedals to the audio thread, which follows their state where it can.
final class PedalLightSender {
  private let context: Context
  private let maps: Handover<LightMap>
  // The bindings whose LEDs only the control side can determine, and their last states.
  private var polled: [Binding] = []
  private var states: [PedalLight.Meaning?] = []

  init(_ context: Context) {
    self.context = context
    maps = Handover(context, path: MIDI.lights)
  }

  /// Sends the LEDs of bindings with the MIDI values of their states, or resends all of them.
  ///
  /// Returns false if the command queue is full.
  func send(_ bindings: [Binding], values: LightValues, again: Bool) -> Bool {
    let table = PedalLightTable(context)
    let lights = table.lights(of: bindings)
    polled = bindings.filter(table.mustLook)
    states = polled.map(table.meaning)
    // Without any LED so far, no map is needed.
    if maps.count == 0, lights.isEmpty { return true }
    let map = LightMap(lights, values: values)
    return (try? maps.send(map, by: .setLightMap(map.pointer, sendsAgain: again))) != nil
  }

  /// Whether LEDs that only the control side can determine have changed.
  func haveChanged(_ table: PedalLightTable) -> Bool {
    !polled.isEmpty && polled.map(table.meaning) != states
  }
}
