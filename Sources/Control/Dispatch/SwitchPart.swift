/// The commands of one part of a switch, and a callback for when they are queued.
struct SwitchPart {
  var commands: [PlannedCommand]
  var whenQueued: () -> Void = {}
}
