// A source of ramps: packet n holds the numbers from n * size on, so that a sink can detect missing samples.
#include <orbweaver/sca/component.h>
#include "sca/run_tests/test_metadata.h"

namespace {

using namespace orbweaver::sca;

class Source : public Component {
 public:
  using Component::Component;

 protected:
  bool produce() override {
    if (sent_ == packets_) return false;
    if (realtime_) {
      if (sent_ == 0) start_ns_ = orbweaver::now_ns();
      if (!sleep_until_ns(start_ns_ + static_cast<std::int64_t>(sent_) * 1'000'000)) return true;
    }
    if (metadata_ && sent_ == packets_ / 2) out_.set_metadata(test_metadata());
    if (in_place_) {
      auto packet = out_.allocate(size_);
      fill(packet.samples());
      out_.push(std::move(packet), 1000.0 * size_);
    } else {
      std::vector<float> samples(size_);
      fill(samples);
      out_.push(samples, 1000.0 * size_);
    }
    ++sent_;
    ++made_;
    return true;
  }

 private:
  static constexpr std::uint64_t kModulus = 1 << 20;  // exact in a float

  void fill(std::span<float> samples) {
    for (float& s : samples) s = static_cast<float>(next_++ % kModulus);
  }

  Property<std::uint32_t> packets_{*this, "packets", 100};
  Property<std::uint32_t> size_{*this, "size", 160};
  Property<bool> realtime_{*this, "realtime", false};
  Property<bool> in_place_{*this, "in_place", false};
  Property<bool> metadata_{*this, "metadata", false};
  Output<float> out_{*this, "out"};
  Counter made_{*this, "made"};
  std::uint32_t sent_ = 0;
  std::uint64_t next_ = 0;
  std::int64_t start_ns_ = 0;
};

}  // namespace

ORBWEAVER_COMPONENT(Source)
