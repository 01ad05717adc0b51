// Factory of a tuner and a meter, which share a board in one process.
#include <orbweaver/sca/component_factory.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace orbweaver::sca;

/// Receiver hardware, of which a process has one. It receives a sine wave here.
class Board {
 public:
  static constexpr double kRateHz = 48'000;

  explicit Board(std::string name) : name_(std::move(name)) {}
  void reset() {
    if (name_ != "simulated") throw std::runtime_error("there is no board '" + name_ + "'");
  }
  /// `position`: number of samples that have been read before.
  void read(double frequency_hz, std::uint32_t position, std::vector<float>& samples) {
    for (float& sample : samples)
      sample = static_cast<float>(std::sin(2 * std::numbers::pi * frequency_hz * position++ / kRateHz));
  }

 private:
  const std::string name_;
};

/// Source: samples of the board, in packets of 480.
class Tuner : public Component {
 public:
  Tuner(Context& context, Board& board) : Component(context), board_(board) {}
  ~Tuner() override { shut_down(); }

 protected:
  bool produce() override {
    if (sent_ >= samples_) return false;
    board_.read(frequency_hz_, sent_, packet_);
    sent_ += static_cast<std::uint32_t>(packet_.size());
    out_.push(packet_, Board::kRateHz);
    return true;
  }

 private:
  Board& board_;
  Property<double> frequency_hz_{*this, "frequency_hz", 1000.0};
  Property<std::uint32_t> samples_{*this, "samples", 48'000};
  Output<float> out_{*this, "out"};
  std::uint32_t sent_ = 0;
  std::vector<float> packet_ = std::vector<float>(480);
};

/// Sink: the largest sample.
class Meter : public Component {
 public:
  using Component::Component;
  ~Meter() override { shut_down(); }

 private:
  void measure(const Packet<float>& packet) {
    for (const float sample : packet.samples) largest_ = std::max(largest_, static_cast<double>(sample));
    count_ += static_cast<double>(packet.samples.size());
    peak_.set(largest_);
    samples_.set(count_);
  }

  Input<float> in_{*this, "in", [this](const Packet<float>& packet) { measure(packet); }};
  Counter samples_{*this, "samples"};
  Counter peak_{*this, "peak"};
  double largest_ = 0, count_ = 0;
};

class RadioFactory : public ComponentFactory {
 public:
  explicit RadioFactory(Context& context) : ComponentFactory(context), board_(context.required("board")) {
    add("tuner", [this](Context& each) { return std::make_unique<Tuner>(each, board_); });
    add<Meter>("meter");
  }

 private:
  void initialize() override { board_.reset(); }

  Board board_;  // exists longer than the components
};

}  // namespace

ORBWEAVER_COMPONENT_FACTORY(RadioFactory)
