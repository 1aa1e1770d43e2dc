internal import OSC

/// The state of what is played of the songs, as `/music/state` tells it.
struct SongStatus: Equatable {
  /// The word for what is done: playing, stopped, or waiting for the disk.
  var word = "stopped"
  /// The number of the song in the list, from 1 on; 0 where it is not in it.
  var number = 0
  var title = ""
  var artist = ""
  /// The place in the song, in seconds.
  var position = 0.0
  /// The length of the song, in seconds; 0 where it is not known.
  var length = 0.0
  /// How many times it waited for the disk.
  var waits = 0

  /// The values of the answer.
  var arguments: [Argument] {
    [
      .string(word), .int32(Int32(number)), .string(title), .string(artist),
      .float(Float(position)), .float(Float(length)), .int32(Int32(waits)),
    ]
  }
}
