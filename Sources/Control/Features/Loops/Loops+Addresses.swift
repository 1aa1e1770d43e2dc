internal import Engine
internal import OSC

extension Loops {
  typealias Declared = Declaring<Loops>

  /// The alias of the selected loop.
  static let selectedPath = "/loop/selected"
  static let addresses: [Address] = addresses(LoopSetup())

  static func addresses(_ setup: LoopSetup) -> [Address] {
    let loops = (0..<setup.count).map { addresses(ofLoop: $0, seconds: Float(setup.seconds)) }
    return loops.flatMap(\.self) + loops[0].map(selected) + common
  }

  /// The same address of the selected loop.
  private static func selected(_ first: Address) -> Address {
    let name = first.path.dropFirst("/loop/1/".count)
    return Address("\(selectedPath)/\(name)", aliasOf: first.path) { features in
      "/loop/\(features[Loops.self].selected + 1)/\(name)"
    }
  }

  /// All addresses of one loop, counted from 0.
  private static func addresses(ofLoop index: Int, seconds: Float) -> [Address] {
    let path = "/loop/\(index + 1)"
    let family: Address.Family = index == 0 ? .first : .further
    func command(
      _ name: String, _ forms: [Address.Form], unit: String = "", _ help: String,
      _ action: @escaping @Sendable (Request) -> Command.Action
    ) -> Address {
      Address(
        "\(path)/\(name)",
        Declared.command(forms, isButton: forms.isEmpty) { loops, request in
          loops.command(action(request), of: index, request)
        }, unit: unit, family: family, help)
    }
    func button(_ action: LoopAction, _ help: String) -> Address {
      command(action.word, [], help) { _ in .loop(action, loop: UInt8(index)) }
    }
    func keep(
      _ name: String, _ unit: String, _ range: ClosedRange<Double>, isBars: Bool, _ help: String
    ) -> Address {
      command(name, [.needed(unit, .number, in: range)], unit: unit, help) {
        .keep(Float($0.number(0) ?? 0), isBars: isBars, loop: UInt8(index))
      }
    }
    func reading(
      _ name: String, _ types: String, _ help: String,
      _ read: @escaping @Sendable (Loops) -> [Argument]
    ) -> Address {
      Address("\(path)/\(name)", Declared.reading(types, read: read), family: family, help)
    }
    return [
      button(
        .recordOn,
        "Starts or ends a recording, which continues as after says; resumes a paused one"),
      button(.play, "Plays or pauses the loop; ends a recording"),
      button(.pause, "Pauses or resumes playback or recording"),
      button(.stop, "Stops playback or recording and rewinds to the start"),
      button(.overdub, "Starts or ends overdubbing of the source onto the loop"),
      button(.replace, "Starts or ends replacing the loop with the source"),
      button(
        .substitute,
        "Starts or ends replacing the loop with the source while the previous cycle is heard"),
      button(.multiply, "Starts or ends repeating the loop under an overdub, in whole cycles"),
      button(.insert, "Starts or ends inserting the source at the playhead"),
      button(.once, "Plays the loop once, from start to end"),
      button(.undo, "Undoes the last step"),
      button(.redo, "Redoes the last undone step"),
      button(.clear, "Clears the loop; undo restores it"),
      button(.cancel, "Cancels the command that waits for a beat or the threshold"),
      keep(
        "keep", "bars", 0.25...64, isBars: true,
        "Retroactive recording: makes a loop of the last bars of the source"),
      keep(
        "keepSeconds", "s", 0.05...60, isBars: false,
        "Retroactive recording: makes a loop of the last seconds of the source"),
      command(
        "fade", [.needed("s", .number, in: -600...600)], unit: "s",
        "Fades the loop in over this time, starting it if stopped; negative fades it out and stops it"
      ) { .fade(Float($0.number(0) ?? 0), isBars: false, loop: UInt8(index)) },
      command(
        "fadeBars", [.needed("bars", .number, in: -64...64)], unit: "bars",
        "Like fade, in bars"
      ) { .fade(Float($0.number(0) ?? 0), isBars: true, loop: UInt8(index)) },
      Address(
        "\(path)/copy",
        Declared.task([.needed("loop", .whole, in: 1...Double(Parameter.mostLoops))]) {
          loops, request throws(Refusal) in
          try loops.copy(index, request)
        }, family: family,
        "Copies the clip of the loop to another loop; undo there restores its former clip"),
      Address(
        "\(path)/swap",
        Declared.task([.needed("loop", .whole, in: 1...Double(Parameter.mostLoops))]) {
          loops, request throws(Refusal) in
          try loops.swap(index, request)
        }, family: family, "Swaps the clips of the loop and another one; undo restores them"),
      Address(
        "\(path)/pedal",
        Declared.gesture([.optional("down", .number, in: 0...127)]) { loops, request, plan in
          loops.press(index, request, &plan)
        }, family: family,
        "Pedal, 0 releases it: a press records, plays, overdubs, plays and so on; pedal/long and "
          + "pedal/double set long and double presses"),
    ] + LoopValue.all.map { $0.address(ofLoop: index) } + [
      Address(
        "\(path)/position",
        Declared.playhead(in: 0...seconds) { loops in
          loops.status(of: index).position
        } make: { loops, seconds, request in
          loops.command(.seek(seconds, loop: UInt8(index)), of: index, request)
        },
        unit: "s", family: family, "Playhead in the clip; a number jumps there"),
      reading(
        "state", "sffis",
        "State of the loop (empty, recording, overdubbing, replacing, substituting, multiplying, "
          + "inserting, playing, muted, paused, stopped), position and length in seconds, number "
          + "of overdubs, and the queued state"
      ) { $0.status(of: index).loop },
      reading("history", "ii", "Number of undo and redo steps") { $0.status(of: index).steps },
      reading(
        "next", "sf",
        "Command that waits for a beat or the threshold, and the seconds left; -1 if unknown"
      ) { $0.status(of: index).waiting },
      reading(
        "peaks", "f…",
        "Peaks of 256 equal parts of the clip, from 0 to 1, none without a clip; sent at most four "
          + "times a second"
      ) { $0.peaks(index) },
      Address(
        "\(path)/save",
        Declared.task([.optional("title", .text)]) { loops, request throws(Refusal) in
          try loops.context[Takes.self].save(request, loop: index)
        }, family: family, "Saves the loop as a take, like /take/save"),
      Address(
        "\(path)/load",
        Declared.task([.needed("take", .text)]) { loops, request throws(Refusal) in
          try loops.context[Takes.self].load(request, loop: index)
        }, family: family, "Loads a take into the loop, like /take/load"),
    ]
  }

  private static func fadeAll(
    _ path: String, _ unit: String, _ range: ClosedRange<Double>, isBars: Bool, _ help: String
  ) -> Address {
    Address(
      path,
      Declared.command([.needed(unit, .number, in: range)]) { _, request in
        PlannedCommand(action: .fadeAll(Float(request.number(0) ?? 0), isBars: isBars))
      }, unit: unit, help)
  }

  private static let common: [Address] =
    [
      Address(
        "/loop/select",
        Declared.arrangement([.whole(in: 1...Parameter.mostLoops)], \.selectedNumber) {
          loops, request, plan throws(Refusal) in
          try loops.select(request, &plan)
        },
        "Number of the loop that /loop/selected/… refers to"),
      Address(
        "/loop/next",
        Declared.command(isButton: true) { loops, request in
          PlannedCommand(
            action: .nextLoop,
            whenRefused: { refusal in
              request.refuse(loops.refusal(refusal, to: request.path, of: 0))
            })
        },
        "Ends the current loop recording, with its after setting applied, or records into the first empty loop"
      ),
      fadeAll(
        "/loops/fade", "s", -600...600, isBars: false,
        "Fades in all loops; if negative, fades out all playing loops"),
      fadeAll(
        "/loops/fadeBars", "bars", -64...64, isBars: true, "Like /loops/fade, in bars"),
      Address(
        "/loops/size", Declared.reading("iff") { $0.size },
        "Number of loops (--loops), maximum length in seconds (--loop-seconds), and memory of all loops "
          + "and the recent audio in MB"),
    ] + LoopSets.addresses
}
