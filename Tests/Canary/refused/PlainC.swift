// expect: unpredictable performance
// A C function without a no-locks annotation.
import Glibc

@_noLocks
func render() { usleep(1) }
