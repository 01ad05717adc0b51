#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <orbweaver/abstract_interface.h>
#include <orbweaver/any.h>

/// @file
/// Custom marshalling of value types (CORBA 3.3 part 1, 9.4.4).

// clang-format off
/// Applies X to the name and the C++ type of what the streams have operations for.
#define ORBWEAVER_STREAM_TYPES(X)                                                                         \
  X(any, CORBA::Any) X(boolean, bool) X(char, char) X(wchar, wchar_t) X(octet, std::uint8_t)              \
  X(short, std::int16_t) X(ushort, std::uint16_t) X(long, std::int32_t) X(ulong, std::uint32_t)           \
  X(longlong, std::int64_t) X(ulonglong, std::uint64_t) X(float, float) X(double, double)
/// Applies X to those that have no operations for arrays.
#define ORBWEAVER_STREAM_SINGLE_TYPES(X)                                                                  \
  X(longdouble, long double) X(string, std::string) X(wstring, std::wstring)                              \
  X(Object, IDL::traits<CORBA::Object>::ref_type) X(Abstract, IDL::traits<CORBA::AbstractBase>::ref_type) \
  X(Value, IDL::traits<CORBA::ValueBase>::ref_type) X(TypeCode, CORBA::typecode_reference)
// clang-format on

namespace CORBA {

class CustomMarshal;
class DataInputStream;
class DataOutputStream;

}  // namespace CORBA

namespace IDL {

template <>
struct traits<CORBA::CustomMarshal> : orbweaver::abstract_value_traits<CORBA::CustomMarshal> {};
template <>
struct traits<CORBA::DataInputStream> : orbweaver::abstract_value_traits<CORBA::DataInputStream> {};
template <>
struct traits<CORBA::DataOutputStream> : orbweaver::abstract_value_traits<CORBA::DataOutputStream> {};

}  // namespace IDL

namespace CORBA {

/// Where a value writes its state: the message. Valid until `marshal` returns; then its operations raise
/// BAD_INV_ORDER (0x4f570048). One thread at a time.
class DataOutputStream : public virtual RefCounted {
 public:
  /// Reference to a stream.
  using _ref_type = object_reference<DataOutputStream>;
/// Declares write_NAME.
#define ORBWEAVER_WRITE(NAME, TYPE)                           \
  /** Writes one value. Values of value types may be null. */ \
  virtual void write_##NAME(IDL::traits<TYPE>::in_type value) = 0;
/// Declares write_NAME.
#define ORBWEAVER_WRITE_SINGLE(NAME, TYPE) \
  /** Writes one value. */                 \
  virtual void write_##NAME(const TYPE& value) = 0;
/// Declares write_NAME_array.
#define ORBWEAVER_WRITE_ARRAY(NAME, TYPE)                                                               \
  /** Writes `length` elements from `offset` on, without a length. Raises BAD_PARAM (0x4f57003c) if the \
      sequence has not as many. */                                                                      \
  virtual void write_##NAME##_array(const std::vector<TYPE>& seq, std::uint32_t offset,                 \
                                    std::uint32_t length) = 0;
  ORBWEAVER_STREAM_TYPES(ORBWEAVER_WRITE)
  ORBWEAVER_STREAM_SINGLE_TYPES(ORBWEAVER_WRITE_SINGLE)
  ORBWEAVER_STREAM_TYPES(ORBWEAVER_WRITE_ARRAY)
#undef ORBWEAVER_WRITE
#undef ORBWEAVER_WRITE_SINGLE
#undef ORBWEAVER_WRITE_ARRAY
};

/// What a value reads its state from. Valid until `unmarshal` returns. Its operations raise MARSHAL
/// (docs/minor-codes.md) for bytes that do not fit, which ends the call.
class DataInputStream : public virtual RefCounted {
 public:
  /// Reference to a stream.
  using _ref_type = object_reference<DataInputStream>;
/// Declares read_NAME.
#define ORBWEAVER_READ(NAME, TYPE) \
  /** Reads one value. */          \
  virtual TYPE read_##NAME() = 0;
/// Declares read_NAME_array.
#define ORBWEAVER_READ_ARRAY(NAME, TYPE)                                                                 \
  /** Reads `length` elements to `offset` and behind it; the sequence is enlarged if it has not as many. \
   */                                                                                                    \
  virtual void read_##NAME##_array(std::vector<TYPE>& seq, std::uint32_t offset, std::uint32_t length) = 0;
  ORBWEAVER_STREAM_TYPES(ORBWEAVER_READ)
  ORBWEAVER_STREAM_SINGLE_TYPES(ORBWEAVER_READ)
  ORBWEAVER_STREAM_TYPES(ORBWEAVER_READ_ARRAY)
#undef ORBWEAVER_READ
#undef ORBWEAVER_READ_ARRAY
};

/// Base of the custom value types, whose implementations encode and decode their state.
class CustomMarshal : public virtual ValueBase {
 public:
  /// Reference to a value of a custom type.
  using _ref_type = object_reference<CustomMarshal>;
  /// Writes the state of this value, which it must not change.
  virtual void marshal(IDL::traits<DataOutputStream>::ref_type os) = 0;
  /// Reads what `marshal` has written.
  virtual void unmarshal(IDL::traits<DataInputStream>::ref_type is) = 0;

 protected:
  CustomMarshal() = default;
  ~CustomMarshal() override = default;
};

}  // namespace CORBA
