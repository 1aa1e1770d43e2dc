internal import Control
internal import Glibc
internal import Posix
internal import SoundFiles

/// The command `syrinx render`: processes sound files offline, without a sound server.
enum RenderCommand: Command {
  static let page = CommandPage(
    name: "render", summary: "Render sound files through the engine.",
    usage: "syrinx render [OPTIONS] IN OUT\n       syrinx render [OPTIONS] IN... FOLDER",
    options: """
      --preset NAME: Load a preset before the first sound: a name, or the path of a file, with a /
      --home DIR: Data directory with your presets (default: $XDG_DATA_HOME/syrinx, else \
      ~/.local/share/syrinx)
      --set /ADDRESS=VALUE[@SECONDS]: Set a value before the first sound, after the preset, or at \
      that time in IN, exact to the frame; repeatable
      --tail SECONDS|auto: Length of the tail after the end of IN; auto renders until the output \
      is silent, at most 60 s (default: auto)
      --rate HZ: Sample rate for rendering and output, 8000 to 192000 (default: that of IN)
      --live: Treat IN as a live microphone signal instead of a recording: below /stretch/rate 1 \
      the sound falls behind and jumps, and OUT is as long as IN
      """,
    details: """
      Uses the engine of `syrinx run`, as fast as the machine can, and with the same result each
      time. IN plays as a recording in place of the live input, from its first frame to its last:
      at /stretch/rate 1.5 OUT is shorter by that factor, at 0.5 twice as long, also with the
      presets rabbit and snail. Gain, channel strip, tune, harmonies and route of the live input
      apply to it; /grid/root, /grid/scale and /grid/tuning set the notes of tune. --set refuses
      addresses without effect on a file, such as those of notes, takes and the network.

      OUT starts with IN, at full level: the latency of the effects at their initial settings is
      compensated. Without settings OUT equals IN, except for peaks above -0.1 dBFS, which the
      limiter reduces as it does live.

      IN is any format that libsndfile reads. Mono plays on both channels; of more than two
      channels only the first two are used. OUT is stereo, in the format of its extension:

      \(formats)

      OUT has 24 bits per sample, or 32-bit floats if IN has floats or 32 bits and OUT is not FLAC.
      Opus has about 160 kb/s, MP3 and Ogg 190 kb/s. If the format does not support the rate,
      another one is used. OUT appears when it is complete; until then a previous file stays in
      place, also if Ctrl-C ends the command. In a FOLDER each file has the name of its IN, as WAV
      if that has none of these extensions. `-` is standard input, which is read to its end first,
      or standard output, which receives a complete WAV file.

      Examples:
        syrinx render voice.wav out.wav --set /live/gain=-6
        syrinx render voice.wav out.wav --preset vader
        syrinx render voice.wav out.wav --set /grid/root=D --set /tune/on=1
        syrinx render talk.mp3 slowly.flac --preset snail --tail 0
        syrinx render voice.wav out.flac --set /mute=1@2.5 --set /mute=0@3
        syrinx render takes/*.wav hall/ --preset cathedral
        sox talk.mp3 -t wav - trim 60 | syrinx render - - --preset rabbit | aplay

      Exit codes: 0; 64 for wrong usage; 65 if IN or the preset is invalid; 66 if IN or the preset
      can't be read; 73 if OUT can't be written. All files are tried, and the exit code is that of
      the first failure.
      """)

  private static var formats: String {
    "  " + SoundFormat.all.flatMap(\.endings).map { ".\($0)" }.joined(separator: " ")
  }

  static func run(_ given: CommandPage.Given) throws(Failure) {
    let options = try RenderOptions(given)
    let speed = try RenderNode.rehearse(options)
    try TakesRequest.each(options.files) { file, progress throws(Failure) in
      try Rendering(file, options, speed: speed).run(&progress)
    }
  }
}
