internal import CJack

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
