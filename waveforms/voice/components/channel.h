#pragma once

#include <cstdint>
#include <vector>

#include <orbweaver/sca/component.h>
#include "dsp/channel.h"

namespace orbweaver::voice {

/// SCA component of Channel: baseband samples in; delayed, frequency-shifted and noisy samples out.
class ChannelComponent : public sca::Component {
 public:
  using Component::Component;
  ~ChannelComponent() override { shut_down(); }

 protected:
  void on_configure() override { channel_.set_es_n0_db(es_n0_db_); }
  void on_end() override {
    samples_.clear();
    channel_.flush(samples_);
    out_.push(samples_, rate_);
  }

 private:
  void impair(std::span<const Sample> in, double rate) {
    rate_ = rate;
    samples_.clear();
    channel_.push(in, samples_);
    out_.push(samples_, rate_);
  }

  sca::Property<double> es_n0_db_{*this, "es_n0_db", ChannelSettings{}.es_n0_db};
  sca::Property<double> frequency_offset_{*this, "frequency_offset", ChannelSettings{}.frequency_offset};
  sca::Property<double> timing_offset_{*this, "timing_offset", ChannelSettings{}.timing_offset};
  sca::Property<std::uint32_t> seed_{*this, "seed", 1};
  sca::Property<std::uint32_t> samples_per_symbol_{*this, "samples_per_symbol", kSamplesPerSymbol};
  sca::Output<Sample> out_{*this, "samples_out"};
  sca::Input<Sample> in_{*this, "samples_in",
                         [this](const auto& packet) { impair(packet.samples, packet.sample_rate_hz); }};
  Channel channel_{{es_n0_db_, frequency_offset_, timing_offset_, seed_, samples_per_symbol_}};
  std::vector<Sample> samples_;
  double rate_ = 0;
};

}  // namespace orbweaver::voice
