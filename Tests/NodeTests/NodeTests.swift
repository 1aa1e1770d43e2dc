import TestSupport
import Testing

/// The running program on a real JACK server.
///
/// Serialized: libjack supports one server per process, and two cores can't run many.
@Suite(.serialized, .nodeReports) enum NodeTests {}

extension Trait where Self == TimeLimitTrait {
  /// The time limit of a test that hangs.
  ///
  /// No test depends on it: each waits for events, and each wait names its event when its own limit
  /// has passed.
  static var hangLimit: Self { .timeLimit(.minutes(15)) }
}

extension Trait where Self == IssueHandlingTrait {
  /// Adds what the last nodes have written to standard error to each failure.
  static var nodeReports: Self {
    .compactMapIssues { issue in
      // The trait applies to the suite, the test, and the test case.
      guard !issue.comments.contains(where: { $0.rawValue.hasPrefix(reportStart) }) else {
        return issue
      }
      var issue = issue
      issue.comments += NodeReports.texts.map { Comment(rawValue: "\(reportStart)\($0)") }
      return issue
    }
  }
}

private let reportStart = "a node wrote: "
