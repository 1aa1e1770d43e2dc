internal import CSndfile
package import SoundFiles

/// The metadata strings of a sound file of any format, as far as libsndfile supports them.
package struct SoundStrings: Equatable, Sendable {
  /// The fields that libsndfile supports, by its codes: SF_STR_TITLE and so on.
  package enum Field: Int32, CaseIterable, Sendable {
    case title = 1
    case software = 3
    case artist, comment, date
    case genre = 16
  }

  private var texts: [Field: String] = [:]

  /// Creates an empty set of strings.
  package init() {}

  /// The string of a field, or empty if unset.
  package subscript(field: Field) -> String {
    get { texts[field] ?? "" }
    set { texts[field] = newValue.isEmpty ? nil : newValue }
  }

  /// Reads the strings of a file.
  package static func read(_ path: String) throws(SoundFileError) -> SoundStrings {
    let reader = try SoundReader(path)
    var strings = SoundStrings()
    for field in Field.allCases { strings[field] = reader.string(field.rawValue) ?? "" }
    return strings
  }

  /// Writes the strings to a new file, before its sound.
  ///
  /// Formats ignore those that they don't support.
  func write(to handle: OpaquePointer) {
    for (field, text) in texts { sf_set_string(handle, field.rawValue, text) }
  }
}
