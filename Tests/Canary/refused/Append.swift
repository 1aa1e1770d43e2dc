// expect: can cause
@_noLocks
func render(_ list: inout [Float]) {
  list.append(1)
}
