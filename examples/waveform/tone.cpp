// Source: a sine wave, in packets of 480 samples.
#include <orbweaver/sca/component.h>

#include <array>
#include <cmath>
#include <numbers>

namespace {

using namespace orbweaver::sca;

class Tone : public Component {
 public:
  using Component::Component;
  ~Tone() override { shut_down(); }

 protected:
  bool produce() override {
    if (sent_ >= samples_) return false;
    std::array<float, 480> packet;
    for (float& sample : packet) {
      sample = static_cast<float>(
          std::sin(2 * std::numbers::pi * frequency_hz_ * static_cast<double>(sent_++) / kRateHz));
    }
    out_.push(packet, kRateHz);
    return true;
  }

 private:
  static constexpr double kRateHz = 48'000;
  Property<double> frequency_hz_{*this, "frequency_hz", 1000.0};
  Property<std::uint32_t> samples_{*this, "samples", 48'000};
  Output<float> out_{*this, "out"};
  std::uint32_t sent_ = 0;
};

}  // namespace

ORBWEAVER_COMPONENT(Tone)
