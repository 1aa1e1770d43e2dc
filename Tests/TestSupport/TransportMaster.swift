internal import CJack
internal import Foundation

/// A JACK timebase master: it rolls the server's transport and sets bars and beats.
package final class TransportMaster: ServerClient {
  private final class Tempo {
    let beatsPerMinute: Double
    let beatsPerBar: Float
    // The position does not always have it.
    let rate: Double

    init(_ beatsPerMinute: Double, _ beatsPerBar: Float, rate: Double) {
      self.rate = rate
      self.beatsPerMinute = beatsPerMinute
      self.beatsPerBar = beatsPerBar
    }
  }

  private let client: OpaquePointer
  private let tempo: Tempo

  /// Joins a server, and starts its transport at frame 0.
  package init(server: String, beatsPerMinute: Double, beatsPerBar: Int) throws {
    var status = JackStatus(rawValue: 0)
    guard let client = nj_client_open("master", JackNoStartServer, &status, server) else {
      throw Fault("the transport's master can't join \(server)")
    }
    self.client = client
    tempo = Tempo(
      beatsPerMinute, Float(beatsPerBar), rate: Double(jack_get_sample_rate(client)))
    jack_set_timebase_callback(
      client, 0,
      { _, _, position, _, context in
        let tempo = Unmanaged<Tempo>.fromOpaque(context!).takeUnretainedValue()
        guard let position else { return }
        let beats = Double(position.pointee.frame) * tempo.beatsPerMinute / 60 / tempo.rate
        let bar = (beats / Double(tempo.beatsPerBar)).rounded(.down)
        let inBar = beats - bar * Double(tempo.beatsPerBar)
        position.pointee.valid = JackPositionBBT
        position.pointee.bar = Int32(bar) + 1
        position.pointee.beat = Int32(inBar) + 1
        position.pointee.tick = Int32((inBar - inBar.rounded(.down)) * 1920)
        position.pointee.bar_start_tick = bar * Double(tempo.beatsPerBar) * 1920
        position.pointee.beats_per_bar = tempo.beatsPerBar
        position.pointee.beat_type = 4
        position.pointee.ticks_per_beat = 1920
        position.pointee.beats_per_minute = tempo.beatsPerMinute
      }, Unmanaged.passUnretained(tempo).toOpaque())
    jack_activate(client)
    jack_transport_locate(client, 0)
    jack_transport_start(client)
    ServerClients.add(self, of: server)
  }

  deinit { close() }

  private var isClosed = false

  func close() {
    guard !isClosed else { return }
    isClosed = true
    jack_transport_stop(client)
    jack_client_close(client)
  }

  /// The present frame of the transport.
  package var frame: Int { Int(jack_get_current_transport_frame(client)) }
}
