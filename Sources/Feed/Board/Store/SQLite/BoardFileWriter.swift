internal import Glibc
internal import Posix
internal import SQLite

/// The writer thread of a board's file.
///
/// It batches pending writes into one transaction, so that concurrent posters share one disk sync.
final class BoardFileWriter: Sendable {
  typealias Work = (BoardFile) throws(BoardFault) -> Void

  // Transactions are kept short, so that other processes get a turn.
  private static let mostAtOnce = 64
  private static let mostBytesAtOnce = 32 << 20
  // Exceeds what the log holds between two checkpoints, 2 MB, by what deletions need.
  private static let reserveBytes = 4 << 20
  // Posts leave this much to the rest of the machine, and to the log.
  private static let leastFree = 1 << 20
  // The pages of deleted sounds that are returned to the disk before the next posts get a turn, 1 MB.
  private static let pagesAtOnce = 256
  // At the end, the rest waits for the next deletion.
  private static let mostReturnsAtEnd = 32

  /// A write and its result.
  private final class Job: @unchecked Sendable {
    let bytes: Int
    let work: Work
    let outcome = Monitor<Result<Void, BoardFault>?>(nil)
    // The fault of this write alone, which doesn't affect the others. Accessed by the writer thread
    // only.
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
    let file = Handed(try BoardFile(board: path, reserveBytes: Self.reserveBytes))
    try system(try Thread.start("board") { [waiting] in Self.run(waiting, file) }) {
      BoardFault(.store, "\($0)")
    }
  }

  /// Performs a write of `bytes` bytes, or 0 for a deletion, waits until it is durable, and returns its
  /// value.
  ///
  /// `work` must throw its own faults before it writes anything, since its transaction is not
  /// rolled back for them. A database fault fails all writes of the transaction.
  func perform<Value: Sendable>(
    bytes: Int = 0, _ work: @escaping (BoardFile) throws(BoardFault) -> Value
  ) throws(BoardFault) -> Value {
    let value = Guarded<Value?>(nil)
    let job = Job(bytes: bytes) { file throws(BoardFault) in
      let new = try work(file)
      value.withLock { $0 = new }
    }
    let isTaken = waiting.change { waiting in
      guard !waiting.isClosed else { return false }
      waiting.jobs.append(job)
      return true
    }
    guard isTaken, let outcome = job.outcome.wait({ $0 }) else {
      throw BoardFault(.store, "the feed server is exiting")
    }
    try outcome.get()
    return value.withLock { $0! }
  }

  /// Performs the pending writes and ends the thread.
  func close() {
    waiting.change { $0.isClosed = true }
    _ = waiting.wait { $0.isOver ? true : nil }
  }

  private static func run(_ waiting: Monitor<Waiting>, _ file: Handed<BoardFile>) {
    while let jobs = next(waiting) {
      write(jobs, file.value)
      if jobs.contains(where: { $0.bytes == 0 }) { returnPages(of: file.value, waiting) }
    }
    waiting.change { $0.isOver = true }
  }

  /// Returns the space of deleted sounds to the disk while nothing else waits.
  private static func returnPages(of file: BoardFile, _ waiting: Monitor<Waiting>) {
    var countAtEnd = 0
    while (try? file.returnPages(atMost: pagesAtOnce)) ?? false {
      let (isNeeded, isClosed) = waiting.change(waking: .nobody) {
        (!$0.jobs.isEmpty, $0.isClosed)
      }
      if isClosed { countAtEnd += 1 }
      guard !isNeeded, countAtEnd < mostReturnsAtEnd else { return }
    }
  }

  /// Takes the next batch of writes, or nil at the end.
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
    let (jobs, refused) = split(jobs, byRoomOf: file)
    if !refused.isEmpty {
      let reason = SystemError(file.path, code: ENOSPC).reason
      finish(refused, BoardFault(diskFull: file.path, reason: reason))
    }
    guard !jobs.isEmpty else { return }
    let fault = faultOfWriting(jobs, file)
    guard let fault, fault.isDiskFull else { return finish(jobs, fault) }
    // Space may be missing for the posts only. Deletions get the reserve.
    finish(jobs.filter { $0.bytes > 0 }, fault)
    let deletions = jobs.filter { $0.bytes == 0 }
    guard !deletions.isEmpty else { return file.truncateLog() }
    do throws(BoardFault) {
      try file.freeing { () throws(BoardFault) in try transact(deletions, file) }
      finish(deletions, nil)
    } catch {
      finish(deletions, error)
    }
  }

  /// Splits writes into those that the disk has room for, and the rest.
  ///
  /// Each post needs its space in the log, and again in the file. A deletion always passes.
  private static func split(
    _ jobs: [Job], byRoomOf file: BoardFile
  ) -> (jobs: [Job], refused: [Job]) {
    guard jobs.contains(where: { $0.bytes > 0 }), let free = file.freeBytes else {
      return (jobs, [])
    }
    var left = free - leastFree
    var (taken, refused): ([Job], [Job]) = ([], [])
    for job in jobs {
      if job.bytes == 0 || 2 * job.bytes <= left {
        left -= 2 * job.bytes
        taken.append(job)
      } else {
        refused.append(job)
      }
    }
    return (taken, refused)
  }

  private static func faultOfWriting(_ jobs: [Job], _ file: BoardFile) -> BoardFault? {
    do throws(BoardFault) {
      try transact(jobs, file)
      return nil
    } catch {
      return error
    }
  }

  private static func transact(_ jobs: [Job], _ file: BoardFile) throws(BoardFault) {
    try file.transaction { () throws(BoardFault) in
      for job in jobs {
        job.fault = nil
        do throws(BoardFault) {
          try job.work(file)
        } catch {
          // Partial writes must be rolled back.
          if error.kind == .store { throw error }
          job.fault = error
        }
      }
    }
  }

  private static func finish(_ jobs: [Job], _ fault: BoardFault?) {
    for job in jobs {
      let outcome: Result<Void, BoardFault> =
        if let fault = fault ?? job.fault { .failure(fault) } else { .success(()) }
      job.outcome.change { $0 = outcome }
    }
  }
}

/// A value whose ownership moves from one thread to another.
struct Handed<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
