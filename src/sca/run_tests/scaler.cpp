// A component that needs a library of another package, which has to be found when the component is executed.
#include <orbweaver/sca/component.h>

extern "C" double run_test_table_value();

namespace {

using namespace orbweaver::sca;

class Scaler : public Component {
 public:
  explicit Scaler(Context& context) : Component(context) { value_.set(run_test_table_value()); }

 private:
  Counter value_{*this, "value"};
  Output<float> out_{*this, "out"};
  Input<float> in_{*this, "in",
                   [this](const Packet<float>& packet) { out_.push(packet.samples, packet.sample_rate_hz); }};
};

}  // namespace

ORBWEAVER_COMPONENT(Scaler)
