internal import Library

/// The files of a take, for servers that transfer them.
package struct TakeFilePaths: Sendable {
  /// The take's id.
  package let id: String
  /// The title.
  package let title: String
  /// The path of the audio file.
  package let sound: String
  /// The path of the image; nil if there is none.
  package let image: String?
  /// The path of the thumbnail, or of the image without one; nil if there is no image.
  package let small: String?

  init(_ take: Take, _ library: TakeLibrary) {
    id = take.id
    title = take.title
    sound = library.path(take)
    image = library.imagePath(take)
    small = library.smallImagePath(take) ?? image
  }
}

extension Node {
  /// The data directory; nil if there is none.
  package var home: String? { context[Takes.self].home }

  /// Looks up the files of a take.
  package func findTake(
    _ id: String, then ending: @escaping (Result<TakeFilePaths, Refusal>) -> Void
  ) {
    completing(ending) { () throws(Refusal) in
      try context[Takes.self].library().list(
        { library throws(LibraryFault) in TakeFilePaths(try library.take(id), library) },
        then: ending)
    }
  }

  /// Copies an audio file into the library, and announces the new take.
  package func importTake(
    _ path: String, then ending: @escaping (Result<TakeFilePaths, Refusal>) -> Void
  ) {
    change(ending) { library throws(LibraryFault) in try library.importFile(path) }
  }

  /// Sets the image of a take from a file, and announces the change.
  package func setTakeImage(
    _ id: String, _ path: String, then ending: @escaping (Result<TakeFilePaths, Refusal>) -> Void
  ) {
    change { [context] outcome in
      if case .success(let take) = outcome { context[Pictures.self].announceRemoval(take.id) }
      ending(outcome)
    } _: { library throws(LibraryFault) in
      try library.setImage(id, copying: path)
    }
  }

  /// Exports the audio of a take to a new file, in the format of its extension.
  package func exportTake(
    _ id: String, to path: String,
    then ending: @escaping (Result<TakeFilePaths, Refusal>) -> Void
  ) {
    completing(ending) { () throws(Refusal) in
      try context[Takes.self].library().file(
        { library throws(LibraryFault) in
          let take = try library.take(id)
          try library.export(take.id, to: path)
          return TakeFilePaths(take, library)
        }, then: ending)
    }
  }

  private func change(
    _ ending: @escaping (Result<TakeFilePaths, Refusal>) -> Void,
    _ work: @escaping @Sendable (TakeLibrary) throws(LibraryFault) -> Take
  ) {
    let takes = context[Takes.self]
    completing(ending) { () throws(Refusal) in
      try takes.library().file(
        { library throws(LibraryFault) in
          let take = try work(library)
          return (take, TakeFilePaths(take, library))
        },
        then: { outcome in
          if case .success(let (take, _)) = outcome { takes.announce(take) }
          ending(outcome.map(\.1))
        })
    }
  }
}
