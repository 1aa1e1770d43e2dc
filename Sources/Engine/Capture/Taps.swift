internal import DSP

/// The captures of the node: to disk, of the input for the tuner, and of all ports.
struct Taps: BitwiseCopyable {
  var capture: Capture
  var tuner: Capture
  var session: SessionTap
  /// The last minutes of all ports.
  var ring: SessionTap

  @_noLocks
  init(sampleRate: Double) {
    capture = Capture(sampleRate: sampleRate)
    tuner = Capture(sampleRate: sampleRate)
    session = SessionTap(sampleRate: sampleRate)
    ring = SessionTap(sampleRate: sampleRate)
  }

  mutating func setSampleRate(_ rate: Double) {
    capture.setSampleRate(rate)
    tuner.setSampleRate(rate)
    session.setSampleRate(rate)
    ring.setSampleRate(rate)
  }

  /// Whether any capture is on.
  var isOn: Bool { @_noLocks get { capture.isOn || tuner.isOn || isOnPorts } }

  /// Whether any tap needs the input.
  var needsInput: Bool { @_noLocks get { capture.needsInput || tuner.needsInput || isOnPorts } }

  /// Captures a block.
  @_noLocks
  mutating func write(input: Stereo, ports: Ports, at present: Int64, frames: Int) {
    let output = ports.output
    if capture.isOn { capture.write(input: input, output: output, frames: frames) }
    if tuner.isOn { tuner.write(input: input, output: output, frames: frames) }
    if session.isOn { session.write(ports, input: input, at: present, frames: frames) }
    if ring.isOn { ring.write(ports, input: input, at: present, frames: frames) }
  }

  /// Captures silence.
  @_noLocks
  mutating func rest(at present: Int64, frames: Int) {
    capture.rest(frames: frames)
    tuner.rest(frames: frames)
    session.rest(at: present, frames: frames)
    ring.rest(at: present, frames: frames)
  }

  // MARK: - All ports

  /// Whether all ports are recorded.
  var isOnPorts: Bool { @_noLocks get { session.isOn || ring.isOn } }

  /// The ports with memory for all that are not connected, if all are recorded.
  @_noLocks
  func completing(_ ports: Ports) -> Ports {
    session.isOn ? session.completing(ports) : ring.isOn ? ring.completing(ports) : ports
  }

  /// Memory for the messages that are sent, if that port is not connected.
  @_noLocks
  func output(_ connected: MIDIBlock?) -> MIDIBlock? {
    if !isOnPorts { return connected }
    let given = session.output(connected)
    return ring.output(given)
  }

  /// Records what the loops do from a frame on.
  @_noLocks
  func noteLoops(_ loops: borrowing Loops, at present: Int64) {
    if !isOnPorts { return }
    session.noteLoops(loops, at: present)
    ring.noteLoops(loops, at: present)
  }

  /// Records the MIDI messages and the beats of a block.
  @_noLocks
  mutating func noteBlock(
    from start: Int64, to end: Int64, received: MIDIBlock?, sent: MIDIBlock?, beats: BeatClock
  ) {
    if !isOnPorts { return }
    session.noteBlock(from: start, to: end, received: received, sent: sent, beats: beats)
    ring.noteBlock(from: start, to: end, received: received, sent: sent, beats: beats)
  }

  /// Releases the rings of sessions that ended in this block.
  @_noLocks
  mutating func endBlock() {
    session.endBlock()
    ring.endBlock()
  }

  /// Continues on the timeline of another driver, after the frames that have passed without one.
  @_noLocks
  mutating func goOn(at present: Int64, after passed: Int64) {
    session.goOn(at: present, after: passed)
    ring.goOn(at: present, after: passed)
  }

  /// Records a marker of the control side.
  @_noLocks
  func mark(_ number: UInt32, at present: Int64) {
    session.mark(number, at: present)
    ring.mark(number, at: present)
  }
}
