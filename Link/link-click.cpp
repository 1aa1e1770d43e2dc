// SPDX-License-Identifier: GPL-2.0-or-later
//
// link-click: the second program of `scripts/rigs link`. Plays the beats of a session of Ableton Link, or records
// the onsets of clicks, as a JACK client. It contains no source of the node.
//
//   link-click play NAME TEMPO
//
// joins the session and plays one sample of 0.5 on each beat, at the time at which it is heard: earlier by the
// playback latency of its ports. Its two ports differ in the time of a buffer:
//
//   cycle     the time of its first frame by JACK's cycle times
//   callback  a regression over the times of the last 512 callbacks, by Link's HostTimeFilter, as in LinkHut
//
//   link-click record NAME
//
// prints one line per event:
//
//   onset PORT FRAME MICROSECONDS   the first sample other than 0 at in_PORT after 5 ms of silence, and its time
//                                   by JACK's cycle times and CLOCK_MONOTONIC_RAW, the clock of Link on Linux
//   midi FRAME MICROSECONDS BYTE    the first byte of a message at midi_in, unless it is a tick of MIDI clock
//   xrun FRAME                      an xrun that the server reported
//   lost FRAME FRAMES               a jump of the server's frame count
//
// The end of standard input ends the program.

#include <ableton/Link.hpp>
#include <ableton/link/HostTimeFilter.hpp>

#include <jack/jack.h>
#include <jack/midiport.h>
#include <jack/ringbuffer.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <poll.h>
#include <string>
#include <unistd.h>

namespace {

using Clock = ableton::Link::Clock;

constexpr double kQuantum = 4;
constexpr int kPorts = 3;

double now(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

// The lead of Link's clock over JACK's, in microseconds: the best of a few readings.
double leadOverJack() {
  double width = 1e9, lead = 0;
  for (int i = 0; i < 5; i++) {
    const double before = now(CLOCK_MONOTONIC_RAW);
    const double jack = static_cast<double>(jack_get_time());
    const double after = now(CLOCK_MONOTONIC_RAW);
    if (after - before < width) {
      width = after - before;
      lead = (before + after) / 2 - jack;
    }
  }
  return lead;
}

// The time of a buffer.
struct Cycle {
  jack_nframes_t frame = 0;
  double microseconds = 0, perFrame = 0;
};

class Client {
public:
  explicit Client(const char* name) : client_(jack_client_open(name, JackNoStartServer, nullptr)) {
    if (!client_) exit(69);
    lead_ = leadOverJack();
  }

  virtual ~Client() = default;

  void activate() {
    const auto call = [](jack_nframes_t frames, void* self) {
      static_cast<Client*>(self)->process(frames);
      return 0;
    };
    jack_set_process_callback(client_, call, this);
    const auto xrun = [](void* self) {
      static_cast<Client*>(self)->noteXrun();
      return 0;
    };
    jack_set_xrun_callback(client_, xrun, this);
    if (jack_activate(client_) != 0) exit(70);
  }

  void close() {
    // A dead server may not respond.
    alarm(1);
    jack_client_close(client_);
  }

  // Does the work outside of the audio thread, about 50 times a second.
  virtual void poll() { lead_ = leadOverJack(); }

protected:
  virtual void process(jack_nframes_t frames) = 0;
  virtual void noteXrun() {}

  Cycle cycle() const {
    Cycle cycle;
    jack_time_t start = 0, next = 0;
    float period = 0;
    jack_get_cycle_times(client_, &cycle.frame, &start, &next, &period);
    cycle.microseconds = static_cast<double>(start) + lead_;
    cycle.perFrame = period / jack_get_buffer_size(client_);
    return cycle;
  }

  jack_port_t* add(const char* name, unsigned long flags, const char* type = JACK_DEFAULT_AUDIO_TYPE) {
    jack_port_t* port = jack_port_register(client_, name, type, flags, 0);
    if (!port) exit(70);
    return port;
  }

  jack_client_t* client_;

private:
  std::atomic<double> lead_{0};
};

class Player : public Client {
public:
  Player(const char* name, double tempo) : Client(name), link_(tempo) {
    ports_[0] = add("cycle", JackPortIsOutput);
    ports_[1] = add("callback", JackPortIsOutput);
    link_.enable(true);
  }

protected:
  void process(jack_nframes_t frames) override {
    const Cycle cycle = this->cycle();
    const double called = static_cast<double>(filter_.sampleTimeToHostTime(frames_).count());
    frames_ += frames;
    const auto state = link_.captureAudioSessionState();
    play(0, frames, cycle.microseconds, cycle.perFrame, state);
    play(1, frames, called, 1e6 / jack_get_sample_rate(client_), state);
  }

private:
  void play(
      int index, jack_nframes_t frames, double start, double perFrame,
      const ableton::Link::SessionState& state) {
    float* sound = static_cast<float*>(jack_port_get_buffer(ports_[index], frames));
    std::memset(sound, 0, frames * sizeof *sound);
    jack_latency_range_t latency;
    jack_port_get_latency_range(ports_[index], JackPlaybackLatency, &latency);
    start += latency.max * perFrame;
    const std::chrono::microseconds from(std::llround(start));
    const double first = state.beatAtTime(from, kQuantum);
    const double last = first + frames * perFrame * state.tempo() / 60e6;
    for (double beat = std::floor(first); beat <= std::ceil(last); beat++) {
      if (beat == played_[index]) continue;
      const double time = static_cast<double>(state.timeAtBeat(beat, kQuantum).count());
      // A beat that was just after the last buffer may be just before this one.
      const double frame = std::fmax(0, std::round((time - start) / perFrame));
      if (frame >= frames || time < start - 48 * perFrame) continue;
      sound[static_cast<size_t>(frame)] = 0.5f;
      played_[index] = beat;
    }
  }

  ableton::Link link_;
  ableton::link::HostTimeFilter<Clock> filter_;
  jack_port_t* ports_[2];
  double played_[2] = {-1e9, -1e9};
  double frames_ = 0;
};

class Recorder : public Client {
public:
  explicit Recorder(const char* name) : Client(name), events_(jack_ringbuffer_create(1 << 18)) {
    for (int i = 0; i < kPorts; i++) {
      ports_[i] = add(("in_" + std::to_string(i + 1)).c_str(), JackPortIsInput);
    }
    midi_ = add("midi_in", JackPortIsInput, JACK_DEFAULT_MIDI_TYPE);
    silence_ = jack_get_sample_rate(client_) / 200;
  }

  void poll() override {
    Client::poll();
    if (const int count = xruns_.exchange(0)) {
      for (int i = 0; i < count; i++) std::printf("xrun %u\n", xrunFrame_.load());
    }
    Event event;
    while (jack_ringbuffer_read_space(events_) >= sizeof event) {
      jack_ringbuffer_read(events_, reinterpret_cast<char*>(&event), sizeof event);
      if (event.kind == 'o') std::printf("onset %d %u %.1f\n", event.value, event.frame, event.microseconds);
      if (event.kind == 'm') std::printf("midi %u %.1f %02x\n", event.frame, event.microseconds, event.value);
      if (event.kind == 'l') std::printf("lost %u %d\n", event.frame, event.value);
    }
    std::fflush(stdout);
  }

protected:
  void process(jack_nframes_t frames) override {
    const Cycle cycle = this->cycle();
    if (hasBegun_ && next_ != cycle.frame) {
      write({'l', static_cast<int>(cycle.frame - next_), cycle.frame, 0});
    }
    next_ = cycle.frame + frames;
    hasBegun_ = true;
    for (int port = 0; port < kPorts; port++) {
      const float* sound = static_cast<float*>(jack_port_get_buffer(ports_[port], frames));
      for (jack_nframes_t i = 0; i < frames; i++) {
        if (sound[i] == 0) {
          quiet_[port]++;
          continue;
        }
        if (quiet_[port] >= silence_) {
          write({'o', port + 1, cycle.frame + i, cycle.microseconds + i * cycle.perFrame});
        }
        quiet_[port] = 0;
      }
    }
    void* messages = jack_port_get_buffer(midi_, frames);
    jack_midi_event_t message;
    for (uint32_t i = 0; jack_midi_event_get(&message, messages, i) == 0; i++) {
      if (message.size == 0 || message.buffer[0] == 0xF8) continue;
      write(
          {'m', message.buffer[0], cycle.frame + message.time,
           cycle.microseconds + message.time * cycle.perFrame});
    }
  }

  void noteXrun() override {
    xrunFrame_ = jack_last_frame_time(client_);
    xruns_++;
  }

private:
  struct Event {
    char kind;
    int value;
    jack_nframes_t frame;
    double microseconds;
  };

  void write(const Event& event) {
    if (jack_ringbuffer_write_space(events_) < sizeof event) return;
    jack_ringbuffer_write(events_, reinterpret_cast<const char*>(&event), sizeof event);
  }

  jack_ringbuffer_t* events_;
  jack_port_t* ports_[kPorts];
  jack_port_t* midi_;
  jack_nframes_t silence_ = 240, quiet_[kPorts] = {}, next_ = 0;
  bool hasBegun_ = false;
  std::atomic<int> xruns_{0};
  std::atomic<jack_nframes_t> xrunFrame_{0};
};

int usage() {
  std::fprintf(stderr, "usage: link-click play NAME TEMPO | link-click record NAME\n");
  return 64;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string mode = count > 1 ? arguments[1] : "";
  std::unique_ptr<Client> client;
  if (mode == "play" && count == 4) {
    client.reset(new Player(arguments[2], std::atof(arguments[3])));
  } else if (mode == "record" && count == 3) {
    client.reset(new Recorder(arguments[2]));
  } else {
    return usage();
  }
  client->activate();
  std::puts("ready");
  std::fflush(stdout);
  for (;;) {
    pollfd entry = {STDIN_FILENO, POLLIN, 0};
    const int ready = poll(&entry, 1, 20);
    client->poll();
    char bytes[64];
    if (ready > 0 && read(STDIN_FILENO, bytes, sizeof bytes) <= 0) break;
  }
  client->close();
  return 0;
}
