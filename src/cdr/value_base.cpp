// Values of any type: copying and printing, and the value types of the run time itself.
#include <orbweaver/print.h>
#include <orbweaver/typecode.h>
#include <orbweaver/value.h>

#include <algorithm>
#include <ostream>
#include <vector>

#include "cdr/value_reader.h"
#include "cdr/value_types.h"

namespace orbweaver {

namespace {
template <class Box>
CORBA::object_reference<CORBA::ValueBase> make_box() {
  return CORBA::make_reference<Box>();
}
}  // namespace

constexpr ValueType kStringValue{"IDL:omg.org/CORBA/StringValue:1.0",
                                 "CORBA::StringValue",
                                 nullptr,
                                 &typecode::k_StringValue,
                                 false,
                                 false,
                                 false,
                                 &make_box<CORBA::StringValue>};
constexpr ValueType kWStringValue{"IDL:omg.org/CORBA/WStringValue:1.0",
                                  "CORBA::WStringValue",
                                  nullptr,
                                  &typecode::k_WStringValue,
                                  false,
                                  false,
                                  false,
                                  &make_box<CORBA::WStringValue>};

template <class Boxed, const ValueType& Type>
void TextBox<Boxed, Type>::_print_state(std::ostream& os) const {
  print(os, value_);
}
template class TextBox<std::string, kStringValue>;
template class TextBox<std::wstring, kWStringValue>;

void cdr::copy_values(void (*encode)(const void* closure, Encoder& out), const void* encode_closure,
                      void (*decode)(const void* closure, Decoder& in), const void* decode_closure) {
  std::vector<std::uint8_t> bytes;
  Encoder out(bytes);
  encode_apart(out, encode, encode_closure);
  out.finish();
  Decoder in(bytes.data(), bytes.size(), false);
  in.broker(out.broker());
  const ValueReadScope scope(in);
  decode(decode_closure, in);
  if (in.ok()) return;
  throw CORBA::MARSHAL(minor_code(in), CORBA::CompletionStatus::COMPLETED_NO,
                       std::string("a value cannot be copied: ") + describe(in.fault()));
}

}  // namespace orbweaver

namespace CORBA {

const orbweaver::ValueType& ValueBase::_static_value_type() noexcept {
  static constexpr orbweaver::ValueType kType{"IDL:omg.org/CORBA/ValueBase:1.0",
                                              "CORBA::ValueBase",
                                              nullptr,
                                              &orbweaver::typecode::k_ValueBase,
                                              true,
                                              false,
                                              false,
                                              nullptr};
  return kType;
}

ValueBase::_ref_type ValueBase::_copy_value() const {
  _ref_type copy;
  orbweaver::cdr::copy_values(
      [&](orbweaver::cdr::Encoder& out) { orbweaver::cdr::encode_value(out, this); },
      [&](orbweaver::cdr::Decoder& in) { copy = orbweaver::cdr::decode_value(in, _static_value_type()); });
  return copy;
}

void ValueBase::_print_value(std::ostream& os, const ValueBase* value) {
  if (value == nullptr) {
    os << "null";
    return;
  }
  os << value->_value_type().name;
  // Each value is printed once, so that shared and cyclic ones take no more lines than they have members.
  thread_local std::vector<const ValueBase*> printed;
  if (std::find(printed.begin(), printed.end(), value) != printed.end()) {
    os << "{…}";
    return;
  }
  struct Printed {
    explicit Printed(const ValueBase* each) : is_outermost(printed.empty()) { printed.push_back(each); }
    ~Printed() {
      if (is_outermost) printed.clear();
    }
    const bool is_outermost;
  };
  if (printed.size() >= orbweaver::kMaxPrintedElements) {
    os << "{…}";
    return;
  }
  const Printed scope(value);
  os << '{';
  value->_print_state(os);
  os << '}';
}

}  // namespace CORBA
