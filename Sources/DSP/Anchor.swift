internal import Synchronization

/// Pins a large noncopyable struct to its address.
///
/// When all stored properties are bitwise-copyable, the optimizer passes `self` to methods through
/// a full copy on the stack: kilobytes there and back for each block. A struct that holds an atomic
/// has a fixed address and is called in place.
struct Anchor: ~Copyable {
  private let address = Atomic<UInt8>(0)
}
