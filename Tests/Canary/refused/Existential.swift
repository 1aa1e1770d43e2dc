// expect: can cause
protocol Unit { func process(_ sample: Float) -> Float }

@_noLocks
func render(_ unit: any Unit) -> Float {
  unit.process(1)
}
