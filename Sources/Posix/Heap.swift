internal import CPosix

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
}
