// A component of Orbweaver that a core framework on omniORB deploys: multiplies samples by `factor`.
#include <vector>

#include <orbweaver/sca/component.h>

namespace {

using namespace orbweaver::sca;

class Scale : public Component {
 public:
  using Component::Component;

 private:
  void scale(const Packet<float>& packet) {
    scaled_.assign(packet.samples.begin(), packet.samples.end());
    for (float& sample : scaled_) sample *= factor_.value();
    out_.push(scaled_, packet.sample_rate_hz);
  }

  Property<float> factor_{*this, "factor", 1};
  Property<std::string> label_{*this, "label", "none"};
  Output<float> out_{*this, "out"};
  Input<float> in_{*this, "in", [this](const Packet<float>& packet) { scale(packet); }};
  std::vector<float> scaled_;
};

}  // namespace

ORBWEAVER_COMPONENT(Scale)
