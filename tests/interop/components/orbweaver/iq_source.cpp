// Sends packets of complex samples by a port of OSSIE: I counts upwards, and Q is -I - 1.
#include <orbweaver/sca/ossie_ports.h>

namespace {

using namespace orbweaver::sca;
using Sample = std::complex<std::int16_t>;

class IqSource : public Component {
 public:
  using Component::Component;

 private:
  bool produce() override {
    if (sent_ == packets_.value()) return false;
    ++sent_;
    auto packet = out_.allocate(size_);
    for (Sample& sample : packet) {
      const auto i = static_cast<std::int16_t>(next_++);
      sample = {i, static_cast<std::int16_t>(-i - 1)};
    }
    out_.push(std::move(packet), 8000);
    return true;
  }

  Property<std::uint32_t> packets_{*this, "packets", 100};
  Property<std::uint32_t> size_{*this, "size", 160};
  OssieOutput<Sample> out_{*this, "out"};
  std::uint32_t sent_ = 0;
  std::uint16_t next_ = 0;
};

}  // namespace

ORBWEAVER_COMPONENT(IqSource)
