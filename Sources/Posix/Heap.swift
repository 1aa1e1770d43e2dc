internal import CPosix

/// The memory that all but the audio thread allocates from.
package enum Heap {
  /// Has freed memory go back to the system; to be called before any thread is started.
  ///
  /// By itself glibc keeps a heap for each of many threads, and in them, once one piece of 32 MB was
  /// freed, also all later ones up to that size: instruments that follow one another would fill one
  /// heap after the other. Here all that is large is mapped on its own.
  package static func returnFreedMemory() { px_return_freed_memory() }
}
