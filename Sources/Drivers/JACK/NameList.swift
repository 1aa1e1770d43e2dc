internal import CJack

/// Copies a list of names that JACK gives, and frees it.
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
