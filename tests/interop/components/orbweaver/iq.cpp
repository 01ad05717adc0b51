// A component of Orbweaver with ports of OSSIE, that a core framework on omniORB deploys: multiplies complex
// samples by `factor`.
#include <orbweaver/sca/ossie_ports.h>

#include <algorithm>

namespace {

using namespace orbweaver::sca;
using Sample = std::complex<std::int16_t>;

class Iq : public Component {
 public:
  using Component::Component;

 private:
  void scale(const Packet<Sample>& packet) {
    auto scaled = out_.allocate(packet.samples.size());
    const auto factor = static_cast<std::int16_t>(factor_.value());
    std::transform(packet.samples.begin(), packet.samples.end(), scaled.begin(), [&](const Sample& sample) {
      return Sample(static_cast<std::int16_t>(sample.real() * factor),
                    static_cast<std::int16_t>(sample.imag() * factor));
    });
    out_.push(std::move(scaled));
  }

  Property<std::int16_t> factor_{*this, "factor", 10};
  OssieOutput<Sample> out_{*this, "out"};
  OssieInput<Sample> in_{*this, "in", [this](const Packet<Sample>& packet) { scale(packet); }};
};

}  // namespace

ORBWEAVER_COMPONENT(Iq)
