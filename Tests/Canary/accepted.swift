// Code that the real-time check must accept: a check that rejects everything proves nothing.
import Synchronization

struct State: ~Copyable {
  let memory: UnsafeMutablePointer<Float>
  let count = Atomic<Int>(0)
}

@_noLocks
func render(_ state: borrowing State, frames: Int) {
  for frame in 0..<frames { state.memory[frame] *= 0.5 }
  state.count.add(1, ordering: .relaxed)
}
