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

  var json: String {
    var json = JSONText()
    json.begin("{")
    json.add("NAME", name)
    json.add("OSC_PORT", Int(oscPort))
    json.add("OSC_TRANSPORT", "UDP")
    json.add("WS_PORT", Int(webPort))
    json.begin("{", "EXTENSIONS")
    for name in Self.extensions { json.add(name, true) }
    for name in Self.others { json.add(name, false) }
    json.end("}")
    json.end("}")
    return json.text
  }
}
