internal import Posix

/// Downloaded pictures, each with an attribution file.
///
/// The attribution is written before its picture and removed after it, so that no crash leaves a
/// downloaded picture without one. An attribution without its picture is ignored.
extension TakeLibrary {
  private static var mostCreditBytes: Int { 64 << 10 }

  /// Returns the origin of a take's image.
  package func imageOrigin(_ take: Take) -> ImageOrigin {
    if take.image.isEmpty { return .none }
    guard let file = creditFile(take) else { return .own }
    return .fetched(file.credit)
  }

  /// Returns the path of the thumbnail of a take's image, or nil if it has none.
  package func smallImagePath(_ take: Take) -> String? {
    guard let small = creditFile(take)?.small, TakeFiles.smallEndings.contains(small) else {
      return nil
    }
    let path = files.small(take.id, ending: small)
    return Files.exist(path) ? path : nil
  }

  private func creditFile(_ take: Take) -> CreditFile? {
    guard !take.image.isEmpty,
      let bytes = try? Files.contents(of: files.credit(take.id), atMost: Self.mostCreditBytes),
      let file = CreditFile(bytes), file.bytes == Files.size(at: files.image(take.image))
    else { return nil }
    return file
  }

  /// Sets a take's image to a downloaded picture, unless the user set one.
  @discardableResult
  package func setPicture(
    _ id: String, _ picture: FetchedPicture
  ) throws(LibraryFault) -> Take {
    let take = try take(id)
    guard imageOrigin(take) != .own else { throw Self.hasOwn(take) }
    let small = picture.small.flatMap { TakeFiles.smallEndings.contains($0.ending) ? $0 : nil }
    // An earlier picture must never appear with the new attribution.
    try removeImage(take.id)
    let file = CreditFile(
      credit: picture.credit, bytes: picture.image.bytes.count, small: small?.ending ?? "")
    if let small {
      try system(
        try Files.write(small.bytes, to: files.small(take.id, ending: small.ending)),
        or: LibraryFault.init)
    }
    try system(try Files.write(file.text, to: files.credit(take.id)), or: LibraryFault.init)
    do throws(LibraryFault) {
      return try putImage(take.id, picture.image.bytes, ending: picture.image.ending)
    } catch {
      forgetPicture(take.id)
      throw error
    }
  }

  /// Removes the downloaded picture of a take, with its attribution.
  @discardableResult
  package func removePicture(_ id: String) throws(LibraryFault) -> Take {
    let take = try take(id)
    switch imageOrigin(take) {
    case .none: throw LibraryFault(.missing, "this take has no picture")
    case .own: throw Self.hasOwn(take)
    case .fetched: return try removeImage(take.id)
    }
  }

  /// Removes the attribution and the thumbnail of a removed picture.
  func forgetPicture(_ id: String) {
    for name in files.besides(id) { Files.remove(files.image(name)) }
  }

  private static func hasOwn(_ take: Take) -> LibraryFault {
    LibraryFault(.denied, "the image of this take was set by a user and is not replaced")
  }
}
