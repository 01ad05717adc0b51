#pragma once

#include <orbweaver/detail/cdr/decoder.h>
#include <orbweaver/detail/cdr/encoder.h>
#include <orbweaver/typecode.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "cdr/value_reader.h"
#include "cdr/value_writer.h"

namespace orbweaver::any {

/// Copies one value described by a TypeCode, converting byte order, alignment and wchar encoding. A fault of
/// the input is set in `in`; the output is then not valid. Work and memory are limited by the size of the
/// input: each value counts as a step (Decoder::count_steps).
class ValueCopy {
 public:
  /// Copies values of value types between other forms than CDR.
  class Values {
   public:
    /// Reads a value of `declared`, a value type or abstract interface, or null, and writes it. Sets a fault
    /// in `in` if it is malformed.
    virtual void copy(cdr::Decoder& in, cdr::Encoder& out, const CORBA::TypeCode& declared) = 0;

   protected:
    ~Values() = default;
  };

  /// `out` is an encoder over a vector if the type can contain values of value types. With `values`, which is
  /// not owned, those outside of anys are copied by it, and the value of each any has its own space of
  /// indirections.
  ValueCopy(cdr::Decoder& in, cdr::Encoder& out, Values* values = nullptr)
      : in_(in), out_(out), values_(values) {}
  /// Copies one value of this type.
  void value(const CORBA::TypeCode& type);
  /// Copies the state of a value of this value type, without aliases: that of its bases first; or the value
  /// in a box.
  void state(const CORBA::TypeCode& type);
  /// Whether the values copied contained object references.
  bool references() const noexcept { return references_; }

 private:
  template <class T>
  void primitive() {
    out_.put(in_.get<T>());
  }
  void constructed(const CORBA::TypeCode& type);
  CORBA::typecode_reference copy_typecode();
  // value_copy_values.cpp
  struct ValueTypes;
  using Header = cdr::ValueReader::Header;
  using Offsets = std::map<std::size_t, std::size_t>;
  ValueCopy(cdr::Decoder& in, ValueCopy& other) : in_(in), out_(other.out_) {
    other.copied();
    copied_ = other.copied_;
  }
  Offsets& copied() {
    if (copied_ == nullptr) copied_ = std::make_shared<Offsets>();
    return *copied_;
  }
  void copy_value(const CORBA::TypeCode& declared);
  void copy_shared(std::size_t at, const CORBA::TypeCode& declared);
  void copy_state(const Header& header, const CORBA::TypeCode& declared);
  void copy_custom(Header header, const CORBA::TypeCode& type);
  void copy_value_of_any(const CORBA::TypeCode& type);
  cdr::ValueReader& reader();
  cdr::ValueWriter& writer();
  void copy_elements(const CORBA::TypeCode& element, std::uint64_t n);
  void members(const CORBA::TypeCode& type);
  void copy_union(const CORBA::TypeCode& type);
  void reference();
  void copy_octets(std::uint32_t n);
  void copy_fixed(std::uint16_t digits);
  void copy_octet_sequence();
  void copy_wchar();
  void copy_wstring(std::uint32_t bound);
  void long_double();

  cdr::Decoder& in_;
  cdr::Encoder& out_;
  Values* const values_ = nullptr;
  bool references_ = false;
  // For values of value types. Those of `in_` and `out_` are used if there are any.
  std::unique_ptr<cdr::ValueReader> own_reader_;
  std::unique_ptr<cdr::ValueWriter> own_writer_;
  std::shared_ptr<Offsets> copied_;  // offsets of values in `in_` and `out_`; null: none yet
};

/// The TypeCode of the value type `id`, where one of type `declared` is expected; null if it is unknown.
const CORBA::TypeCode* find_value_type(std::string_view id, const CORBA::TypeCode& declared);
/// The concrete base of a value type, without aliases; null: none.
const CORBA::TypeCode* base_of(const CORBA::TypeCode& type);
/// A value type and its concrete bases, the first base first.
std::vector<const CORBA::TypeCode*> value_chain(const CORBA::TypeCode& type);
/// Whether the state of values of the type is marshalled by their program.
bool is_custom(const CORBA::TypeCode& type);
/// Whether values of exactly this type, a value type or abstract interface, exist.
bool is_concrete(const CORBA::TypeCode& type);

/// Appends a value in CDR, as an any contains it, to `out`. Raises MARSHAL if it is malformed.
void encode_copy(cdr::Encoder& out, const CORBA::TypeCode& type, const std::vector<std::uint8_t>& bytes);

/// Reads a union's label in a TypeCode, or its discriminator. `kind`: of the discriminator's type without
/// aliases. The position of an enumerator is not checked.
std::int64_t read_label(cdr::Decoder& in, CORBA::TCKind kind);
/// Reads a union's discriminator. `type` is the discriminator's type without aliases.
std::int64_t read_discriminator(cdr::Decoder& in, const CORBA::TypeCode& type);
/// Writes a union's discriminator. `type` is the discriminator's type without aliases.
void write_discriminator(cdr::Encoder& out, const CORBA::TypeCode& type, std::int64_t value);
/// The case that a discriminator selects; null: none. `type` is the union without aliases. Logarithmic in the
/// number of cases. `comparisons`, used by tests, is increased by the number of labels compared.
const CORBA::TypeCode::Member* find_case(const CORBA::TypeCode& type, std::int64_t discriminator,
                                         std::uint64_t* comparisons = nullptr);

}  // namespace orbweaver::any
