// SPDX-License-Identifier: GPL-2.0-or-later
//
// syrinx-link: takes part in a session of Ableton Link on behalf of a Syrinx node.
//
// It prints the session as lines on standard output, at once after each change and 50 times a second:
//
//   state MICROSECONDS BEAT TEMPO PLAYING START PEERS
//
// MICROSECONDS is CLOCK_MONOTONIC_RAW, the clock of Link on Linux; BEAT is the session's beat at that time, whose
// phase is that of a bar of QUANTUM beats; START is the time of the last start or stop.
//
// Lines on standard input:
//
//   tempo TEMPO      sets the session's tempo
//   quantum BEATS    sets the length of a bar
//   start            starts the session's transport with the next bar
//   stop             stops it
//
// The end of standard input ends the program. It contains no source of the node.

#include <ableton/Link.hpp>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <string>
#include <unistd.h>

namespace {

constexpr int kPeriodMilliseconds = 20;
constexpr size_t kMostBytes = 4096;

class Session {
public:
  Session(double tempo, double quantum) : link_(tempo), quantum_(quantum) {
    link_.enableStartStopSync(true);
    link_.enable(true);
  }

  void print() {
    const auto now = link_.clock().micros();
    const auto state = link_.captureAppSessionState();
    std::printf(
        "state %lld %.9f %.9f %d %lld %zu\n", static_cast<long long>(now.count()),
        state.beatAtTime(now, quantum_), state.tempo(), state.isPlaying() ? 1 : 0,
        static_cast<long long>(state.timeForIsPlaying().count()), link_.numPeers());
    std::fflush(stdout);
  }

  // Returns whether the line is known.
  bool obey(const std::string& line) {
    double value = 0;
    const auto now = link_.clock().micros();
    auto state = link_.captureAppSessionState();
    if (std::sscanf(line.c_str(), "tempo %lf", &value) == 1 && std::isfinite(value)) {
      state.setTempo(value, now);
    } else if (std::sscanf(line.c_str(), "quantum %lf", &value) == 1 && value >= 1 && value <= 64) {
      quantum_ = value;
      return true;
    } else if (line == "start") {
      // At the start of the next bar.
      const double beat = state.beatAtTime(now, quantum_);
      const double bar = std::ceil(beat / quantum_ + 1e-6) * quantum_;
      state.setIsPlaying(true, state.timeAtBeat(bar, quantum_));
    } else if (line == "stop") {
      state.setIsPlaying(false, now);
    } else {
      return false;
    }
    link_.commitAppSessionState(state);
    return true;
  }

private:
  ableton::Link link_;
  double quantum_;
};

int usage() {
  std::fprintf(stderr, "usage: syrinx-link TEMPO [QUANTUM]\n");
  return 64;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2 || count > 3) return usage();
  const double tempo = std::atof(arguments[1]);
  const double quantum = count > 2 ? std::atof(arguments[2]) : 4;
  if (!(tempo >= 20 && tempo <= 999) || !(quantum >= 1 && quantum <= 64)) return usage();
  Session session(tempo, quantum);
  std::string input;
  for (;;) {
    session.print();
    pollfd entry = {STDIN_FILENO, POLLIN, 0};
    const int ready = poll(&entry, 1, kPeriodMilliseconds);
    if (ready <= 0) continue;
    char bytes[512];
    const ssize_t length = read(STDIN_FILENO, bytes, sizeof bytes);
    if (length <= 0) return 0;
    input.append(bytes, static_cast<size_t>(length));
    for (size_t end; (end = input.find('\n')) != std::string::npos; input.erase(0, end + 1)) {
      const std::string line = input.substr(0, end);
      if (!session.obey(line)) std::fprintf(stderr, "syrinx-link: unknown line: %.99s\n", line.c_str());
    }
    if (input.size() > kMostBytes) return 65;
  }
}
