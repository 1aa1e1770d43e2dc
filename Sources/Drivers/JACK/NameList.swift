internal import CJack

/// Takes a list of names as JACK gives it, and frees it.
package func takeNames(_ list: UnsafeMutablePointer<UnsafePointer<CChar>?>?) -> [String] {
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
