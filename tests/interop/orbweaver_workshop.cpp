#include "orbweaver_workshop.h"

#include "orbweaver_types.h"

namespace interop {
namespace {

template <class T>
bool remade(const CORBA::Any& data, CORBA::Any& result) {
  T value{};
  if (!(data >>= value)) return false;
  result <<= value;
  return true;
}

}  // namespace

namespace {

/// Forwards requests to another workshop.
class MovedWorkshop final : public OrbweaverWorkshop {
 public:
  explicit MovedWorkshop(WorkshopRef to) : OrbweaverWorkshop("moved"), to_(std::move(to)) {}
  std::string name() override { throw PortableServer::ForwardRequest(to_); }
  Interop::Octets echo_octets(const Interop::Octets&) override { throw PortableServer::ForwardRequest(to_); }
  std::int32_t divide(std::int32_t, std::int32_t, std::int32_t&) override {
    throw PortableServer::ForwardRequest(to_);
  }

 private:
  const WorkshopRef to_;
};

}  // namespace

OrbweaverWorkshop::WorkshopRef OrbweaverWorkshop::moved() {
  return CORBA::make_reference<MovedWorkshop>(itself())->_this();
}

CORBA::Any OrbweaverWorkshop::remake(const CORBA::Any& data) {
  CORBA::Any result, inner;
  if (data >>= inner) {
    result <<= remake(inner);
    return result;
  }
  const bool known = remade<Interop::Colour>(data, result) || remade<Interop::Record>(data, result) ||
                     remade<Interop::Tree>(data, result) || remade<Interop::Forest>(data, result) ||
                     remade<Interop::Shape>(data, result) || remade<Interop::Names>(data, result) ||
                     remade<Interop::Track>(data, result);
  return known ? result : data;
}

std::int32_t OrbweaverWorkshop::divide(std::int32_t dividend, std::int32_t divisor, std::int32_t& remainder) {
  if (divisor == 0) throw Interop::Refused("division by zero", dividend, {static_cast<double>(dividend)});
  remainder = dividend % divisor;
  return dividend / divisor;
}

void OrbweaverWorkshop::exchange(std::string& left, std::string& right, std::string& together) {
  together = left + right;
  left.swap(right);
}

Interop::Track OrbweaverWorkshop::mirror(const Interop::Track& data, std::uint32_t& points) {
  Interop::Track mirrored;
  for (const Interop::Point& p : data) mirrored.emplace_back(p.y(), p.x());
  points += static_cast<std::uint32_t>(mirrored.size());
  return mirrored;
}

OrbweaverWorkshop::WorkshopRef OrbweaverWorkshop::open_branch(const std::string& name) {
  return CORBA::make_reference<OrbweaverWorkshop>(name)->_this();
}

void OrbweaverWorkshop::note(const std::string& text) {
  const std::lock_guard lock(mutex_);
  notes_.push_back(text);
}

Interop::Names OrbweaverWorkshop::notes() {
  const std::lock_guard lock(mutex_);
  return notes_;
}

OrbweaverWorkshop::ObjectRef OrbweaverWorkshop::types() {
  return CORBA::make_reference<OrbweaverTypes>()->_this();
}

}  // namespace interop
