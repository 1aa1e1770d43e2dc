internal import Posix

extension CommandPage.Given {
  /// The allowed clients, from `--listen` and `--allow`.
  var access: NetworkAccess {
    get throws(Failure) {
      var access = NetworkAccess()
      access.isOpen =
        try value("listen", "local or lan") { ["local": false, "lan": true][$0] } ?? false
      access.allowed = try values(
        "allow", "an address or a range like 192.168.1.0/24", AddressRange.init)
      return access
    }
  }

  /// The port given by an option; nil without the option.
  func port(_ option: String) throws(Failure) -> UInt16? {
    try number(option, 0...UInt16.max, "a number from 0 to 65535")
  }

  /// The host names of this machine given by an option.
  func hosts(_ option: String) throws(Failure) -> [String] {
    try values(option, "a name alone, such as studio.example") { name in
      name.isEmpty || name.contains(where: "/: ".contains) ? nil : name
    }
  }
}
