#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

// snippet

namespace {

struct File {
  std::vector<float> read(std::size_t count);
};

class Source : public Component {
  // snippet
  File file_;
  bool realtime_ = false;
  std::int64_t start_ns_ = 0, sent_ = 0;
  Output<float> out_{*this, "out"};
};

class WithProperties : public Component {
  // snippet
};

class Tested : public Component {
  std::uint32_t loop(std::uint32_t packets);
  // snippet
};

struct Radio {
  std::size_t read(std::span<float> samples);
};

class Receiver : public Component {
  // snippet
  Radio radio_;
  Output<float> out_{*this, "out"};
};

class Described : public Component {
  void send(std::int64_t seconds, double fraction, const std::vector<float>& samples) {
    // snippet
  }
  void tune(const StreamMetadata& metadata);
  void receive(const Packet<float>& packet) {
    // snippet
  }
  Output<float> out_{*this, "out"};
};

}  // namespace

namespace {

class WithOssiePorts : public Component {
  // snippet
  void demodulate(const Packet<std::complex<std::int16_t>>& packet);
};

}  // namespace

namespace {

class Configured : public Component {
  // snippet
  Property<double> gain_db_{*this, "gain_db", 0.0};
  float factor_ = 1;
};

}  // namespace

void test_by_hand(Component& source) {
  // snippet
}

namespace {

struct Board {
  explicit Board(const std::string&) {}
  void reset() {}
};

class Tuner : public Component {
 public:
  Tuner(Context& context, Board&) : Component(context) {}
};

}  // namespace

// snippet

namespace {

struct ReceiverBoard {
  bool open(double) { return true; }
  void close(double) {}
  std::vector<float> read() { return {}; }
};

}  // namespace

// snippet
