// The servant of types.idl for omniORB: returns what it is given.
#pragma once

#include "types.hh"

namespace interop {

class OmniOrbTypes final : public POA_InteropTypes::Types, public PortableServer::RefCountServantBase {
 public:
#define INTEROP_PASS(operation, T)               \
  T pass_##operation(T a, T& b, T& c) override { \
    c = b;                                       \
    b = a;                                       \
    return a;                                    \
  }
#define INTEROP_PASS_VARIABLE(operation, T)                                                                \
  InteropTypes::T* pass_##operation(const InteropTypes::T& a, InteropTypes::T& b, InteropTypes::T##_out c) \
      override {                                                                                           \
    c = new InteropTypes::T(b);                                                                            \
    b = a;                                                                                                 \
    return new InteropTypes::T(a);                                                                         \
  }

  INTEROP_PASS(boolean, CORBA::Boolean)
  INTEROP_PASS(char, CORBA::Char)
  INTEROP_PASS(octet, CORBA::Octet)
  INTEROP_PASS(short, CORBA::Short)
  INTEROP_PASS(ushort, CORBA::UShort)
  INTEROP_PASS(long, CORBA::Long)
  INTEROP_PASS(ulong, CORBA::ULong)
  INTEROP_PASS(longlong, CORBA::LongLong)
  INTEROP_PASS(ulonglong, CORBA::ULongLong)
  INTEROP_PASS(float, CORBA::Float)
  INTEROP_PASS(double, CORBA::Double)
  INTEROP_PASS(suit, InteropTypes::Suit)
  INTEROP_PASS(wchar, CORBA::WChar)
  INTEROP_PASS_VARIABLE(basics, Basics)
  INTEROP_PASS_VARIABLE(many_basics, ManyBasics)
  INTEROP_PASS_VARIABLE(wides, ManyWides)
  INTEROP_PASS_VARIABLE(sequences, Sequences)
  INTEROP_PASS_VARIABLE(arrays, Arrays)
  INTEROP_PASS_VARIABLE(outer, Outer)
  INTEROP_PASS_VARIABLE(branch, Branch)
  INTEROP_PASS_VARIABLE(term, Term)
  INTEROP_PASS_VARIABLE(by_boolean, ByBoolean)
  INTEROP_PASS_VARIABLE(by_one_boolean, ByOneBoolean)
  INTEROP_PASS_VARIABLE(by_char, ByChar)
  INTEROP_PASS_VARIABLE(by_short, ByShort)
  INTEROP_PASS_VARIABLE(by_ushort, ByUShort)
  INTEROP_PASS_VARIABLE(by_long, ByLong)
  INTEROP_PASS_VARIABLE(by_ulong, ByULong)
  INTEROP_PASS_VARIABLE(by_longlong, ByLongLong)
  INTEROP_PASS_VARIABLE(by_ulonglong, ByULongLong)
  INTEROP_PASS_VARIABLE(by_suit, BySuit)
  INTEROP_PASS_VARIABLE(unions, Unions)

#undef INTEROP_PASS_VARIABLE
#undef INTEROP_PASS

  char* pass_string(const char* a, char*& b, CORBA::String_out c) override { return pass_text(a, b, c); }
  char* pass_short_text(const char* a, char*& b, CORBA::String_out c) override { return pass_text(a, b, c); }
  CORBA::WChar* pass_wstring(const CORBA::WChar* a, CORBA::WChar*& b, CORBA::WString_out c) override {
    c = b;  // takes it over
    b = CORBA::wstring_dup(a);
    return CORBA::wstring_dup(a);
  }
  InteropTypes::Matrix_slice* pass_matrix(const InteropTypes::Matrix a, InteropTypes::Matrix b,
                                          InteropTypes::Matrix c) override {
    InteropTypes::Matrix_copy(c, b);
    InteropTypes::Matrix_copy(b, a);
    return InteropTypes::Matrix_dup(a);
  }
  InteropTypes::Words_slice* pass_words(const InteropTypes::Words a, InteropTypes::Words b,
                                        InteropTypes::Words_out c) override {
    c = InteropTypes::Words_dup(b);
    InteropTypes::Words_copy(b, a);
    return InteropTypes::Words_dup(a);
  }
  InteropTypes::BasicsPair_slice* pass_basics_pair(const InteropTypes::BasicsPair a,
                                                   InteropTypes::BasicsPair b,
                                                   InteropTypes::BasicsPair_out c) override {
    c = InteropTypes::BasicsPair_dup(b);
    InteropTypes::BasicsPair_copy(b, a);
    return InteropTypes::BasicsPair_dup(a);
  }
  CORBA::Any* pass_any(const CORBA::Any& a, CORBA::Any& b, CORBA::Any_OUT_arg c) override {
    c = new CORBA::Any(b);
    b = a;
    return new CORBA::Any(a);
  }
  CORBA::Object_ptr pass_object(CORBA::Object_ptr a, CORBA::Object_ptr& b, CORBA::Object_out c) override {
    c = b;  // takes it over
    b = CORBA::Object::_duplicate(a);
    return CORBA::Object::_duplicate(a);
  }

  void raise_wrong(const InteropTypes::Basics& all, const InteropTypes::Term& why,
                   const InteropTypes::Arrays& where, const CORBA::Any& more) override {
    const InteropTypes::Types_var self = _this();
    throw InteropTypes::Wrong(all, why, where, more, self);
  }

  CORBA::ULongLong sum_of_octets(const InteropTypes::Octets& data) override {
    CORBA::ULongLong sum = 0;
    for (CORBA::ULong i = 0; i < data.length(); ++i) sum += data[i];
    return sum;
  }
  InteropTypes::Octets* octets_of(CORBA::ULong length) override {
    auto* const data = new InteropTypes::Octets;
    data->length(length);
    for (CORBA::ULong i = 0; i < length; ++i) (*data)[i] = static_cast<CORBA::Octet>(i % 251);
    return data;
  }

 private:
  static char* pass_text(const char* a, char*& b, CORBA::String_out c) {
    c = b;  // takes it over
    b = CORBA::string_dup(a);
    return CORBA::string_dup(a);
  }
};

}  // namespace interop
