internal import Engine
internal import InstrumentFiles
internal import JSON
internal import Library
internal import OSC

/// A scene that was checked against the address table, ready to take effect.
struct ReadyScene {
  /// A message that the control thread performs after the switch.
  struct Message {
    let path: String
    let arguments: [Argument]
  }

  /// The commands that take effect on the frame of the switch.
  private(set) var actions: [Command.Action] = []
  /// The settings of the grid whose effects on sound are part of the switch.
  private(set) var layout: [Message] = []
  /// The other settings, which the control thread makes afterwards.
  private(set) var messages: [Message] = []
  /// The normalized name of the instrument; nil leaves it alone.
  private(set) var instrument: String?
  /// The line of the instrument in its file.
  private(set) var instrumentLine = 1
  /// The playback of songs; nil leaves it alone.
  private(set) var song: Scene.Song?
  /// The part to play; nil leaves the parts alone.
  private(set) var part: Int?
  /// The loops to play and to stop, counted from 0.
  private(set) var playing: [Int] = []
  private(set) var stopped: [Int] = []
  private(set) var loopSet = ""
  /// The loops that the scene leaves alone, counted from 0.
  private(set) var untouched: Set<Int> = []

  /// Checks a scene, and adds an entry to `faults` for each part that the node can't do.
  ///
  /// `preset` has the settings of the scene's preset.
  init(
    _ scene: Scene, preset: [Preset.Setting], _ context: Context, _ faults: inout [JSON.Fault]
  ) {
    for setting in preset + scene.settings where scene.covers(setting.address) {
      do throws(Refusal) { try add(setting, context) } catch {
        faults.append(JSON.Fault(setting.line, error.message))
      }
    }
    // Sets the tuning first: the available scales depend on its number of notes.
    layout =
      layout.filter { $0.path == Fingerboard.tuning }
      + layout.filter { $0.path != Fingerboard.tuning }
    for program in scene.programs {
      actions.append(
        .programChange(UInt8(program.number - 1), channel: UInt8(program.channel - 1)))
    }
    let count = context.loopCount
    if let far = (scene.playing + scene.stopped).first(where: { $0 > count }) {
      faults.append(
        JSON.Fault(1, "loop \(far) is out of range (1 to \(count)); --loops sets the number"))
    }
    for limit in scene.only + scene.but where !Scene.isKnown(limit, in: context.table) {
      let line = scene.limitLines[limit] ?? 1
      faults.append(JSON.Fault(line, "\(limit) names no address; /help lists them"))
    }
    playing = scene.playing.map { $0 - 1 }.filter { scene.covers("/loop/\($0 + 1)/state") }
    stopped = scene.stopped.map { $0 - 1 }.filter { scene.covers("/loop/\($0 + 1)/state") }
    loopSet = scene.loopSet
    untouched = Set((0..<count).filter { !scene.covers("/loop/\($0 + 1)/state") })
    if let both = scene.playing.first(where: scene.stopped.contains) {
      faults.append(JSON.Fault(1, "loop \(both) is to play and to stop; name it once"))
    }
    song = scene.song
  }

  /// The number of the song that it plays.
  var songName: String? { if case .play(let number) = song { "\(number)" } else { nil } }

  private mutating func add(_ setting: Preset.Setting, _ context: Context) throws(Refusal) {
    guard let address = context.table[setting.address] else {
      throw context.dispatcher.unknown(setting.address)
    }
    guard let setter = address.value?.setting, !address.path.hasPrefix("/scene"),
      address.path != "/lock"
    else { throw Refusal(.type, "\(setting.address): no value that a scene can set") }
    let argument: Argument =
      switch setting.value {
      case .number(let number): .double(number)
      case .flag(let flag): .bool(flag)
      case .text(let text): .string(text)
      }
    if address.path == Scenes.part {
      part = Int(try address.match([argument], to: address.forms)[0]?.number ?? 0)
    } else if case .parameter = setter, let parameter = address.parameter {
      actions.append(.set(parameter, try address.value(from: argument)))
    } else {
      let arguments = setting.value == .text("") ? [.string("")] : [argument]
      _ = try address.match(arguments, to: address.forms)
      let message = Message(path: address.path, arguments: arguments)
      if let name = Self.instrument(setting) {
        (instrument, instrumentLine) = (name, setting.line)
      } else if Fingerboard.layoutSettings.contains(address.path) {
        layout.append(message)
      } else {
        messages.append(message)
      }
    }
  }

  /// The normalized name of the instrument that a setting chooses, unless it is made from the loop.
  private static func instrument(_ setting: Preset.Setting) -> String? {
    guard setting.address == Instruments.present, case .text(let text) = setting.value,
      let name = try? InstrumentName(text), !name.isOfTheLoop
    else { return nil }
    return name.plain
  }
}
