// The servant of types.idl for Orbweaver: returns what it is given.
#pragma once

#include <cstdint>
#include <numeric>
#include <string>

#include "typesS.h"

namespace interop {

class OrbweaverTypes final : public virtual CORBA::servant_traits<InteropTypes::Types>::base_type {
 public:
  using ObjectRef = IDL::traits<CORBA::Object>::ref_type;

#define INTEROP_PASS(operation, In, T) \
  T pass_##operation(In a, T& b, T& c) override { return passed<T>(a, b, c); }
#define INTEROP_PASS_VALUE(operation, T) INTEROP_PASS(operation, T, T)
#define INTEROP_PASS_REFERENCE(operation, T) INTEROP_PASS(operation, const T&, T)

  INTEROP_PASS_VALUE(boolean, bool)
  INTEROP_PASS_VALUE(char, char)
  INTEROP_PASS_VALUE(octet, std::uint8_t)
  INTEROP_PASS_VALUE(short, std::int16_t)
  INTEROP_PASS_VALUE(ushort, std::uint16_t)
  INTEROP_PASS_VALUE(long, std::int32_t)
  INTEROP_PASS_VALUE(ulong, std::uint32_t)
  INTEROP_PASS_VALUE(longlong, std::int64_t)
  INTEROP_PASS_VALUE(ulonglong, std::uint64_t)
  INTEROP_PASS_VALUE(float, float)
  INTEROP_PASS_VALUE(double, double)
  INTEROP_PASS_VALUE(suit, InteropTypes::Suit)
  INTEROP_PASS_REFERENCE(string, std::string)
  INTEROP_PASS_REFERENCE(short_text, InteropTypes::ShortText)
  INTEROP_PASS_VALUE(wchar, wchar_t)
  INTEROP_PASS_REFERENCE(wstring, std::wstring)
  INTEROP_PASS_REFERENCE(basics, InteropTypes::Basics)
  INTEROP_PASS_REFERENCE(many_basics, InteropTypes::ManyBasics)
  INTEROP_PASS_REFERENCE(wides, InteropTypes::ManyWides)
  INTEROP_PASS_REFERENCE(sequences, InteropTypes::Sequences)
  INTEROP_PASS_REFERENCE(matrix, InteropTypes::Matrix)
  INTEROP_PASS_REFERENCE(words, InteropTypes::Words)
  INTEROP_PASS_REFERENCE(basics_pair, InteropTypes::BasicsPair)
  INTEROP_PASS_REFERENCE(arrays, InteropTypes::Arrays)
  INTEROP_PASS_REFERENCE(outer, InteropTypes::Outer)
  INTEROP_PASS_REFERENCE(branch, InteropTypes::Branch)
  INTEROP_PASS_REFERENCE(term, InteropTypes::Term)
  INTEROP_PASS_REFERENCE(by_boolean, InteropTypes::ByBoolean)
  INTEROP_PASS_REFERENCE(by_one_boolean, InteropTypes::ByOneBoolean)
  INTEROP_PASS_REFERENCE(by_char, InteropTypes::ByChar)
  INTEROP_PASS_REFERENCE(by_short, InteropTypes::ByShort)
  INTEROP_PASS_REFERENCE(by_ushort, InteropTypes::ByUShort)
  INTEROP_PASS_REFERENCE(by_long, InteropTypes::ByLong)
  INTEROP_PASS_REFERENCE(by_ulong, InteropTypes::ByULong)
  INTEROP_PASS_REFERENCE(by_longlong, InteropTypes::ByLongLong)
  INTEROP_PASS_REFERENCE(by_ulonglong, InteropTypes::ByULongLong)
  INTEROP_PASS_REFERENCE(by_suit, InteropTypes::BySuit)
  INTEROP_PASS_REFERENCE(unions, InteropTypes::Unions)
  INTEROP_PASS_REFERENCE(any, CORBA::Any)
  INTEROP_PASS_VALUE(object, ObjectRef)

#undef INTEROP_PASS_REFERENCE
#undef INTEROP_PASS_VALUE
#undef INTEROP_PASS

  void raise_wrong(const InteropTypes::Basics& all, const InteropTypes::Term& why,
                   const InteropTypes::Arrays& where, const CORBA::Any& more) override {
    throw InteropTypes::Wrong(all, why, where, more, _this());
  }

  std::uint64_t sum_of_octets(const InteropTypes::Octets& data) override {
    return std::accumulate(data.begin(), data.end(), std::uint64_t{0});
  }
  InteropTypes::Octets octets_of(std::uint32_t length) override {
    InteropTypes::Octets data(length);
    for (std::uint32_t i = 0; i < length; ++i) data[i] = static_cast<std::uint8_t>(i % 251);
    return data;
  }

 private:
  template <class T>
  static T passed(const T& a, T& b, T& c) {
    c = b;
    b = a;
    return a;
  }
};

}  // namespace interop
