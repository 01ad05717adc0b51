#pragma once

#include <orbweaver/detail/cdr/decoder.h>
#include <orbweaver/detail/cdr/encoder.h>
#include <orbweaver/typecode.h>

namespace orbweaver::any {

/// Copies one value described by a TypeCode, converting byte order, alignment and wchar encoding. A fault of
/// the input is set in `in`; the output is then not valid. Work and memory are limited by the size of the
/// input: each value counts as a step (Decoder::count_steps).
class ValueCopy {
 public:
  ValueCopy(cdr::Decoder& in, cdr::Encoder& out) : in_(in), out_(out) {}
  /// Copies one value of this type.
  void value(const CORBA::TypeCode& type);
  /// Whether the values copied contained object references.
  bool references() const noexcept { return references_; }

 private:
  template <class T>
  void primitive() {
    out_.put(in_.get<T>());
  }
  void constructed(const CORBA::TypeCode& type);
  CORBA::typecode_reference copy_typecode();
  void nil_value();
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
  bool references_ = false;
};

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
