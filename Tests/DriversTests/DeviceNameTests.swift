import Testing

@testable import Drivers

@Suite struct DeviceNameTests {
  @Test(arguments: [
    ("a2j:Pedal [24] (capture): Pedal MIDI 1", "a2j:Pedal (capture): Pedal MIDI 1"),
    ("Midi-Bridge:Pedal 24:(capture_0) Pedal MIDI 1", "Midi-Bridge:Pedal:(capture_0) Pedal MIDI 1"),
  ])
  func `the number of a client is left out`(name: String, device: String) {
    #expect(DeviceName.lasting(name, aliases: []) == device)
  }

  @Test(arguments: [
    ("alsa_pcm:Pedal/midi_capture_1", "alsa_pcm:Pedal/midi_capture_1"),
    ("alsa_pcm:in-hw-2-0-0-Pedal-MIDI-1", "alsa_pcm:in-hw-0-0-Pedal-MIDI-1"),
  ])
  func `a numbered port has its device in an alias`(alias: String, device: String) {
    #expect(DeviceName.lasting("system:midi_capture_3", aliases: [alias]) == device)
    #expect(DeviceName.lasting("system:midi_capture_3", aliases: []) == nil)
  }

  @Test(arguments: [
    "a2j:Pedal (capture): Pedal MIDI 1", "seq:out", "Midi-Bridge:Pedal 2 MIDI:(capture_0)",
    "a2j:Pedal [new] (capture)", "", "Midi-Bridge:(", "app:in-hw-x",
  ])
  func `other names are their own`(name: String) {
    #expect(DeviceName.lasting(name, aliases: ["alias"]) == nil)
  }
}
