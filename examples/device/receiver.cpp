// A device: a receiver with two channels. Each allocation of a channel starts a stream of samples, here of a
// generated tone in place of hardware.
#include <orbweaver/sca/device.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <numbers>

#include <orbweaver/deadline.h>

namespace {

using namespace orbweaver::sca;

class Receiver : public Device {
 public:
  using Device::Device;
  ~Receiver() override { shut_down(); }

 protected:
  // Called in a thread of the ORB, beside the device's own thread.
  bool on_allocate(const Amounts& amounts) override {
    used_ += static_cast<int>(amounts.at("channels"));
    return true;
  }
  void on_deallocate(const Amounts& amounts) override { used_ -= static_cast<int>(amounts.at("channels")); }

  // The device's own thread.
  bool produce() override {
    next_ns_ += kPacketNs;
    if (!sleep_until_ns(next_ns_) || used_ == 0) return true;
    std::array<float, kSamples> packet;
    for (float& sample : packet)
      sample = static_cast<float>(
          std::sin(2 * std::numbers::pi * tone_hz_ * static_cast<double>(sent_++) / kRateHz));
    out_.push(packet, kRateHz);
    return true;
  }

 private:
  static constexpr double kRateHz = 48'000;
  static constexpr std::size_t kSamples = 480;
  static constexpr std::int64_t kPacketNs = 10'000'000;
  Capacity channels_{*this, "channels", 2};
  Property<double> tone_hz_{*this, "tone_hz", 1000.0};
  Output<float> out_{*this, "out"};
  std::atomic<int> used_{0};
  std::int64_t next_ns_ = orbweaver::now_ns();
  std::uint64_t sent_ = 0;
};

}  // namespace

ORBWEAVER_DEVICE(Receiver)
