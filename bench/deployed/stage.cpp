// A component that passes packets on, for the applications of `orbweaver bench deployment`.
#include <orbweaver/sca/component.h>

namespace {

using namespace orbweaver::sca;

class Stage : public Component {
 public:
  using Component::Component;
  ~Stage() override { shut_down(); }

 private:
  Output<float> out_{*this, "out"};
  Input<float> in_{*this, "in",
                   [this](const auto& packet) { out_.push(packet.samples, packet.sample_rate_hz); }};
};

}  // namespace

ORBWEAVER_COMPONENT(Stage)
