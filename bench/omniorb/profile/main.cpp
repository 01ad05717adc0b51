// omniORB's sender and receiver of `orbweaver bench profile`: one-way calls, a thread for the connection or a
// pool of threads, and a queue with a thread.
#include <stdexcept>
#include <string>

#include "bench/latency_profile/packet_queue.h"
#include "bench/latency_profile/subject.h"
#include "bench/omniorb/setup.h"
#include "profile.hh"

namespace {

using namespace orbweaver::bench;

class Port final : public POA_Profile::Port {
 public:
  explicit Port(std::span<PacketStamps> stamps) : queue_(stamps) {}

  void push(CORBA::ULong number, const Profile::Samples& data) override {
    queue_.push(number, data.get_buffer(), data.length());
  }
  Profile::Totals finish() override {
    queue_.wait_for_all();  // another thread of a pool may still serve a packet
    const ProfileTotals totals = queue_.finish();
    return {totals.packets, totals.wrong};
  }

 private:
  PacketQueue<Profile::ComplexShort> queue_;
};

/// Threads of "pool:N"; 0 for a thread for each connection.
unsigned pool_of(const std::string& threads) {
  return threads.rfind("pool:", 0) == 0 ? static_cast<unsigned>(std::stoul(threads.substr(5))) : 0;
}

void serve(const ProfileReceiver& side) {
  const std::string& transport = side.settings.transport;
  const CORBA::ORB_var orb =
      tuned_orb(transport, omniorb_endpoint(transport, side.scratch), pool_of(side.settings.threads));
  Port servant(side.stamps);
  const Profile::Port_var port = activated(orb, servant);
  const CORBA::String_var ior = orb->object_to_string(port);
  side.ready(ior.in());
  orb->run();
}

void send(const ProfileSender& side) {
  const CORBA::ORB_var orb = tuned_orb(side.settings.transport);
  const CORBA::Object_var object = orb->string_to_object(side.address.c_str());
  const Profile::Port_var port = Profile::Port::_narrow(object);
  if (CORBA::is_nil(port) || port->_non_existent())
    throw std::runtime_error("there is no port at the address");
  Profile::Samples samples;
  samples.length(side.settings.samples);
  send_profile_packets(
      side,
      [&](std::uint32_t number) {
        for (CORBA::ULong i = 0; i < samples.length(); ++i)
          samples[i] = {profile_component(number, i), profile_component(number, i + 1)};
      },
      [&](std::uint32_t number) { port->push(number, samples); });
  const Profile::Totals totals = port->finish();
  orb->destroy();
  check_totals(side.settings, {totals.packets, totals.wrong});
}

}  // namespace

int main(int argc, char** argv) {
  return profile_subject_main(argc, argv, {translated(serve), translated(send)});
}
