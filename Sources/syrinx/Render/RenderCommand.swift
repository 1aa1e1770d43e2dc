internal import Control
internal import Glibc
internal import Posix
internal import SoundFiles

/// The command `syrinx render`: processes sound files offline, without a sound server.
enum RenderCommand {
  static let page = CommandPage(
    name: "render", summary: "Play sound files through the node into other files.",
    usage: "syrinx render [OPTIONS] IN OUT\n       syrinx render [OPTIONS] IN... FOLDER",
    options: """
      --preset NAME: Load a preset before the first sound: its name, or the path of a file, with a \
      / in it
      --home DIR: Folder of presets of one's own (default: $XDG_DATA_HOME/syrinx, else \
      ~/.local/share/syrinx)
      --set /ADDRESS=VALUE[@SECONDS]: Set a value before the first sound, after the preset, or at \
      that time in IN, to the frame; can be given again
      --tail SECONDS|auto: How long to go on when IN has ended, so that effects ring out; auto \
      goes on until it is silent, 60 s at most (default: auto)
      --rate HZ: Sample rate to work at and to write, 8000 to 192000 (default: that of IN)
      --live: Let IN come in as through a microphone, where it can't be had sooner or later: what \
      /stretch/rate makes of it falls behind and leaps, and OUT is as long as IN
      """,
    details: """
      It is the same engine as that of `syrinx run`, as fast as the machine can, and with the
      same result each time. IN is played as a recording, in the place of the live input, from its
      first frame to its last: at /stretch/rate 1.5 OUT is that much shorter, at 0.5 twice as long,
      and --preset rabbit and snail do so. /in/gain, /live/gain and /live/route are for it.

      OUT begins where IN begins, at its full level: what the effects delay, with the settings of
      the beginning, is taken off. Without settings the sound comes out as it went in, but for what
      exceeds -0.1 dBFS, which the limiter turns down as it does live.

      IN is any file that libsndfile reads. Mono plays on both sides; of more than two channels
      the first two are taken. OUT is stereo, in the format that its ending says:

      \(formats)

      Samples have 24 bits; where those of IN are floats or have 32 bits, they are floats, unless
      OUT is FLAC. Opus has about 160, MP3 and Ogg 190 kb/s. A format without the rate gets
      another one. OUT stands there when it is whole: until then what stood there before stays,
      also when Ctrl-C ends the command. In a FOLDER each file has the name of its IN, as WAV where
      that ends with no format above. `-` is standard input, which is read to its end first, or
      standard output, which gets a WAV file when that is whole.

      Examples:
        syrinx render voice.wav out.wav --set /live/gain=-6
        syrinx render voice.wav out.wav --preset vader
        syrinx render talk.mp3 slowly.flac --preset snail --tail 0
        syrinx render voice.wav out.flac --set /mute=1@2.5 --set /mute=0@3
        syrinx render takes/*.wav hall/ --preset cathedral
        sox talk.mp3 -t wav - trim 60 | syrinx render - - --preset rabbit | aplay

      Ends with 0; 64 wrong usage; 65 IN is no sound file, or broken, or the preset is; 66 IN or
      the preset can't be read; 73 OUT can't be written. Of several files all are tried, and the
      first that fails says how it ends.
      """)

  private static var formats: String {
    "  " + SoundFormat.all.flatMap(\.endings).map { ".\($0)" }.joined(separator: " ")
  }

  static func run(_ given: CommandPage.Given) throws(Failure) {
    let options = try RenderOptions(given)
    // Exceeding the file size limit shall be an error like a full disk.
    signal(SIGXFSZ, SIG_IGN)
    let speed = try RenderNode.rehearse(options)
    var done = 0
    try TakesRequest.each(options.files) { file throws(Failure) in
      done += 1
      let label = options.files.count > 1 ? "\(done) of \(options.files.count)" : ""
      try Rendering(file, options, speed: speed).run(label)
    }
  }
}
