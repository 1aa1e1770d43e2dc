internal import CJack

/// The parameters of a running JACK server, read by a short-lived client.
package struct JackProbe {
  /// The sample rate in Hz, and the buffer size in frames.
  package let rate: Int, block: Int
  /// The DSP load, in percent.
  package let load: Float
  /// Whether the server runs with real-time scheduling.
  package let isRealtime: Bool

  /// Probes a server; nil if it is not running.
  package static func find(server: String?) -> JackProbe? {
    jack_set_error_function { _ in }
    jack_set_info_function { _ in }
    var status = JackStatus(rawValue: 0)
    guard let client = nj_client_open("syrinx-doctor", JackNoStartServer, &status, server) else {
      return nil
    }
    defer { jack_client_close(client) }
    return JackProbe(
      rate: Int(jack_get_sample_rate(client)), block: Int(jack_get_buffer_size(client)),
      load: jack_cpu_load(client), isRealtime: jack_is_realtime(client) != 0)
  }
}
