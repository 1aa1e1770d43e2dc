// expect: can cause
// Not in the annotated function itself, but two calls below it.
@_noLocks
func render() -> Int { outer() }

@inline(never) func outer() -> Int { inner() }

@inline(never) func inner() -> Int { "\(1)".utf8.count }
