internal import CJack

/// Returns the aliases of a port, the driver's own first.
func copyAliases(_ port: OpaquePointer) -> [String] {
  let size = Int(jack_port_name_size())
  let memory = UnsafeMutablePointer<CChar>.allocate(capacity: 2 * size)
  memory.initialize(repeating: 0, count: 2 * size)
  defer { memory.deallocate() }
  var aliases: [UnsafeMutablePointer<CChar>?] = [memory, memory + size]
  let count = max(0, Int(jack_port_get_aliases(port, &aliases)))
  return (0..<min(2, count)).map { String(cString: memory + $0 * size) }
}

/// Copies and frees a list of names from JACK.
package func copyNames(_ list: UnsafeMutablePointer<UnsafePointer<CChar>?>?) -> [String] {
  guard let list else { return [] }
  defer { jack_free(list) }
  var names: [String] = []
  var next = list
  while let name = next.pointee {
    names.append(String(cString: name))
    next += 1
  }
  return names
}
