/// The limits of an HTTP server.
package struct HTTPLimits: Sendable {
  /// The maximum size of a request's head in bytes.
  package var headBytes = 32 << 10
  /// The maximum number of connections: enough for the phones of a band.
  package var connections = 160
  /// The maximum number of connections of one address.
  package var connectionsOfOneAddress = 96
  /// The time for a request, from its first byte, and the longest pause in one, in seconds.
  package var seconds = 10.0
  /// The rate that a longer request or response must reach, in bytes per second.
  package var bytesPerSecond = 8192.0

  /// Creates the default limits.
  package init() {}
}
