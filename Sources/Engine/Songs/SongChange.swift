internal import DSP

/// A song that is to be played, or none, with the command that wanted it.
struct SongChange: BitwiseCopyable {
  let song: SongPointer?
  let origin: CommandOrigin

  @_noLocks
  init(song: SongPointer?, origin: CommandOrigin) {
    self.song = song
    self.origin = origin
  }
}
