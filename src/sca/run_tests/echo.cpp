// Part of a loop: sends each packet round the loop `rounds` times, or for ever if that is negative, and then
// passes it on. The first sample of a packet in the loop is the number of rounds left.
#include <orbweaver/sca/component.h>

namespace {

using namespace orbweaver::sca;

class Echo : public Component {
 public:
  using Component::Component;

 private:
  void begin(const Packet<float>& packet) {
    packet_.assign(packet.samples.begin(), packet.samples.end());
    packet_[0] = static_cast<float>(rounds_.value());
    again_.push(packet_);
  }
  void go_on(const Packet<float>& packet) {
    ++returned_;
    packet_.assign(packet.samples.begin(), packet.samples.end());
    packet_[0] -= 1;
    if (rounds_ < 0 || packet_[0] > 0) return again_.push(packet_);
    out_.push(packet_);
  }
  void on_configure() override { ++configured_; }

  Property<std::int32_t> rounds_{*this, "rounds", 1};
  Output<float> out_{*this, "out"};
  Output<float> again_{*this, "again"};
  Input<float> in_{*this, "in", [this](const Packet<float>& packet) { begin(packet); }};
  Input<float> back_{*this, "back", [this](const Packet<float>& packet) { go_on(packet); }};
  Counter returned_{*this, "returned"};
  Counter configured_{*this, "configured"};
  std::vector<float> packet_;
};

}  // namespace

ORBWEAVER_COMPONENT(Echo)
