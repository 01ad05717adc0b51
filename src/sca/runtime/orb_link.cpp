#include "sca/runtime/orb_link.h"

#include <cstdio>

#include "StreamS.h"
#include "orb/call_epoch.h"
#include "orb/reference.h"
#include "sca/runtime/stream_types.h"

namespace orbweaver::sca {
namespace {

template <class Sample>
class OrbLink final : public TypedLink<Sample> {
 public:
  using Stub = typename StreamInterface<Sample>::Stub;
  using Skeleton = typename CORBA::servant_traits<Stub>::base_type;

  OrbLink(std::string connection_id, typename IDL::traits<Stub>::ref_type target)
      : TypedLink<Sample>(std::move(connection_id)), target_(std::move(target)) {}

  std::string transport() const override { return road_to(*target_); }

 protected:
  bool send(const PacketHeader& header, std::span<const Sample> samples) override {
    const auto packet = same_samples<typename StreamInterface<Sample>::Element>(samples);
    try {
      // Within a process the servant is called on this thread. A one-way through the ORB would share one
      // connection with all others of the process, and one receiver that is full would hold the packets
      // that it is waiting for itself. The port's queue is what makes the push one-way.
      const LocalCall local(*target_, Stub::_static_interface());
      if (local.servant() != nullptr) {
        static_cast<Skeleton*>(local.servant())->pushPacket(to_idl(header), packet);
      } else {
        target_->pushPacket(to_idl(header), packet);
      }
      return true;
    } catch (const CORBA::Exception& e) {
      std::fprintf(stderr, "connection '%s' is broken: %s\n", this->id().c_str(), e.what());
      return false;
    }
  }

 private:
  typename IDL::traits<Stub>::ref_type target_;
};

template <class Sample>
std::shared_ptr<Link> make(const std::string& id, const IDL::traits<CORBA::Object>::ref_type& target) {
  // A full receiver holds its connection. Streams that zigzag between two processes would hold each other.
  auto input = IDL::traits<typename StreamInterface<Sample>::Stub>::narrow(with_private_connection(target));
  if (!input) return nullptr;
  return std::make_shared<OrbLink<Sample>>(id, std::move(input));
}

}  // namespace

std::shared_ptr<Link> make_orb_link(const OutputPort& port, const std::string& connection_id,
                                    const IDL::traits<CORBA::Object>::ref_type& target) {
  switch (port.type()) {
    case SampleType::octet:
      return make<std::uint8_t>(connection_id, target);
    case SampleType::int16:
      return make<std::int16_t>(connection_id, target);
    case SampleType::real32:
      return make<float>(connection_id, target);
    case SampleType::complex32:
      break;
  }
  return make<std::complex<float>>(connection_id, target);
}

std::string road_to(CORBA::Object& object) {
  Reference* reference = object._reference();
  if (reference == nullptr || reference->is_local()) return "collocated";
  const orb::CallScope in_use;
  try {
    return reference->binding(platform::Deadline::in_ms(1000)).road.transport->name();
  } catch (const CORBA::Exception&) {
    return "none";
  }
}

}  // namespace orbweaver::sca
