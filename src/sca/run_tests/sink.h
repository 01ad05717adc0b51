#pragma once

#include <cstdlib>
#include <fstream>
#include <string>

#include <orbweaver/sca/component.h>
#include "sca/run_tests/test_metadata.h"

namespace orbweaver::sca::testing {

/// Checks that the ramp arrives completely. At its second packet, when the first has been counted on its way,
/// it creates the file named by ORBWEAVER_RUN_TEST_RUNNING and its id: "running.sink_1".
class Sink : public Component {
 public:
  using Component::Component;

 private:
  void check(const Packet<float>& packet) {
    const char* const running = std::getenv("ORBWEAVER_RUN_TEST_RUNNING");
    if (++packets_ == 2 && running != nullptr) std::ofstream{running + ("." + identifier())};
    for (const float s : packet.samples) {
      if (s != static_cast<float>(next_++ % (1 << 20))) ++mismatches_;
      sum_ = sum_ * 31 + static_cast<std::uint32_t>(s);
    }
    if (packet.metadata != nullptr && *packet.metadata == test_metadata()) ++with_metadata_;
    checksum_.set(sum_);
    samples_ += static_cast<double>(packet.samples.size());
  }

  Input<float> in_{*this, "in", [this](const Packet<float>& packet) { check(packet); }};
  Counter samples_{*this, "samples"};
  Counter mismatches_{*this, "mismatches"};
  Counter with_metadata_{*this, "with_metadata"};  // packets with those of the source
  Counter checksum_{*this, "checksum"};            // of the samples in their order
  std::uint32_t sum_ = 0;
  std::uint64_t next_ = 0, packets_ = 0;
};

}  // namespace orbweaver::sca::testing
