// Checks the samples of iq_source.cpp. OSSIE has no end of a stream: with `packets`, the component ends after
// so many.
#include <orbweaver/sca/ossie_ports.h>

namespace {

using namespace orbweaver::sca;
using Sample = std::complex<std::int16_t>;

class IqSink : public Component {
 public:
  using Component::Component;

 private:
  void check(const Packet<Sample>& packet) {
    for (const Sample& sample : packet.samples) {
      const auto i = static_cast<std::int16_t>(next_++);
      if (sample != Sample(i, static_cast<std::int16_t>(-i - 1))) ++mismatches_;
    }
    samples_ += static_cast<double>(packet.samples.size());
    if (++received_ == packets_.value()) request_end();
  }

  Property<std::uint32_t> packets_{*this, "packets", 0};
  OssieInput<Sample> in_{*this, "in", [this](const Packet<Sample>& packet) { check(packet); }};
  Counter samples_{*this, "samples"};
  Counter mismatches_{*this, "mismatches"};
  std::uint32_t received_ = 0;
  std::uint16_t next_ = 0;
};

}  // namespace

ORBWEAVER_COMPONENT(IqSink)
