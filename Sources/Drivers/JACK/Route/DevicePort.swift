/// A MIDI port of another client, with the name of its device.
struct DevicePort: Equatable {
  /// The full name of the port.
  let name: String
  /// The name that remains when the device is plugged in again.
  let device: String
  /// Whether messages come from it.
  let isSource: Bool
}
