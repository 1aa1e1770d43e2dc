internal import JSON

/// The host info of OSCQuery.
struct HostInfo: Sendable {
  let name: String
  let oscPort: UInt16
  let webPort: UInt16

  // The attributes that can be queried, and the commands sent over a WebSocket.
  private static let extensions = [
    "ACCESS", "VALUE", "RANGE", "DESCRIPTION", "UNIT", "CLIPMODE", "LISTEN", "PATH_ADDED",
    "PATH_REMOVED",
  ]
  private static let others = [
    "TAGS", "EXTENDED_TYPE", "CRITICAL", "OVERLOADS", "HTML", "PATH_CHANGED", "PATH_RENAMED",
    "OSC_STREAMING",
  ]

  var json: JSONText {
    let extensions = Self.extensions.map { ($0, true) } + Self.others.map { ($0, false) }
    return [
      "NAME": name, "OSC_PORT": Int(oscPort), "OSC_TRANSPORT": "UDP", "WS_PORT": Int(webPort),
      "EXTENSIONS": JSONText(extensions),
    ]
  }
}
