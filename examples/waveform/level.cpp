// Sink: measures the level of a stream, in decibels relative to a sine wave of amplitude 1.
#include <orbweaver/sca/component.h>

#include <cmath>

#include "decibel.h"

namespace {

using namespace orbweaver::sca;

class Level : public Component {
 public:
  using Component::Component;
  ~Level() override { shut_down(); }

 protected:
  void on_end() override {
    if (count_ > 0 && energy_ > 0) level_db_.set(db_of_amplitude(std::sqrt(2 * energy_ / count_)));
  }

 private:
  void add(const Packet<float>& packet) {
    for (const float sample : packet.samples) energy_ += static_cast<double>(sample) * sample;
    count_ += static_cast<double>(packet.samples.size());
    samples_.set(count_);
  }

  Input<float> in_{*this, "in", [this](const Packet<float>& packet) { add(packet); }};
  Counter samples_{*this, "samples"};
  Counter level_db_{*this, "level_db"};
  double energy_ = 0, count_ = 0;
};

}  // namespace

ORBWEAVER_COMPONENT(Level)
