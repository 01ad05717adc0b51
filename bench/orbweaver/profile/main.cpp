// Orbweaver's sender and receiver of `orbweaver bench profile`: one-way calls to a queued port.
#include <orbweaver/loan.h>
#include <orbweaver/streams/queued_port.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/clock.h"
#include "bench/latency_profile/packet_queue.h"
#include "bench/latency_profile/subject.h"
#include "bench/orbweaver/setup.h"
#include "profileS.h"
#include "stamping_interceptors.h"

namespace {

using namespace orbweaver::bench;
using Samples = orbweaver::span<const Profile::ComplexShort>;

/// A packet that outlives its upcall.
struct StoredPacket {
  std::uint32_t number = 0;
  orbweaver::HeldView<Profile::ComplexShort> samples;
};

class Port final : public virtual CORBA::servant_traits<Profile::Port>::base_type {
 public:
  explicit Port(std::span<PacketStamps> stamps) : stamps_(stamps) {}

  void push(std::uint32_t number, Samples samples) override {
    const std::int64_t dispatched_ns = steady_ns();
    StoredPacket packet{number, orbweaver::hold(samples)};
    if (number < stamps_.size()) {
      PacketStamps& stamps = stamps_[number];
      stamps.dispatched_ns = dispatched_ns;
      stamps.received_ns = request_received_ns();
      stamps.queued_ns = steady_ns();
    }
    raise_if_rejected(port_.push(std::move(packet), samples.size_bytes()));
    if (number < stamps_.size()) stamps_[number].inserted_ns = steady_ns();
  }
  Profile::Totals finish() override {
    port_.finish();
    return {totals_.packets, totals_.wrong};
  }

 private:
  void process(const StoredPacket& packet) {
    if (packet.number < stamps_.size()) stamps_[packet.number].processed_ns = steady_ns();
    const Samples samples = packet.samples.view();
    ++totals_.packets;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (samples[i].i() != profile_component(packet.number, i) ||
          samples[i].q() != profile_component(packet.number, i + 1)) {
        ++totals_.wrong;
        return;
      }
    }
  }

  const std::span<PacketStamps> stamps_;
  ProfileTotals totals_;  // of the port's thread
  orbweaver::streams::QueuedPort<StoredPacket> port_{
      "port", {64}, [this](StoredPacket& packet) { process(packet); }};
};

void serve(const ProfileReceiver& side) {
  if (side.settings.interceptors) register_stamping_interceptors();
  std::vector<std::string> options = wait_options(side.settings.wait);
  options.insert(options.end(), {"-ORBThreads", side.settings.threads});
  const OrbRef orb = orb_over(side.settings.transport, std::move(options));
  const auto port = CORBA::make_reference<Port>(side.stamps);
  active_root_poa(orb);
  side.ready(orb->object_to_string(port->_this()));
  orb->run();
}

void send(const ProfileSender& side) {
  if (side.settings.interceptors) register_stamping_interceptors();
  const OrbRef orb = orb_over(side.settings.transport, wait_options(side.settings.wait));
  const auto port = IDL::traits<Profile::Port>::narrow(orb->string_to_object(side.address));
  if (!port) throw std::runtime_error("the reference is not of type Profile::Port");
  (void)port->_non_existent();  // opens the connection
  Profile::Samples samples(side.settings.samples);
  send_profile_packets(
      side,
      [&](std::uint32_t number) {
        for (std::size_t i = 0; i < samples.size(); ++i)
          samples[i] = {profile_component(number, i), profile_component(number, i + 1)};
        stamp_calls_of_thread(&side.stamps[number]);
      },
      [&](std::uint32_t number) { port->push(number, samples); });
  stamp_calls_of_thread(nullptr);
  const Profile::Totals totals = port->finish();
  orb->destroy();
  check_totals(side.settings, {totals.packets(), totals.wrong()});
}

}  // namespace

int main(int argc, char** argv) { return profile_subject_main(argc, argv, {serve, send}); }
