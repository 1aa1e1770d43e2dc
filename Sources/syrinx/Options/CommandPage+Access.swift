internal import Control
internal import Doors
internal import Posix

extension CommandPage.Given {
  /// The allowed clients, from `--listen` and `--allow`.
  var access: OSCServer.Access {
    get throws(Failure) {
      var access = OSCServer.Access()
      switch self["listen"] {
      case nil, "local": break
      case "lan": access.isOpen = true
      case let other?:
        throw Failure(.usage, "--listen takes local or lan; got \(quoted(other))")
      }
      for text in all("allow") {
        guard let range = AddressRange(text) else {
          throw Failure(
            .usage, "--allow takes an address or a range like 192.168.1.0/24; got \(quoted(text))")
        }
        access.allowed.append(range)
      }
      return access
    }
  }

  /// The port given by an option; nil without the option.
  func port(_ option: String) throws(Failure) -> UInt16? {
    guard let text = self[option] else { return nil }
    guard let port = UInt16(text) else {
      throw Failure(.usage, "--\(option) takes a number from 0 to 65535; got \(quoted(text))")
    }
    return port
  }

  /// The host names of this machine given by an option.
  func hosts(_ option: String) throws(Failure) -> [String] {
    for name in all(option) where name.isEmpty || name.contains(where: "/: ".contains) {
      throw Failure(
        .usage, "--\(option) takes a name alone, such as studio.example; got \(quoted(name))")
    }
    return all(option)
  }
}
