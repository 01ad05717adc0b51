// Decodes values of value types: of a truncatable type with members of several sizes, and of any known type.
// The first octet of the input is the byte order (bit 0), and whether the values are of GIOP 1.1 (bit 1).
// What was decoded is encoded and decoded again.
#include <orbweaver/print.h>
#include <orbweaver/value.h>

#include <cstdlib>
#include <sstream>

using namespace orbweaver;

namespace {

using ValueRef = CORBA::object_reference<CORBA::ValueBase>;
std::vector<CORBA::object_reference<CORBA::ValueBase>> made;  // by the factories, for the present input

class Base : public virtual CORBA::ValueBase {
 public:
  static const ValueType& _static_value_type() noexcept {
    static const ValueType kType{"IDL:B:1.0", "B",   nullptr, &typecode::k_ValueBase,
                                 false,       false, false,   nullptr};
    return kType;
  }
  const ValueType& _value_type() const noexcept override { return _static_value_type(); }
  void _encode_state(cdr::Encoder& out) const override {
    cdr::encode(out, octet);
    cdr::encode(out, real);
    cdr::encode(out, text);
    cdr::encode_value(out, next.get());
  }
  void _decode_state(cdr::Decoder& in) override {
    cdr::decode(in, octet);
    cdr::decode(in, real);
    cdr::decode(in, text);
    next = cdr::decode_value(in, CORBA::ValueBase::_static_value_type());
  }
  void _print_state(std::ostream& os) const override { print(os, next); }

  std::uint8_t octet = 0;
  double real = 0;
  std::wstring text;
  ValueRef next;
};

class Derived final : public Base {
 public:
  static const ValueType& _static_value_type() noexcept {
    static const ValueType kType{
        "IDL:D:1.0", "D", &Base::_static_value_type(), &typecode::k_ValueBase, false, false, true, nullptr};
    return kType;
  }
  const ValueType& _value_type() const noexcept override { return _static_value_type(); }
  void _encode_state(cdr::Encoder& out) const override {
    Base::_encode_state(out);
    cdr::encode(out, numbers);
    out.put(static_cast<std::uint32_t>(others.size()));
    for (const auto& each : others) cdr::encode_value(out, each.get());
  }
  void _decode_state(cdr::Decoder& in) override {
    Base::_decode_state(in);
    cdr::decode(in, numbers);
    const std::uint32_t n = in.get_length(4);
    for (std::uint32_t i = 0; i < n && in.ok(); ++i)
      others.push_back(cdr::decode_value(in, Base::_static_value_type()));
  }

  std::vector<std::int64_t> numbers;
  std::vector<ValueRef> others;
};

template <class Made>
struct Factory final : CORBA::ValueFactoryBase {
  ValueRef create_for_unmarshal() override {
    made.push_back(CORBA::make_reference<Made>());
    return made.back();
  }
};

bool registered = [] {
  register_value_factory("IDL:B:1.0", CORBA::make_reference<Factory<Base>>());
  register_value_factory("IDL:D:1.0", CORBA::make_reference<Factory<Derived>>());
  return true;
}();

/// Breaks the cycles of the values that were made.
void clear() {
  for (const auto& each : made) {
    auto* const base = dynamic_cast<Base*>(each.get());
    base->next = nullptr;
    if (auto* const derived = dynamic_cast<Derived*>(base)) derived->others.clear();
  }
  made.clear();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  cdr::Decoder in(data + 1, size - 1, (*data & 1) != 0);
  if ((*data & 2) != 0) in.wchar_encoding(cdr::WcharEncoding::giop_1_1);
  ValueRef first, second;
  {
    const cdr::ValueReadScope scope(in);
    first = cdr::decode_value(in, Base::_static_value_type());
    second = cdr::decode_value(in, CORBA::ValueBase::_static_value_type());
  }
  // A value takes at least its tag, except where bytes are read again, which is limited by steps.
  if (made.size() > size * (limits::kStepsPerByte + 1) + limits::kFreeSteps) std::abort();
  if (in.ok()) {
    std::ostringstream text;
    print(text, first);
    try {
      cdr::copy_values(
          [&](cdr::Encoder& out) {
            cdr::encode_value(out, first.get());
            cdr::encode_value(out, second.get());
          },
          [&](cdr::Decoder& again) {
            const ValueRef a = cdr::decode_value(again, CORBA::ValueBase::_static_value_type());
            const ValueRef b = cdr::decode_value(again, CORBA::ValueBase::_static_value_type());
            std::ostringstream same;
            print(same, a);
            if (!again.ok() || same.str() != text.str() || (a == b) != (first == second)) std::abort();
          });
    } catch (const CORBA::MARSHAL&) {
      std::abort();
    }
  }
  first = second = nullptr;
  clear();
  return 0;
}
