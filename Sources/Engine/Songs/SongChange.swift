internal import DSP

/// A song that is to be played, or none, with the command that wanted it.
struct SongChange: BitwiseCopyable {
  let song: SongPointer?
  let command: UInt64
  let wasTimed: Bool

  @_noLocks
  init(song: SongPointer?, command: UInt64, wasTimed: Bool) {
    self.song = song
    self.command = command
    self.wasTimed = wasTimed
  }
}
