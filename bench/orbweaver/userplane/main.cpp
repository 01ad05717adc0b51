// Orbweaver's sender and receiver of `orbweaver bench userplane`: a one-way call for each packet.
#include <orbweaver/flush.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "bench/orbweaver/setup.h"
#include "bench/userplane/subject.h"
#include "userplaneS.h"

namespace {

using namespace orbweaver::bench;
using ReceiverRef = IDL::traits<Userplane::Receiver>::ref_type;

/// Both ends block.
OrbRef orb_for(const UserplaneSettings& settings) {
  std::vector<std::string> options{"-ORBWait", "block"};
  if (settings.batch_us != 0)
    options.insert(options.end(), {"-ORBTune", "batch-delay-us=" + std::to_string(settings.batch_us),
                                   "-ORBTune", "batch-bytes=" + std::to_string(kBatchBytes)});
  return orb_listening_on(settings.transport + ":" + loopback_of(settings) + ":0", settings.transport,
                          std::move(options));
}

class Receiver final : public virtual CORBA::servant_traits<Userplane::Receiver>::base_type {
 public:
  explicit Receiver(UserplaneBoard& board) : check_(board) {}
  void push(orbweaver::span<const std::uint8_t> data) override { check_.take({data.data(), data.size()}); }

 private:
  PacketCheck check_;  // of the thread of the only connection
};

void serve(const UserplaneReceiver& side) {
  const OrbRef orb = orb_for(side.settings);
  const auto receiver = CORBA::make_reference<Receiver>(side.board);
  active_root_poa(orb);
  side.ready(orb->object_to_string(receiver->_this()));
  orb->run();
}

class Calls final : public PacketOutput {
 public:
  explicit Calls(ReceiverRef receiver) : receiver_(std::move(receiver)) {}
  void send(std::span<const std::uint8_t> packet) override {
    receiver_->push(orbweaver::span<const std::uint8_t>(packet.data(), packet.size()));
  }
  void flush() override { orbweaver::flush(receiver_); }

 private:
  const ReceiverRef receiver_;
};

void send(const UserplaneSender& side) {
  const OrbRef orb = orb_for(side.settings);
  const auto receiver = IDL::traits<Userplane::Receiver>::narrow(orb->string_to_object(side.address));
  if (!receiver) throw std::runtime_error("the reference is not of type Userplane::Receiver");
  (void)receiver->_non_existent();  // opens the connection
  Calls calls(receiver);
  send_points(side, calls);
  orb->destroy();
}

}  // namespace

int main(int argc, char** argv) { return userplane_subject_main(argc, argv, {serve, send}); }
