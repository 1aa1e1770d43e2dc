internal import CLiblo
internal import Control
internal import OSC
internal import Posix

/// An OSC peer through liblo, with its own port.
final class LibloPeer: OSCPeer {
  var whenReceived: (_ path: String, _ arguments: [Argument]) -> Void = { _, _ in }

  private let address: lo_address
  private let server: lo_server

  private init?(_ address: lo_address?) {
    guard let address else { return nil }
    guard let server = Self.server(lo_address_get_protocol(address)) else {
      lo_address_free(address)
      return nil
    }
    self.address = address
    self.server = server
    lo_server_add_method(
      server, nil, nil,
      { path, types, values, _, _, context in
        let peer = Unmanaged<LibloPeer>.fromOpaque(context!).takeUnretainedValue()
        let arguments = String(cString: types!).enumerated().map {
          LibloPeer.argument($0.element, values?[$0.offset])
        }
        peer.whenReceived(String(cString: path!), arguments)
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Opens a port not used recently.
  ///
  /// liblo's own choice depends on the second, so of two programs started in one second, the later
  /// would be taken for the earlier.
  private static func server(_ transport: Int32) -> lo_server? {
    for _ in 0..<16 {
      let port = UInt16.random(in: 49_152...65_535)
      if let server = lo_server_new_with_proto("\(port)", transport, { _, _, _ in }) {
        return server
      }
    }
    return nil
  }

  /// The peer for a node's endpoint.
  convenience init?(_ place: NodePlace) {
    self.init(
      lo_address_new_with_proto(place.isStream ? LO_TCP : LO_UDP, place.host, "\(place.port)"))
  }

  deinit {
    lo_server_free(server)
    lo_address_free(address)
  }

  var descriptor: Int32 { lo_server_get_socket_fd(server) }

  var fault: String { String(cString: lo_address_errstr(address)) }

  func send(_ path: String, _ arguments: [Argument]) -> Bool {
    let message = Self.message(arguments)
    defer { lo_message_free(message) }
    return lo_send_message_from(address, server, path, message) >= 0
  }

  func send(_ messages: [(path: String, arguments: [Argument])], at time: TimeTag) -> Bool {
    let tag = lo_timetag(
      sec: UInt32(time.bits >> 32), frac: UInt32(truncatingIfNeeded: time.bits))
    let bundle = lo_bundle_new(tag)
    defer { lo_bundle_free_recursive(bundle) }
    for (path, arguments) in messages {
      lo_bundle_add_message(bundle, path, Self.message(arguments))
    }
    return lo_send_bundle_from(address, server, bundle) >= 0
  }

  private static func message(_ arguments: [Argument]) -> lo_message? {
    let message = lo_message_new()
    for argument in arguments {
      switch argument {
      case .int32(let value): lo_message_add_int32(message, value)
      case .float(let value): lo_message_add_float(message, value)
      case .string(let value): lo_message_add_string(message, value)
      case .bool(true): lo_message_add_true(message)
      case .bool(false): lo_message_add_false(message)
      default: preconditionFailure("no command sends \(argument)")
      }
    }
    return message
  }

  func receive(milliseconds: Int) -> Bool {
    lo_server_recv_noblock(server, Int32(milliseconds)) > 0
  }

  private static func argument(
    _ type: Character, _ value: UnsafeMutablePointer<lo_arg>?
  ) -> Argument {
    switch (type, value) {
    case ("T", _): return .bool(true)
    case ("F", _): return .bool(false)
    case ("i", let value?): return .int32(value.pointee.i)
    case ("h", let value?): return .int64(value.pointee.h)
    case ("f", let value?): return .float(value.pointee.f)
    case ("d", let value?): return .double(value.pointee.d)
    case ("t", let value?):
      return .timeTag(
        TimeTag(bits: UInt64(value.pointee.t.sec) << 32 | UInt64(value.pointee.t.frac)))
    case ("s", let value?), ("S", let value?):
      return .string(
        String(cString: UnsafeRawPointer(value).assumingMemoryBound(to: CChar.self)))
    case ("b", let value?): return .blob(Array(repeating: 0, count: Int(value.pointee.i)))
    case ("I", _): return .infinitum
    case ("N", _): return .nil
    default: return .symbol("(\(type))")
    }
  }
}
