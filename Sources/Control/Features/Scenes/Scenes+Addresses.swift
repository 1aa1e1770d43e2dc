internal import Engine
internal import JSON
internal import Library
internal import OSC

/// The addresses of scenes, parts and set lists.
extension Scenes {
  typealias Declared = Declaring<Scenes>

  static let (scene, scenes, queue) = ("/scene", "/scenes", "/scene/queued")
  static let part = "/part"
  static let (setList, setLists) = ("/setlist", "/setlists")
  static let (setListScene, setListScenes) = ("/setlist/scene", "/setlist/scenes")

  static let fault = Event(
    "/scene/fault", "sis", "Reply to /scene/check: scene, line in its file, and what is wrong")
  static let checked = Event(
    "/scene/checked", "i", "End of the replies to /scene/check: number of faults")

  private static let moment = Address.Form.optional("moment", of: SceneMoment.words)

  static let addresses: [Address] =
    [
      Address(
        scene,
        Declared.slowSetting([.needed("scene", .text), moment], \.current, start: Scenes.load),
        "Switches to a scene, all values in one block, now or at the next beat, bar or cycle of the "
          + "leading loop, then replies /reply; without a name, replies with the one switched to last"
      ),
      Address(
        "/scene/next",
        Declared.action([moment], isButton: true) { scenes, request throws(Refusal) in
          try scenes.step(1, request)
        },
        "Switches to the next scene of the set list, or of all scenes if none is open"),
      Address(
        "/scene/previous",
        Declared.action([moment], isButton: true) { scenes, request throws(Refusal) in
          try scenes.step(-1, request)
        }, "Switches to the previous scene"),
      Address(
        "/scene/cancel", Declared.action(isButton: true, Scenes.cancel),
        "Withdraws the scene or part that waits for its moment"),
      Address(
        queue, Declared.reading("ss") { $0.waiting },
        "Scene or part that waits, and its moment, or the word time if a bundle sets it; empty for none"
      ),
      Address(
        "/scene/at",
        Declared.setting([.word(of: SceneMoment.words)]) {
          [.string($0.usualMoment.rawValue)]
        } write: { scenes, request in
          scenes.usualMoment = scenes.moment(request, 0)
          scenes.context.changed("/scene/at")
        }, kept: .session, "Moment of a switch that names none"),
      Address(
        "/scene/save",
        Declared.task([.needed("name", .text), .rest("limits", .text)], Scenes.save),
        "Saves the present state as a scene, then replies /reply; limits are the addresses that it "
          + "holds, such as /echo, or with - before them, such as -/loop, those that it leaves alone"
      ),
      Address(
        "/scene/delete", Declared.task([.needed("name", .text)], Scenes.delete),
        "Deletes a scene, then replies /reply"
      ).losing(),
      Address(
        "/scene/check", Declared.question([.optional("name", .text)], end: checked, Scenes.check),
        "Reads all scenes and set lists again, and replies /scene/fault for each fault of a scene or "
          + "of all, then /scene/checked"),
      Address(scenes, Declared.reading(\.shelf.sceneNames), "Names of all scenes, in order"),
      Address(fault), Address(checked),
      Address(
        part,
        Declared.slowSetting(
          [.needed("part", .whole, in: 0...Double(mostParts)), moment], \.partNumber,
          start: Scenes.choosePart),
        "Plays the loops of a part together, and stops those of all other parts; 0 stops all"),
    ]
    + (0..<mostParts).map { index in
      Address(
        "/part/\(index + 1)/loops",
        Declared.setting([.needed("loop", .whole, in: 0...16), .rest("more", .whole, in: 1...16)]) {
          let loops = $0.loops(ofPart: index)
          return loops.isEmpty ? [.int32(0)] : loops.arguments
        } write: { scenes, request in
          scenes.setLoops(ofPart: index, request)
        }, kept: .session, "Numbers of the loops of part \(index + 1); 0 for none")
    } + [
      Address(
        setList,
        Declared.slowSetting([.needed("name", .text)], \.setListName, start: Scenes.openList),
        kept: Declared.kept(.session) {
          $0.setListName
        } restore: { scenes, name in
          scenes.open(name)
          return []
        },
        "Opens a set list and checks its scenes, then replies /reply; an empty name closes it"),
      Address(setLists, Declared.reading(\.shelf.setListNames), "Names of all set lists, in order"),
      Address(
        "/setlist/save",
        Declared.task([.needed("name", .text), .rest("scenes", .text)], Scenes.saveList),
        "Saves a set list of these scenes, or of those of the open one, then replies /reply; titles "
          + "and notes of scenes stay"),
      Address(
        "/setlist/delete", Declared.task([.needed("name", .text)], Scenes.deleteList),
        "Deletes a set list, but not its scenes, then replies /reply"
      ).losing(),
      Address(
        "/setlist/go",
        Declared.task(
          [.needed("number", .whole, in: 1...1000), moment], Scenes.go),
        "Switches to the scene with this number in the set list, from 1"),
      Address(
        "/setlist/note",
        Declared.task(
          [
            .needed("number", .whole, in: 1...1000), .needed("notes", .text),
            .optional("title", .text),
          ], Scenes.note),
        "Sets the notes, and the title, of a scene of the open set list, then replies /reply"),
      Address(
        setListScene, Declared.reading("iisss") { $0.status },
        kept: Declared.kept(.session) {
          $0.place
        } restore: { scenes, text in
          scenes.resume(at: text)
          return []
        },
        "Number of the present scene in the set list, 0 before the first; number of scenes; its title "
          + "and notes; title of the next"),
      Address(setListScenes, Declared.reading(\.titles), "Titles of the scenes of the set list"),
    ]
}
