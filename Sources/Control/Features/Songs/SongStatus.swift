internal import OSC

/// The state of playback, as in `/music/state`.
struct SongStatus: Equatable {
  /// The state: playing, stopped, or waiting for the disk.
  var word = "stopped"
  /// The number of the song in the list, from 1; 0 if it is not listed.
  var number = 0
  var title = ""
  var artist = ""
  /// The position in the song, in seconds.
  var position = 0.0
  /// The length of the song, in seconds; 0 if unknown.
  var length = 0.0
  /// The number of underruns of the disk.
  var waits = 0

  /// The arguments of `/music/state`.
  var arguments: [Argument] {
    Argument.row(word, number, title, artist, position, length, waits)
  }
}
