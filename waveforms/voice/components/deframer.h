#pragma once

#include <cstdint>
#include <vector>

#include <orbweaver/sca/component.h>
#include "dsp/deframer.h"

namespace orbweaver::voice {

/// SCA component of Deframer: channel bits in, codec bits out. Publishes its statistics as counters, whose
/// names voice-report reads.
class DeframerComponent : public sca::Component {
 public:
  using Component::Component;
  ~DeframerComponent() override { shut_down(); }

 protected:
  void on_end() override {
    deframer_.flush();
    publish_counters();
  }

 private:
  void deframe(std::span<const Bit> channel) {
    bits_.clear();
    deframer_.push(channel, bits_);
    publish_counters();
    out_.push(bits_, kCodecRate);
  }
  void publish_counters() {
    const DeframerStats& stats = deframer_.stats();
    frames_good_.set(static_cast<double>(stats.frames_good));
    frames_bad_.set(static_cast<double>(stats.frames_bad));
    frames_lost_.set(static_cast<double>(stats.frames_lost));
    frames_repeated_.set(static_cast<double>(stats.frames_repeated));
    sequence_gaps_.set(static_cast<double>(stats.sequence_gaps));
    compared_.set(static_cast<double>(stats.compared_bits));
    errors_.set(static_cast<double>(stats.bit_errors));
    worst_.set(static_cast<double>(stats.worst_frame_errors));
    filled_.set(static_cast<double>(stats.filled_bits));
    end_seen_.set(stats.end_seen ? 1 : 0);
  }

  sca::Output<Bit> out_{*this, "bits_out"};
  sca::Input<Bit> in_{*this, "channel_in", [this](const auto& packet) { deframe(packet.samples); }};
  sca::Counter frames_good_{*this, "frames_good"};
  sca::Counter frames_bad_{*this, "frames_bad"};
  sca::Counter frames_lost_{*this, "frames_lost"};
  sca::Counter frames_repeated_{*this, "frames_repeated"};
  sca::Counter sequence_gaps_{*this, "sequence_gaps"};
  sca::Counter compared_{*this, "channel_bits_compared"};
  sca::Counter errors_{*this, "channel_bit_errors"};
  sca::Counter worst_{*this, "worst_frame_errors"};
  sca::Counter filled_{*this, "filled_bits"};
  sca::Counter end_seen_{*this, "end_seen"};
  Deframer deframer_;
  std::vector<Bit> bits_;
};

}  // namespace orbweaver::voice
