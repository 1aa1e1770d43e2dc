// expect: can cause
final class Inner { var level: Float = 0 }
final class Outer { var inner = Inner() }

@_noLocks
func render(_ outer: Outer) -> Float {
  outer.inner.level
}
