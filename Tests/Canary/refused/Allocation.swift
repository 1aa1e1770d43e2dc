// expect: can cause
@_noLocks
func render(frames: Int) -> Float {
  let scratch = [Float](repeating: 0, count: frames)
  return scratch[0]
}
