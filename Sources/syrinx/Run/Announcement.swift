internal import CAvahi
internal import Control
internal import Glibc
internal import Posix

/// The announcement of the node's ports on the network, through Avahi.
///
/// Without Avahi it does nothing, and registers when Avahi starts.
final class Announcement: @unchecked Sendable {
  // Avahi's own thread calls back with the poll's lock held; `end` takes it, too.
  private let poll: OpaquePointer
  private var client: OpaquePointer?
  private var group: OpaquePointer?
  private var name: String
  private let port: UInt16
  private let webPort: UInt16?
  private let isOpen: Bool

  init?(name: String, port: UInt16, webPort: UInt16?, isOpen: Bool) {
    guard let poll = avahi_threaded_poll_new() else { return nil }
    self.poll = poll
    self.name = name
    self.port = port
    self.webPort = webPort
    self.isOpen = isOpen
    client = newClient()
    guard client != nil else {
      avahi_threaded_poll_free(poll)
      return nil
    }
    avahi_threaded_poll_start(poll)
  }

  private func newClient() -> OpaquePointer? {
    avahi_client_new(
      avahi_threaded_poll_get(poll), AVAHI_CLIENT_NO_FAIL,
      { client, state, context in
        Unmanaged<Announcement>.fromOpaque(context!).takeUnretainedValue().take(client!, state)
      }, Unmanaged.passUnretained(self).toOpaque(), nil)
  }

  /// Withdraws the announcement.
  func end() {
    avahi_threaded_poll_stop(poll)
    if let client { avahi_client_free(client) }
    client = nil
    avahi_threaded_poll_free(poll)
  }

  private func take(_ client: OpaquePointer, _ state: AvahiClientState) {
    switch state {
    case AVAHI_CLIENT_S_RUNNING: publish(client)
    case AVAHI_CLIENT_S_COLLISION, AVAHI_CLIENT_S_REGISTERING:
      if let group { avahi_entry_group_reset(group) }
    case AVAHI_CLIENT_FAILURE:
      // The daemon is gone for this client; a new one waits for the next daemon.
      guard avahi_client_errno(client) == AVAHI_ERR_DISCONNECTED else { return }
      avahi_client_free(client)
      group = nil
      self.client = newClient()
    default: break
    }
  }

  private func publish(_ client: OpaquePointer) {
    if group == nil {
      group = avahi_entry_group_new(
        client,
        { group, state, context in
          guard state == AVAHI_ENTRY_GROUP_COLLISION else { return }
          let self_ = Unmanaged<Announcement>.fromOpaque(context!).takeUnretainedValue()
          self_.useAnotherName()
          self_.add(to: group!)
        }, Unmanaged.passUnretained(self).toOpaque())
    }
    guard let group, avahi_entry_group_is_empty(group) != 0 else { return }
    add(to: group)
  }

  private func add(to group: OpaquePointer) {
    // A node for this machine only is announced to this machine only.
    let interface = isOpen ? -1 : Int32(if_nametoindex("lo"))
    var result = add(to: group, interface)
    for _ in 0..<8 where result == Int32(AVAHI_ERR_COLLISION) {
      useAnotherName()
      avahi_entry_group_reset(group)
      result = add(to: group, interface)
    }
    if result == 0 { avahi_entry_group_commit(group) }
  }

  private func add(to group: OpaquePointer, _ interface: Int32) -> Int32 {
    let result = na_add_osc(group, interface, name, port, "syrinx=\(Version.text)")
    guard result == 0, let webPort else { return result }
    // The address tree and the page share one port.
    for type in ["_oscjson._tcp", "_http._tcp"] {
      let result = na_add_service(group, interface, name, type, webPort)
      guard result == 0 else { return result }
    }
    return 0
  }

  private func useAnotherName() {
    guard let other = avahi_alternative_service_name(name) else { return }
    name = String(cString: other)
    avahi_free(other)
  }
}
