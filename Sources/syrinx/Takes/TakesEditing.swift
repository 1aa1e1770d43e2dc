internal import Control
internal import Library
internal import Posix
internal import Screen

/// The commands that change, delete and restore takes.
enum TakesEditing {
  // Far above the pictures that phones take.
  private static let mostImageBytes = 64 << 20

  /// The options that change a take.
  static let options = ["title", "species", "notes", "message", "image"]

  static func edit(_ request: TakesRequest) throws(Failure) {
    try request.check(1...1)
    let given = request.given
    guard options.contains(where: given.has) else {
      throw Failure(
        .usage,
        "missing change: --title, --species, --notes, --message or --image")
    }
    // Validated before anything is changed.
    let image = try given["image"].map(image)
    let changes = TakeChanges(
      title: given["title"], species: given["species"], notes: given["notes"],
      message: given["message"])
    let library = try request.library()
    try Failure.of { () throws(LibraryFault) in
      // The texts first: one can be too long.
      let id = try library.edit(request.arguments[0], changes).id
      switch image {
      case .some(let image?): try library.setImage(id, image.bytes, ending: image.ending)
      case .some(nil): try library.removeImage(id)
      case nil: break
      }
    }
  }

  /// Reads the bytes of a picture; nil to remove it.
  private static func image(
    _ path: String
  ) throws(Failure) -> (bytes: [UInt8], ending: String)? {
    if path.isEmpty { return nil }
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else {
      throw Failure(
        .usage, "--image takes a file with an image extension, such as .jpg; got \(path)")
    }
    do throws(SystemError) {
      let bytes = try Files.contents(of: path, atMost: mostImageBytes)
      return (bytes, String(name[name.index(after: dot)...]))
    } catch {
      throw Failure(
        error.isTooLarge ? .badInput : .missingInput,
        error.isTooLarge
          ? "\(path) is too large; the limit for an image is \(mostImageBytes >> 20) MB"
          : "can't read \(error)")
    }
  }

  // MARK: - The trash

  static func delete(_ request: TakesRequest) throws(Failure) {
    try request.check(1...Int.max)
    let library = try request.library()
    try TakesRequest.each(request.arguments) { id, _ throws(Failure) in
      let take = try Failure.of { () throws(LibraryFault) in
        let take = try library.take(id)
        try library.delete(take.id)
        return take
      }
      Environment.say(
        "\(quoted(PlainText.line(take.title))) is in the trash for \(TakeLibrary.trashDays) days; "
          + "\(request.command("restore \(take.id.prefix(8))")) restores it")
    }
  }

  static func restore(_ request: TakesRequest) throws(Failure) {
    try request.check(1...Int.max)
    let library = try request.library()
    try TakesRequest.each(request.arguments) { id, _ throws(Failure) in
      try Failure.of { () throws(LibraryFault) in _ = try library.restore(id) }
    }
  }

  static func emptyTrash(_ request: TakesRequest) throws(Failure) {
    for option in ["json", "offset", "count"] where request.given.has(option) {
      throw Failure(.usage, "--empty and --\(option) exclude each other")
    }
    let library = try request.library()
    let count = try Failure.of { () throws(LibraryFault) in
      // Includes takes deleted in this very moment.
      try library.emptyTrash(olderThanDays: -1)
    }
    Environment.say(count == 1 ? "1 take deleted" : "\(count) takes deleted")
  }
}
