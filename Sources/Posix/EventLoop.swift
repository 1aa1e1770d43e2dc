internal import CPosix
internal import Glibc

/// An event loop: waits for descriptors, and calls their handlers on the thread that runs it.
package final class EventLoop {
  private var entries: [pollfd] = []
  private var handlers: [Int32: () -> Void] = [:]

  /// A loop that watches nothing yet.
  package init() {}

  /// Calls `handler` whenever the descriptor can be read.
  package func watch(_ descriptor: Descriptor, _ handler: @escaping () -> Void) {
    entries.append(pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0))
    handlers[descriptor.number] = handler
  }

  /// Calls the handler also when the descriptor can be written, or no longer does so.
  package func watchWriting(_ descriptor: Descriptor, _ wanted: Bool) {
    watch(descriptor, for: POLLOUT, wanted)
  }

  /// Calls the handler when the descriptor can be read, or no longer does so.
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

  /// Stops to watch a descriptor; call it before that is closed.
  package func forget(_ descriptor: Descriptor) {
    entries.removeAll { $0.fd == descriptor.number }
    handlers[descriptor.number] = nil
  }

  /// Waits for so many milliseconds at most, and calls the handlers of what is ready.
  package func turn(milliseconds: Int) {
    guard poll(&entries, nfds_t(entries.count), Int32(milliseconds)) > 0 else { return }
    // A handler may forget another one's descriptor: look each one up when its time comes.
    for entry in entries where entry.revents != 0 { handlers[entry.fd]?() }
  }
}

/// The signals of the system as a descriptor.
package final class SystemSignals {
  /// The descriptor that becomes readable when a signal came.
  package let descriptor: Descriptor

  /// Blocks these signals' default action, for all threads started afterwards.
  package init(_ numbers: [Int32]) throws(SystemError) {
    var set = sigset_t()
    sigemptyset(&set)
    for number in numbers { sigaddset(&set, number) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    descriptor = try Descriptor(px_signalfd(&set), orThrow: "signalfd")
  }

  /// Takes the oldest signal that came.
  package func next() -> Int32? {
    let number = px_next_signal(descriptor.number)
    return number > 0 ? number : nil
  }

  /// Lets a signal that was raised do what it does by default, and takes it again.
  package static func letThrough(_ number: Int32) {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, number)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Ends the process as a signal would have done: whoever started it then knows why it ended.
  package static func end(by number: Int32) -> Never {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, number)
    signal(number, SIG_DFL)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    raise(number)
    exit(128 + number)
  }
}
