#pragma once

#include <atomic>
#include <string>
#include <vector>

#include <orbweaver/orb.h>
#include <orbweaver/poa.h>
#include <orbweaver/streams/jtnc.h>

#include "modemS.h"

namespace orbweaver::streams {

using OctetInput = PacketInput<std::uint8_t>;

/// A receiver's servant: its three interfaces over one input.
class Receiver final : public virtual CORBA::servant_traits<StreamTest::Receiver>::base_type,
                       public FlowOctetStreamServant,
                       public FlowControlServant,
                       public EmptyControlServant {
 public:
  explicit Receiver(OctetInput& input)
      : FlowOctetStreamServant(input), FlowControlServant(input), EmptyControlServant(input) {}
};

/// An ORB with an active root POA, listening on one transport.
struct Orb {
  explicit Orb(const std::string& transport) {
    static std::atomic<int> count{0};
    std::vector<std::string> words = {"test",
                                      "-ORBListen",
                                      transport,
                                      "-ORBTransportPreference",
                                      transport,
                                      "-ORBTune",
                                      "ring-bytes=65536,pool-bytes=1048576"};
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    int argc = static_cast<int>(words.size());
    orb = CORBA::ORB_init(argc, argv.data(), "streams " + std::to_string(++count));
    root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    root->the_POAManager()->activate();
  }
  ~Orb() { destroy(); }
  void destroy() {
    root = nullptr;
    if (orb) orb->destroy();
    orb = nullptr;
  }
  /// The reference of a servant of another ORB, for calls of this one.
  template <class Interface, class Servant>
  typename IDL::traits<Interface>::ref_type to(Orb& other, const Servant& servant) {
    other.root->activate_object(servant);
    const std::string text = other.orb->object_to_string(other.root->servant_to_reference(servant));
    return IDL::traits<Interface>::narrow(orb->string_to_object(text));
  }

  IDL::traits<CORBA::ORB>::ref_type orb;
  IDL::traits<PortableServer::POA>::ref_type root;
};

}  // namespace orbweaver::streams
