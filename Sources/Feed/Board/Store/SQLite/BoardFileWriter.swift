internal import Posix
internal import SQLite

/// The one thread that writes a board's file: all that waits goes into one transaction, so that many who
/// post at once wait for the disk together.
final class BoardFileWriter: Sendable {
  typealias Work = (BoardFile) throws(BoardFault) -> Void

  // A transaction is kept short enough for another process to get its turn.
  private static let mostAtOnce = 64
  private static let mostBytesAtOnce = 32 << 20

  /// Something that is to be written, and what becomes of it.
  private final class Job: @unchecked Sendable {
    let bytes: Int
    let work: Work
    let outcome = Monitor<Result<Void, BoardFault>?>(nil)
    // Of its own: it leaves the others alone. Only the writing thread touches it.
    var fault: BoardFault?

    init(bytes: Int, work: @escaping Work) {
      self.bytes = bytes
      self.work = work
    }
  }

  private struct Waiting {
    var jobs: [Job] = []
    var isClosed = false
    var isOver = false
  }

  private let waiting = Monitor(Waiting())

  init(path: String) throws(BoardFault) {
    let file = Handed(try BoardFile(board: path))
    do throws(SystemError) {
      try Thread.start("board") { [waiting] in Self.run(waiting, file) }
    } catch {
      throw BoardFault(.store, "\(error)")
    }
  }

  /// Has something written that is so many bytes long, and waits until the disk has it.
  ///
  /// What it throws is its own fault, by which nothing that it has written may be lost: it throws before it
  /// writes. A fault of the database's is told to all of its transaction.
  func perform(bytes: Int = 0, _ work: @escaping Work) throws(BoardFault) {
    let job = Job(bytes: bytes, work: work)
    let isTaken = waiting.change { waiting in
      guard !waiting.isClosed else { return false }
      waiting.jobs.append(job)
      return true
    }
    guard isTaken, let outcome = job.outcome.wait({ $0 }) else {
      throw BoardFault(.store, "the board is ending")
    }
    try outcome.get()
  }

  /// Writes what waits, and ends.
  func close() {
    waiting.change { $0.isClosed = true }
    _ = waiting.wait { $0.isOver ? true : nil }
  }

  private static func run(_ waiting: Monitor<Waiting>, _ file: Handed<BoardFile>) {
    while let jobs = next(waiting) { write(jobs, file.value) }
    waiting.change { $0.isOver = true }
  }

  /// Takes the next jobs together; nil at the end.
  private static func next(_ waiting: Monitor<Waiting>) -> [Job]? {
    waiting.wait { waiting -> [Job]?? in
      guard !waiting.jobs.isEmpty else { return waiting.isClosed ? .some(nil) : nil }
      var (count, bytes) = (0, 0)
      for job in waiting.jobs.prefix(mostAtOnce) {
        bytes += job.bytes
        guard count == 0 || bytes <= mostBytesAtOnce else { break }
        count += 1
      }
      defer { waiting.jobs.removeFirst(count) }
      return Array(waiting.jobs.prefix(count))
    } ?? nil
  }

  private static func write(_ jobs: [Job], _ file: BoardFile) {
    var fault: BoardFault?
    do throws(BoardFault) {
      try file.transaction { () throws(BoardFault) in
        for job in jobs {
          do throws(BoardFault) {
            try job.work(file)
          } catch {
            // Half of what was to be written must not stay.
            if error.kind == .store { throw error }
            job.fault = error
          }
        }
      }
    } catch {
      fault = error
    }
    for job in jobs {
      let outcome: Result<Void, BoardFault> =
        if let fault = fault ?? job.fault { .failure(fault) } else { .success(()) }
      job.outcome.change { $0 = outcome }
    }
  }
}

/// A value that one thread hands to another, and touches no more.
struct Handed<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
