internal import CPosix
internal import Glibc

/// The starting of threads on the control side.
package enum Thread {
  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Starts a thread that nobody joins; its name shows in `top -H` and debuggers.
  ///
  /// Throws where the system gives no more threads: whoever wanted it goes on without.
  package static func start(
    _ name: String, _ run: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    let body = Unmanaged.passRetained(Body(run))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    // Eight megabytes each, the default, would count against a memory-lock limit.
    pthread_attr_setstacksize(&attributes, 512 * 1024)
    var thread = pthread_t()
    let result = pthread_create(
      &thread, &attributes,
      { context in
        Unmanaged<Body>.fromOpaque(context!).takeRetainedValue().run()
        return nil
      }, body.toOpaque())
    pthread_attr_destroy(&attributes)
    guard result == 0 else {
      body.release()
      throw SystemError("can't start the thread \(name)", code: result)
    }
    px_name_thread(thread, String(name.prefix(15)))
  }
}

/// A signal between threads: a flag that they can wait for.
package final class Signal: Sendable {

  private let descriptor: Descriptor

  /// A signal that is not set.
  package init() throws(SystemError) {
    descriptor = try Descriptor(px_eventfd(), orThrow: "eventfd")
  }

  /// Sets the signal: wakes whoever waits, or will wait next.
  ///
  /// Any thread, and safe in a signal handler.
  package func set() {
    var one: UInt64 = 1
    _ = write(descriptor.number, &one, 8)
  }

  /// Clears the signal, and says whether it was set.
  @discardableResult
  package func clear() -> Bool {
    var count: UInt64 = 0
    return read(descriptor.number, &count, 8) == 8
  }

  /// Waits until the signal is set, for so many milliseconds at most, and clears it.
  @discardableResult
  package func wait(milliseconds: Int) -> Bool {
    var entry = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
    _ = poll(&entry, 1, Int32(milliseconds))
    return clear()
  }

  /// The descriptor that becomes readable when the signal is set.
  package var readable: Descriptor { descriptor }
}
