// Filter: multiplies every sample by a gain in decibels.
#include <orbweaver/sca/component.h>

#include <vector>

#include "decibel.h"

namespace {

using namespace orbweaver::sca;

class Gain : public Component {
 public:
  using Component::Component;
  ~Gain() override { shut_down(); }

 private:
  void amplify(const Packet<float>& packet) {
    scaled_.assign(packet.samples.begin(), packet.samples.end());
    for (float& sample : scaled_) sample *= factor_;
    out_.push(scaled_, packet.sample_rate_hz);
  }

  Property<double> gain_db_{*this, "gain_db", 0.0};
  Output<float> out_{*this, "out"};
  Input<float> in_{*this, "in", [this](const Packet<float>& packet) { amplify(packet); }};
  float factor_ = static_cast<float>(amplitude_of_db(gain_db_));
  std::vector<float> scaled_;  // kept, so that steady traffic does not allocate
};

}  // namespace

ORBWEAVER_COMPONENT(Gain)
