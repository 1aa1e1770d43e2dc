internal import CPosix
internal import Glibc

/// Starts threads on the control side.
package enum Thread {
  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Starts a detached thread.
  ///
  /// Its name appears in `top -H` and debuggers.
  ///
  /// Throws if the system has no more threads. Callers then continue without one.
  package static func start(
    _ name: String, _ run: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    let body = Unmanaged.passRetained(Body(run))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    // The default of 8 MB each would count against the memory-lock limit.
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

  /// The kernel thread ID (TID) of the calling thread.
  package static var number: Int32 { px_thread_number() }

  /// Whether this process may run threads with real-time scheduling.
  package static var mayBeRealtime: Bool {
    var parameter = sched_param()
    parameter.sched_priority = 10
    var before = sched_param()
    // That of the calling thread.
    let policy = sched_getscheduler(0)
    sched_getparam(0, &before)
    guard sched_setscheduler(0, SCHED_FIFO, &parameter) == 0 else { return false }
    sched_setscheduler(0, policy, &before)
    return true
  }

  /// Whether a thread of this process has not ended yet.
  package static func isRunning(_ number: Int32) -> Bool {
    access("/proc/self/task/\(number)", F_OK) == 0
  }
}

/// An event flag that threads can wait for.
package final class Signal: Sendable {
  /// The descriptor, which is readable while the flag is set.
  package let readable: Descriptor

  /// Creates a cleared flag.
  package init() throws(SystemError) {
    readable = try Descriptor(px_eventfd(), orThrow: "eventfd")
  }

  /// Sets the flag, which wakes a current or the next waiter.
  ///
  /// Any thread. Async-signal-safe.
  package func set() {
    var one: UInt64 = 1
    _ = write(readable.number, &one, 8)
  }

  /// Clears the flag, and returns whether it was set.
  @discardableResult
  package func clear() -> Bool {
    var count: UInt64 = 0
    return read(readable.number, &count, 8) == 8
  }

  /// Waits up to `milliseconds` until the flag is set, and clears it.
  ///
  /// Returns whether it was set.
  @discardableResult
  package func wait(milliseconds: Int) -> Bool {
    var entry = pollfd(fd: readable.number, events: Int16(POLLIN), revents: 0)
    _ = poll(&entry, 1, Int32(milliseconds))
    return clear()
  }
}
