internal import CAvahi
internal import Posix
internal import Screen

/// An Avahi search for the nodes that are announced on the network.
final class AnnouncedNodes {
  // Avahi reports the end of a search about a second after the query.
  private static let longest = 2.5
  // A node is announced for each interface and IP version.
  private static let announcements = 8

  private let poll: OpaquePointer
  private var client: OpaquePointer?
  private var found: [FoundNode] = []
  private let own = IPAddress.ofThisMachine
  private var resolutions = 0
  // The services whose address is still unknown.
  private var unresolved = 0
  private var isListComplete = false

  /// Connects to Avahi; nil if it is not running.
  private init?() {
    guard let poll = avahi_simple_poll_new() else { return nil }
    self.poll = poll
    client = avahi_client_new(
      avahi_simple_poll_get(poll), AvahiClientFlags(0), { _, _, _ in }, nil, nil)
    if client == nil { return nil }
  }

  deinit {
    // Frees its browsers and resolvers, too.
    if let client { avahi_client_free(client) }
    avahi_simple_poll_free(poll)
  }

  /// Returns the announced nodes; nil if Avahi is not running.
  static func search() -> [FoundNode]? {
    guard let search = AnnouncedNodes() else { return nil }
    return search.run()
  }

  private func run() -> [FoundNode] {
    let context = Unmanaged.passUnretained(self).toOpaque()
    let browser = avahi_service_browser_new(
      client, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC), "_osc._udp", nil,
      AvahiLookupFlags(0),
      { _, interface, protocol_, event, name, type, domain, _, context in
        let search = Unmanaged<AnnouncedNodes>.fromOpaque(context!).takeUnretainedValue()
        switch event {
        case AVAHI_BROWSER_NEW:
          search.resolve(interface, protocol_, name: name, type: type, domain: domain)
        case AVAHI_BROWSER_ALL_FOR_NOW, AVAHI_BROWSER_FAILURE: search.isListComplete = true
        default: break
        }
      }, context)
    guard browser != nil else { return [] }
    let end = HostTime.steady + Self.longest * 1e6
    while !isListComplete || unresolved > 0 {
      let left = (end - HostTime.steady) / 1e3
      guard left > 0, avahi_simple_poll_iterate(poll, Int32(min(50, left.rounded(.up)))) == 0
      else { break }
    }
    return found
  }

  private func resolve(
    _ interface: AvahiIfIndex, _ version: AvahiProtocol, name: UnsafePointer<CChar>?,
    type: UnsafePointer<CChar>?, domain: UnsafePointer<CChar>?
  ) {
    guard resolutions < FoundNode.most * Self.announcements else { return }
    resolutions += 1
    let resolver = avahi_service_resolver_new(
      client, interface, version, name, type, domain, version, AvahiLookupFlags(0),
      { resolver, _, _, event, name, _, _, host, address, port, texts, flags, context in
        let search = Unmanaged<AnnouncedNodes>.fromOpaque(context!).takeUnretainedValue()
        search.unresolved -= 1
        defer { avahi_service_resolver_free(resolver) }
        // Other programs announce OSC, too.
        guard event == AVAHI_RESOLVER_FOUND, let name, let host, let address,
          avahi_string_list_find(texts, "syrinx") != nil
        else { return }
        let isOwn = flags.rawValue & AVAHI_LOOKUP_RESULT_LOCAL.rawValue != 0
        search.add(
          name: String(cString: name), host: String(cString: host), text(of: address),
          port: port, isOwn: isOwn)
      }, Unmanaged.passUnretained(self).toOpaque())
    if resolver != nil { unresolved += 1 }
  }

  private func add(name: String, host: String, _ address: String, port: UInt16, isOwn: Bool) {
    // A link-local address needs a zone index; the node has other addresses. An address that isn't one of
    // another machine is forged.
    guard let address = IPAddress(address), !address.isLinkLocal6, !name.isEmpty else { return }
    let isOwn = isOwn || own.contains(address)
    guard isOwn || address.isOfOneMachine else { return }
    let suffix = ".local"
    let host = host.hasSuffix(suffix) ? String(host.dropLast(suffix.count)) : host
    found.append(
      FoundNode(
        name: PlainText.line(name), host: PlainText.line(host),
        place: NodePlace(
          host: "\(isOwn ? .loopback4 : address)", port: port, isStream: false),
        isOwn: isOwn))
  }
}

/// The address as text.
private func text(of address: UnsafePointer<AvahiAddress>) -> String {
  var text = [CChar](repeating: 0, count: Int(AVAHI_ADDRESS_STR_MAX))
  avahi_address_snprint(&text, text.count, address)
  return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
