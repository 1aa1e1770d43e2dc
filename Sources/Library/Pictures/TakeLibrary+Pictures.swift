internal import Posix

/// Pictures that were fetched, each with its credit in a file of its own.
///
/// The credit is there before its picture, and goes after it: whatever ends the program, there is never
/// a fetched picture without one. A credit without its picture counts for nothing.
extension TakeLibrary {
  private static var mostCreditBytes: Int { 64 << 10 }

  /// The origin of a take's image.
  package func imageOrigin(_ take: Take) -> ImageOrigin {
    if take.image.isEmpty { return .none }
    guard let file = creditFile(take) else { return .own }
    return .fetched(file.credit)
  }

  /// Names the path of the small copy of a take's image; nil where it has none.
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

  /// Gives a take a picture that was fetched, unless it has an image of its own.
  @discardableResult
  package func setPicture(
    _ id: String, _ picture: FetchedPicture
  ) throws(LibraryFault) -> Take {
    let take = try take(id)
    guard imageOrigin(take) != .own else { throw Self.hasOwn(take) }
    let small = picture.small.flatMap { TakeFiles.smallEndings.contains($0.ending) ? $0 : nil }
    // A former one must not be there under the credit of this one.
    try removeImage(take.id)
    let file = CreditFile(
      picture.credit, bytes: picture.image.bytes.count, small: small?.ending ?? "")
    try asLibrary { () throws(SystemError) in
      if let small {
        try Files.write(small.bytes, to: files.small(take.id, ending: small.ending))
      }
      try Files.write(file.text, to: files.credit(take.id))
    }
    do throws(LibraryFault) {
      return try putImage(take.id, picture.image.bytes, ending: picture.image.ending)
    } catch {
      forgetPicture(take.id)
      throw error
    }
  }

  /// Takes the picture that was fetched for a take from it, with its credit.
  @discardableResult
  package func removePicture(_ id: String) throws(LibraryFault) -> Take {
    let take = try take(id)
    switch imageOrigin(take) {
    case .none: throw LibraryFault(.missing, "this take has no picture")
    case .own: throw Self.hasOwn(take)
    case .fetched: return try removeImage(take.id)
    }
  }

  /// Removes the credit and the small copy of a picture that is no more.
  func forgetPicture(_ id: String) {
    for name in files.besides(id) { Files.remove(files.image(name)) }
  }

  private static func hasOwn(_ take: Take) -> LibraryFault {
    LibraryFault(.denied, "the image of this take was given to it, and stays")
  }
}
