internal import CPosix
internal import Synchronization

/// The heap of the non-audio threads.
package enum Heap {
  /// Configures malloc to return freed memory to the system.
  ///
  /// Call it before any thread is started.
  ///
  /// By default glibc keeps one arena per thread for many threads. After one block of 32 MB was
  /// freed, it also keeps all later blocks up to that size in them, so that successive instruments
  /// would fill one arena after the other. With this setting, all large blocks are mapped
  /// separately.
  package static func returnFreedMemory() { px_return_freed_memory() }

  private static let secondsBetweenTrims: Int64 = 60
  private static let lastTrim = Atomic<Int64>(0)

  private static let isTrimWanted = Atomic<Bool>(false)

  /// Notes that much was freed.
  package static func noteFreed() { isTrimWanted.store(true, ordering: .relaxed) }

  /// Returns freed memory between blocks that are in use to the system if much was freed, at most once a minute.
  ///
  /// Call it on a background thread, repeatedly: allocations of other threads, and their first access to new pages,
  /// wait for a few milliseconds. Locked memory is unlocked meanwhile.
  package static func trimIfNeeded() {
    guard isTrimWanted.load(ordering: .relaxed) else { return }
    let now = Int64(HostTime.steady / 1e6)
    let last = lastTrim.load(ordering: .relaxed)
    guard now - last >= secondsBetweenTrims,
      lastTrim.compareExchange(expected: last, desired: now, ordering: .relaxed).exchanged
    else { return }
    isTrimWanted.store(false, ordering: .relaxed)
    px_trim_freed_memory()
  }
}
