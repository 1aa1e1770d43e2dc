internal import CPosix
internal import Glibc

/// An event loop: polls descriptors and calls their handlers on its own thread.
package final class EventLoop {
  private var entries: [pollfd] = []
  private var handlers: [Int32: () -> Void] = [:]

  /// Creates an empty loop.
  package init() {}

  /// Calls `handler` whenever the descriptor is readable.
  package func watch(_ descriptor: Descriptor, _ handler: @escaping () -> Void) {
    entries.append(pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0))
    handlers[descriptor.number] = handler
  }

  /// Enables or disables calls of the handler when the descriptor is writable.
  package func watchWriting(_ descriptor: Descriptor, _ wanted: Bool) {
    watch(descriptor, for: POLLOUT, wanted)
  }

  /// Enables or disables calls of the handler when the descriptor is readable.
  package func watchReading(_ descriptor: Descriptor, _ wanted: Bool) {
    watch(descriptor, for: POLLIN, wanted)
  }

  private func watch(_ descriptor: Descriptor, for event: Int32, _ wanted: Bool) {
    guard let index = entries.firstIndex(where: { $0.fd == descriptor.number }) else { return }
    if wanted {
      entries[index].events |= Int16(event)
    } else {
      entries[index].events &= ~Int16(event)
    }
  }

  /// Stops watching a descriptor.
  ///
  /// Call it before the descriptor is closed.
  package func forget(_ descriptor: Descriptor) {
    entries.removeAll { $0.fd == descriptor.number }
    handlers[descriptor.number] = nil
  }

  /// Waits up to `milliseconds`, and calls the handlers of ready descriptors.
  package func turn(milliseconds: Int) {
    guard poll(&entries, nfds_t(entries.count), Int32(milliseconds)) > 0 else { return }
    // A handler may remove another descriptor, so each one is looked up at its turn.
    for entry in entries where entry.revents != 0 { handlers[entry.fd]?() }
  }
}

/// POSIX signals as a descriptor.
package final class SystemSignals {
  /// The descriptor, which is readable when a signal is pending.
  package let descriptor: Descriptor

  /// Blocks the signals in this thread and all threads started afterwards.
  package init(_ numbers: [Int32]) throws(SystemError) {
    var set = Self.set(numbers)
    pthread_sigmask(SIG_BLOCK, &set, nil)
    descriptor = try Descriptor(px_signalfd(&set), orThrow: "signalfd")
  }

  private static func set(_ numbers: [Int32]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for number in numbers { sigaddset(&set, number) }
    return set
  }

  /// Takes the oldest pending signal.
  package func next() -> Int32? {
    let number = px_next_signal(descriptor.number)
    return number > 0 ? number : nil
  }

  /// Unblocks a pending signal so that its default action runs, then blocks it again.
  package static func letThrough(_ number: Int32) {
    var set = Self.set([number])
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Terminates the process by a signal, so that the parent sees the true cause.
  package static func end(by number: Int32) -> Never {
    var set = Self.set([number])
    signal(number, SIG_DFL)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    raise(number)
    exit(128 + number)
  }
}
