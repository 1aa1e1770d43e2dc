// Benchmarks the take library: `library FOLDER COUNT` fills a new folder.
import Glibc
import Library
import Posix

let coldRuns = 10
let warmRuns = 30
let pageCount = 100

func fail(_ code: Int32, _ message: String) -> Never {
  let line = Array("library: \(message)\n".utf8)
  _ = write(2, line, line.count)
  exit(code)
}

/// Evicts the database from the page cache, so that it is read from disk.
func chill(_ home: String) {
  for part in ["", "-wal"] {
    let file = open(home + "/library.sqlite" + part, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { continue }
    fsync(file)
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
    close(file)
  }
}

func search(_ change: (inout TakeSearch) -> Void) -> TakeSearch {
  var search = TakeSearch()
  change(&search)
  return search
}

/// Measures a query on new connections, and on a warm one.
func measure(
  _ label: String, _ home: String, atMost goal: Double, _ body: (TakeLibrary) throws -> TakePage
) throws {
  var (cold, warm) = (Timing(), Timing())
  var total = 0
  for _ in 0..<coldRuns {
    chill(home)
    let library = try TakeLibrary(home: home)
    total = try cold.time { try body(library) }.total
  }
  let library = try TakeLibrary(home: home)
  _ = try body(library)
  for _ in 0..<warmRuns { _ = try warm.time { try body(library) } }
  Report.row("\(label): \(total)", cold, warm, atMost: goal)
}

func measureOpening(_ home: String, _ count: Int) throws {
  var (cold, warm, empty) = (Timing(), Timing(), Timing())
  for isCold in [true, false] {
    for _ in 0..<coldRuns {
      if isCold { chill(home) }
      let adopt = { () throws in try TakeLibrary(home: home).adopt() }
      let found = isCold ? try cold.time(adopt) : try warm.time(adopt)
      guard found.adopted.isEmpty, found.gone.isEmpty, found.unreadable.isEmpty else {
        fail(70, "unexpected changes: \(found.unreadable.first ?? "")")
      }
    }
  }
  for _ in 0..<coldRuns { _ = try empty.time { try TakeLibrary(home: home + "-empty").adopt() } }
  Report.row("open and adopt, at a node's start", cold, warm, atMost: nil)
  Report.row("the same without takes", empty, nil, atMost: nil)
}

func run(_ home: String, _ count: Int) throws {
  var (filling, indexing) = (Timing(), Timing())
  var shelf = Shelf()
  try filling.time { try shelf.fill(home, count: count) }
  let library = try TakeLibrary(home: home)
  guard try indexing.time({ try library.reindex() }).takes == count else {
    fail(70, "some takes were not indexed")
  }
  Report.begin()
  Report.row("reindex of all files", indexing, nil, atMost: nil)
  try measureOpening(home, count)
  let offset = count * 9 / 10
  try measure("first page of", home, atMost: 20) { try $0.list(count: pageCount) }
  try measure("page at \(offset) of", home, atMost: 100) {
    try $0.list(offset: offset, count: pageCount)
  }
  let (newest, month) = (Shelf.newest, 30 * 86_400_000_000)
  let stockholm = Place(latitude: 59.33, longitude: 18.07)
  let searches: [(String, TakeSearch)] = [
    ("a word in some", search { $0.text = "nightingale" }),
    ("a word in most", search { $0.text = "take" }),
    ("a letter", search { $0.text = "t" }),
    ("two words", search { $0.text = "owl quarry" }),
    ("a word in none", search { $0.text = "ostrich" }),
    ("a species", search { $0.species = "Strix aluco" }),
    (
      "a month",
      search {
        $0.from = ZonedDate(microseconds: newest - 20 * month)
        $0.to = ZonedDate(microseconds: newest - 19 * month)
      }
    ),
    ("all time", search { $0.from = ZonedDate(microseconds: 0) }),
    ("within 1 km", search { ($0.place, $0.kilometers) = (stockholm, 1) }),
    ("within 20 km", search { ($0.place, $0.kilometers) = (stockholm, 20) }),
    ("within 20,000 km", search { ($0.place, $0.kilometers) = (stockholm, 20_000) }),
    ("a letter, all time", search { ($0.text, $0.from) = ("t", ZonedDate(microseconds: 0)) }),
    (
      "a word, a month, within 50 km",
      search {
        $0.text = "thrush"
        $0.from = ZonedDate(microseconds: newest - 20 * month)
        $0.to = ZonedDate(microseconds: newest - 19 * month)
        ($0.place, $0.kilometers) = (stockholm, 50)
      }
    ),
    (
      "a letter, a species, all time, 20,000 km",
      search {
        ($0.text, $0.species, $0.from) = ("t", "turdus", ZonedDate(microseconds: 0))
        ($0.place, $0.kilometers) = (stockholm, 20_000)
      }
    ),
  ]
  for (label, search) in searches {
    try measure("find \(label)", home, atMost: 100) { try $0.find(search, count: pageCount) }
  }
  try measure("the last page of a letter", home, atMost: 100) {
    try $0.find(search { $0.text = "t" }, offset: count / 2, count: pageCount)
  }
}

guard CommandLine.arguments.count == 3, let count = Int(CommandLine.arguments[2]), count >= 1000
else { fail(64, "usage: library FOLDER COUNT: a new folder, and a number of takes from 1000") }
guard !Files.exist(CommandLine.arguments[1]) else {
  fail(64, "\(CommandLine.arguments[1]) exists already")
}
do { try run(CommandLine.arguments[1], count) } catch { fail(73, "\(error)") }
