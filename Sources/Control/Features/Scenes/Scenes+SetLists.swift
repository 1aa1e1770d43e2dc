internal import Engine
internal import JSON
internal import Library
internal import OSC

/// Set lists: scenes in order, with titles and notes.
extension Scenes {
  /// The scenes that next and previous step through.
  var entries: [SetList.Entry] {
    setListName.isEmpty
      ? shelf.sceneNames.map { SetList.Entry(scene: $0) }
      : shelf.setLists[setListName]?.content.entries ?? []
  }

  /// Steps through the set list, from the scene that waits or else the present one.
  func step(_ step: Int, _ request: Request) throws(Refusal) {
    let entries = entries
    try needScenes(in: entries, request)
    let latest = request.due == nil ? queued?.position : dated.last?.position
    let index = (latest ?? heading ?? place(in: entries)) + step
    guard index >= 0 else {
      throw Refusal(.state, "\(request.path): already at the first scene")
    }
    guard index < entries.count else {
      throw Refusal(.state, "\(request.path): already at the last scene")
    }
    try queue(entries[index].scene, at: moment(request, 0), index, request)
  }

  private func needScenes(in entries: [SetList.Entry], _ request: Request) throws(Refusal) {
    guard entries.isEmpty else { return }
    throw Refusal(
      .missing,
      "\(request.path): "
        + (setListName.isEmpty
          ? "no scenes; /scene/save saves one"
          : "the set list \(quoted(setListName)) has no scenes; /setlist/save replaces it"))
  }

  /// The position of the present scene, from 0; -1 if none is in the list.
  func place(in entries: [SetList.Entry]) -> Int {
    if entries.indices.contains(position), entries[position].scene == current { return position }
    if !setListName.isEmpty, current.isEmpty || position >= 0 {
      return min(position, entries.count)
    }
    return entries.firstIndex { $0.scene == current } ?? -1
  }

  /// The position of a scene in the set list, from 0: the present one, the next, or the first; nil if it is not in
  /// one.
  func nextPlace(of name: String) -> Int? {
    guard !setListName.isEmpty else { return nil }
    let entries = entries
    if entries.indices.contains(position), entries[position].scene == name { return position }
    return entries.indices.first { $0 > position && entries[$0].scene == name }
      ?? entries.firstIndex { $0.scene == name }
  }

  /// Switches to an entry of the set list.
  func go(_ request: Request) throws(Refusal) {
    let number = request.whole(0) ?? 1
    let entries = entries
    try needScenes(in: entries, request)
    guard entries.indices.contains(number - 1) else {
      throw Refusal(.range, "\(request.path): \(number) is out of range (1 to \(entries.count))")
    }
    try queue(entries[number - 1].scene, at: moment(request, 1), number - 1, request)
  }

  /// Reads all files again, checks the scenes of a set list, and opens it.
  func openList(_ request: Request) throws(Refusal) {
    let name = request.text(0) ?? ""
    guard !name.isEmpty else {
      open("")
      return request.done("")
    }
    try shelf.reload { [weak self] outcome in
      request.complete(outcome) { _ throws(Refusal) in
        guard let self else { return }
        guard let list = self.shelf.setLists[name] else {
          throw SceneShelf.missing(
            "set list", name, among: self.shelf.setListNames, list: Self.setLists)
        }
        var refusals = SceneShelf.refusals(list.faults, of: list.path)
        for entry in list.content.entries where self.shelf.scenes[entry.scene] == nil {
          refusals.append(
            Refusal(.missing, "\(list.path):\(entry.line): unknown scene \(quoted(entry.scene))"))
        }
        for scene in Set(list.content.entries.map(\.scene)).sorted() {
          guard let entry = self.shelf.scenes[scene] else { continue }
          refusals += SceneShelf.refusals(
            entry.faults + self.missing(in: entry.ready), of: entry.path)
        }
        // A concert goes on without a scene that can't be.
        for refusal in refusals { request.refuse(refusal) }
        self.open(name)
        request.done(name)
      }
    }
  }

  func open(_ name: String) {
    setListName = name
    position = -1
    context.changed(Self.setList, Self.setListScene, Self.setListScenes)
    readAhead()
  }

  /// The position in the set list, from 0, and the present scene, as the state file has them.
  var place: String { current.isEmpty ? "" : "\(position) \(current)" }

  /// Saves a set list of these scenes, or of those of the present one; titles and notes stay.
  func saveList(_ request: Request) throws(Refusal) {
    let name = request.text(0) ?? ""
    if context[.mixer(.lock)] != 0, shelf.setLists[name] != nil {
      throw Refusal(
        .denied,
        "\(request.path): the lock is on, and a set list with this name exists; /lock 0 unlocks")
    }
    let scenes = request.arguments.dropFirst().compactMap { $0?.text }
    for scene in scenes { _ = try shelf.scene(scene) }
    let known = (shelf.setLists[name]?.content.entries ?? []) + entries
    var list = shelf.setLists[name]?.content ?? SetList()
    list.entries =
      scenes.isEmpty
      ? entries
      : scenes.map { scene in
        known.first { $0.scene == scene } ?? SetList.Entry(scene: scene)
      }
    try shelf.save(list, as: name) { request.complete($0, name) }
  }

  /// Sets the title and the notes of an entry of the open set list.
  func note(_ request: Request) throws(Refusal) {
    guard !setListName.isEmpty, var list = shelf.setLists[setListName]?.content else {
      throw Refusal(.state, "\(request.path): no set list is open; \(Self.setList) opens one")
    }
    let number = request.whole(0) ?? 1
    guard list.entries.indices.contains(number - 1) else {
      throw Refusal(
        .range, "\(request.path): \(number) is out of range (1 to \(list.entries.count))")
    }
    let former = list.entries[number - 1]
    list.entries[number - 1] = SetList.Entry(
      scene: former.scene, title: request.text(2) ?? former.title, notes: request.text(1) ?? "")
    let name = setListName
    try shelf.save(list, as: name) { request.complete($0, name) }
  }

  func deleteList(_ request: Request) throws(Refusal) {
    let name = request.text(0) ?? ""
    try shelf.deleteSetList(name) { request.complete($0, name) }
    if setListName == name { open("") }
  }

  /// The number of the present entry, the number of entries, its title and notes, and the next title.
  var status: [Argument] {
    let entries = entries
    let place = place(in: entries)
    let present = entries.indices.contains(place) ? entries[place] : nil
    let next = entries.indices.contains(place + 1) ? entries[place + 1] : nil
    return Argument.row(
      place + 1, entries.count, present?.shownTitle ?? current, present?.notes ?? "",
      next?.shownTitle ?? "")
  }

  var titles: [String] { entries.map(\.shownTitle) }
}
