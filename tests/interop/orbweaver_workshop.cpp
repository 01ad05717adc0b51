#include "orbweaver_workshop.h"

namespace interop {
namespace {

template <class T>
bool remade(const CORBA::Any& data, CORBA::Any& made) {
  T value{};
  if (!(data >>= value)) return false;
  made <<= value;
  return true;
}

}  // namespace

CORBA::Any OurWorkshop::remake(const CORBA::Any& data) {
  CORBA::Any made, inner;
  if (data >>= inner) {
    made <<= remake(inner);
    return made;
  }
  const bool known = remade<Interop::Colour>(data, made) || remade<Interop::Record>(data, made) ||
                     remade<Interop::Tree>(data, made) || remade<Interop::Forest>(data, made) ||
                     remade<Interop::Shape>(data, made) || remade<Interop::Names>(data, made) ||
                     remade<Interop::Track>(data, made);
  return known ? made : data;
}

std::int32_t OurWorkshop::divide(std::int32_t dividend, std::int32_t divisor, std::int32_t& remainder) {
  if (divisor == 0) throw Interop::Refused("division by zero", dividend, {static_cast<double>(dividend)});
  remainder = dividend % divisor;
  return dividend / divisor;
}

void OurWorkshop::exchange(std::string& left, std::string& right, std::string& together) {
  together = left + right;
  left.swap(right);
}

Interop::Track OurWorkshop::mirror(const Interop::Track& data, std::uint32_t& points) {
  Interop::Track mirrored;
  for (const Interop::Point& p : data) mirrored.emplace_back(p.y(), p.x());
  points += static_cast<std::uint32_t>(mirrored.size());
  return mirrored;
}

OurWorkshop::WorkshopRef OurWorkshop::open_branch(const std::string& name) {
  return CORBA::make_reference<OurWorkshop>(name)->_this();
}

void OurWorkshop::note(const std::string& text) {
  const std::lock_guard lock(mutex_);
  notes_.push_back(text);
}

Interop::Names OurWorkshop::notes() {
  const std::lock_guard lock(mutex_);
  return notes_;
}

}  // namespace interop
