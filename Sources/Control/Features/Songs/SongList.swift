internal import Library
internal import Posix

/// A song: a file and its tags.
struct Song: Sendable, Equatable {
  /// The path of the file, resolved.
  let path: String
  /// The title; the file name without a tag.
  let title: String
  /// The artist; empty without a tag.
  let artist: String
  /// The take or post that it is; nil for a song of the music folders.
  var item: ClipItem?

  /// Whether the file is the node's own, even if its folder is a link.
  var isItem: Bool { item != nil }

  /// Artist and title in one line.
  var text: String { artist.isEmpty ? title : "\(artist) - \(title)" }
}

/// The songs in a folder and its subfolders, in natural order.
struct SongList: Sendable {
  // Further songs are ignored.
  private static let mostSongs = 10_000
  private static let mostFiles = 50_000
  private static let deepest = 16

  /// The result for a file: a song, or none.
  struct Finding: Sendable {
    let stamp: Files.Stamp
    let song: Song?
  }

  /// The songs.
  let songs: [Song]
  /// The results by path, which can be reused.
  let findings: [String: Finding]
  private let places: [String: Int]

  /// Lists a folder by its resolved path.
  ///
  /// Reuses results in `known`.
  ///
  /// Blocks on disk I/O.
  init(
    of folder: String, in folders: SongFolders, known: [String: Finding]
  ) throws(Refusal) {
    let names = try refusing("can't list ") { () throws(SystemError) in try Files.list(folder) }
    var search = Search(folders: folders, known: known)
    search.scan(names, in: folder, depth: 0)
    songs = search.songs
    findings = search.findings
    places = Dictionary(
      songs.enumerated().map { ($1.path, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The song with a number, from 1.
  func song(_ number: Int) -> Song? {
    songs.indices.contains(number - 1) ? songs[number - 1] : nil
  }

  /// Says that there is no song with a number.
  func outOfRange(_ number: Int) -> String { "\(number) is out of range (1 to \(songs.count))" }

  /// The index of a song in the list.
  func place(of song: Song) -> Int? { places[song.path] }

  private struct Search {
    let folders: SongFolders
    let known: [String: Finding]
    // The data directory and that of the takes, resolved.
    let home: String?
    let takes: String?
    var songs: [Song] = []
    var findings: [String: Finding] = [:]
    // Symbolic links can form cycles.
    var seen: Set<Files.Stamp> = []
    var files = 0

    init(folders: SongFolders, known: [String: Finding]) {
      self.folders = folders
      self.known = known
      home = folders.home.flatMap { try? Files.resolved($0) }
      takes = home.flatMap { try? Files.resolved($0 + "/takes") }
    }

    mutating func scan(_ names: [String], in folder: String, depth: Int) {
      for name in NaturalOrder.sorted(names) {
        let path = "\(folder)/\(name)"
        guard songs.count < mostSongs, files < mostFiles,
          let resolved = try? Files.resolved(path), folders.holds(resolved, fromInside: path),
          let kind = try? Files.kind(of: resolved)
        else { continue }
        // The data directory can be inside a music folder. Its takes are not songs.
        if resolved == takes || home.map({ HomeFile.isDatabase(resolved, home: $0) }) ?? false {
          continue
        }
        switch kind {
        case .other: break
        case .folder(let stamp):
          guard depth < deepest, seen.insert(stamp).inserted,
            let names = try? Files.list(resolved)
          else { continue }
          scan(names, in: resolved, depth: depth + 1)
        case .file(let stamp):
          files += 1
          let old = known[resolved].flatMap { $0.stamp == stamp ? $0 : nil }
          let finding = old ?? Finding(stamp: stamp, song: Self.song(at: resolved, name: name))
          // Two links to a file count as one song.
          guard findings.updateValue(finding, forKey: resolved) == nil else { continue }
          if let song = finding.song { songs.append(song) }
        }
      }
    }

    private static func song(at path: String, name: String) -> Song? {
      guard let tags = try? SoundStrings.read(path) else { return nil }
      let stem = name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
      let title = line(tags[.title])
      return Song(
        path: path, title: title.isEmpty ? line(stem) : title, artist: line(tags[.artist]))
    }

    /// Replaces control characters, so that the text fits in one line.
    private static func line(_ text: String) -> String {
      var result = String.UnicodeScalarView()
      var bytes = 0
      for scalar in text.unicodeScalars {
        let isControl = scalar.value < 32 || (127..<160).contains(scalar.value)
        let shown = isControl ? " " : scalar
        bytes += UTF8.width(shown)
        if bytes > 100 { break }
        result.append(shown)
      }
      return result.split(separator: " ").map(String.init).joined(separator: " ")
    }
  }
}

extension SongFolders {
  /// Whether a resolved path is in a folder; a path found inside one can only leave it through a link.
  fileprivate func holds(_ resolved: String, fromInside path: String) -> Bool {
    resolved == path || holds(resolved)
  }
}

/// Natural order: numbers compare by value, and case is ignored.
enum NaturalOrder {
  // Numbers come before texts.
  private enum Piece: Comparable {
    case number(Int)
    case text(String)
  }

  static func sorted(_ names: [String]) -> [String] {
    names.map { (pieces(of: $0), $0) }.sorted { one, other in
      one.0 == other.0 ? one.1 < other.1 : one.0.lexicographicallyPrecedes(other.0)
    }.map(\.1)
  }

  private static func pieces(of name: String) -> [Piece] {
    var pieces: [Piece] = []
    var rest = Array(name.lowercased().utf8)[...]
    while let first = rest.first {
      let isDigit = isDigit(first)
      let run = rest.prefix { Self.isDigit($0) == isDigit }
      rest = rest.dropFirst(run.count)
      let text = String(decoding: run, as: UTF8.self)
      // Longer numbers are not track numbers.
      pieces.append((run.count < 18 ? Int(text) : nil).map(Piece.number) ?? .text(text))
    }
    return pieces
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (48..<58).contains(byte) }
}
