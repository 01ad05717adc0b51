// omniORB's sender and receiver of `orbweaver bench userplane`: a one-way call for each packet, over TCP.
#include <stdexcept>
#include <string>

#include "bench/omniorb/setup.h"
#include "bench/userplane/subject.h"
#include "userplane.hh"

namespace {

using namespace orbweaver::bench;

class Receiver final : public POA_Userplane::Receiver {
 public:
  explicit Receiver(UserplaneBoard& board) : check_(board) {}
  void push(const Userplane::Packet& data) override { check_.take({data.get_buffer(), data.length()}); }

 private:
  PacketCheck check_;  // of the thread of the only connection
};

void serve(const UserplaneReceiver& side) {
  const CORBA::ORB_var orb =
      tuned_orb("tcp", {"-ORBendPoint", std::string("giop:tcp:") + loopback_of(side.settings) + ":"});
  Receiver servant(side.board);
  const Userplane::Receiver_var receiver = activated(orb, servant);
  const CORBA::String_var ior = orb->object_to_string(receiver);
  side.ready(ior.in());
  orb->run();
}

class Calls final : public PacketOutput {
 public:
  explicit Calls(Userplane::Receiver_ptr receiver) : receiver_(receiver) {}
  /// The sequence refers to the packet without a copy.
  void send(std::span<const std::uint8_t> packet) override {
    const auto length = static_cast<CORBA::ULong>(packet.size());
    receiver_->push(Userplane::Packet(length, length, const_cast<CORBA::Octet*>(packet.data()), false));
  }

 private:
  const Userplane::Receiver_ptr receiver_;
};

void send(const UserplaneSender& side) {
  const CORBA::ORB_var orb = tuned_orb("tcp");
  const CORBA::Object_var object = orb->string_to_object(side.address.c_str());
  const Userplane::Receiver_var receiver = Userplane::Receiver::_narrow(object);
  if (CORBA::is_nil(receiver) || receiver->_non_existent())
    throw std::runtime_error("there is no receiver at the address");
  Calls calls(receiver);
  send_points(side, calls);
  orb->destroy();
}

}  // namespace

int main(int argc, char** argv) {
  return userplane_subject_main(argc, argv, {translated(serve), translated(send)});
}
