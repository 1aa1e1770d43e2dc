// expect: unpredictable performance
// A C function that nobody has vouched for.
import Glibc

@_noLocks
func render() { usleep(1) }
