/// What a clip or a song was opened from, besides the music folders.
enum ClipItem: Equatable, Sendable {
  /// A take, by its id.
  case take(String)
  /// A post, by its number.
  case post(Int)
}
