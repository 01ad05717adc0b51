// A component that uses a channel of a receiver: counts its samples, and ends after so many.
#include <orbweaver/sca/component.h>

namespace {

using namespace orbweaver::sca;

class Meter : public Component {
 public:
  using Component::Component;
  ~Meter() override { shut_down(); }

 private:
  void count(const Packet<float>& packet) {
    samples_.set(samples_.value() + static_cast<double>(packet.samples.size()));
    if (samples_.value() >= wanted_) request_end();
  }

  Property<std::uint32_t> wanted_{*this, "wanted", 4800};
  Counter samples_{*this, "samples"};
  Input<float> in_{*this, "in", [this](const Packet<float>& packet) { count(packet); }};
};

}  // namespace

ORBWEAVER_COMPONENT(Meter)
