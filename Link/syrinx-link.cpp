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
//   tempo TEMPO                sets the session's tempo
//   bring TEMPO                the same, but only while no other program is in the session
//   beat BEAT MICROSECONDS     sets the session's beat at a time, but only while no other program is in it
//   quantum BEATS              sets the length of a bar
//   start                      starts the session's transport with the next bar, unless it plays
//   stop                       stops it
//
// `bring` and `beat` are for a program that is about to join: it decides here whether it is alone, because a report
// that it received may be older than the session.
//
// The end of standard input ends the program. It contains no source of the node.

#include <ableton/Link.hpp>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <string>
#include <system_error>
#include <unistd.h>

namespace {

constexpr int kPeriodMilliseconds = 20;
constexpr size_t kMostBytes = 4096;

class Session {
public:
  Session(double tempo, double quantum) : link_(tempo), quantum_(quantum) {
    if (pipe2(changes_, O_NONBLOCK | O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category());
    link_.setTempoCallback([this](double) { note(); });
    link_.setNumPeersCallback([this](std::size_t) { note(); });
    link_.setStartStopCallback([this](bool) { note(); });
    link_.enableStartStopSync(true);
    link_.enable(true);
  }

  // Waits for input, for a change of the session, or for the end of the period; returns whether there is input.
  bool wait() {
    pollfd entries[] = {{STDIN_FILENO, POLLIN, 0}, {changes_[0], POLLIN, 0}};
    if (poll(entries, 2, kPeriodMilliseconds) <= 0) return false;
    char bytes[64];
    while (read(changes_[0], bytes, sizeof bytes) > 0) continue;
    return entries[0].revents != 0;
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
    long long microseconds = 0;
    const auto now = link_.clock().micros();
    auto state = link_.captureAppSessionState();
    if (std::sscanf(line.c_str(), "tempo %lf", &value) == 1 && std::isfinite(value)) {
      state.setTempo(value, now);
    } else if (std::sscanf(line.c_str(), "bring %lf", &value) == 1 && std::isfinite(value)) {
      if (link_.numPeers() > 0) return true;
      state.setTempo(value, now);
    } else if (
        std::sscanf(line.c_str(), "beat %lf %lld", &value, &microseconds) == 2 && std::isfinite(value)) {
      if (link_.numPeers() > 0) return true;
      state.requestBeatAtTime(value, std::chrono::microseconds(microseconds), quantum_);
    } else if (std::sscanf(line.c_str(), "quantum %lf", &value) == 1 && value >= 1 && value <= 64) {
      quantum_ = value;
      return true;
    } else if (line == "start") {
      // Another start would move that of the others.
      if (state.isPlaying()) return true;
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
  // On Link's thread. If the pipe is full, the session is about to be printed.
  void note() {
    const ssize_t written = write(changes_[1], "", 1);
    static_cast<void>(written);
  }

  ableton::Link link_;
  double quantum_;
  int changes_[2] = {-1, -1};
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
    if (!session.wait()) continue;
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
