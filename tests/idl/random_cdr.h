#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "idlc/ir/ir.h"

namespace orbweaver::idl::testing {

enum class ByteOrder : std::uint8_t { little, big };

/// Writes random values in CDR (CORBA 3.3 part 2, 9.3) from the IR alone, independently of the generated code
/// and the run time, which are tested against it. The same seed gives the same value in either byte order.
///
/// Constructs without C++ support are omitted. References are nil; anys and TypeCodes have a few basic types.
/// The entries of a map are in the order of their keys.
class RandomCdr {
 public:
  RandomCdr(std::uint32_t seed, ByteOrder order) : random_(seed), order_(order) {}

  /// Sets the bytes that precede the value.
  void begin(std::vector<std::uint8_t> bytes) { bytes_ = std::move(bytes); }
  void value(const ir::Type& type);
  /// Writes a value of a struct, union, enum, bitmask, bitset, interface, exception (with its repository id)
  /// or typedef.
  void value(const ir::Declaration& declaration);

  const std::vector<std::uint8_t>& bytes() const noexcept { return bytes_; }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  std::uint64_t count(std::uint64_t bound);
  void number(std::uint64_t bits, std::size_t size);
  void floating(ir::TypeKind kind);
  void string(std::uint64_t bound);
  void utf16(char32_t letter, std::vector<std::uint8_t>& into);
  char32_t letter();
  void wide(std::uint64_t bound);
  void wide_character();
  void nil_reference();
  void sequence(const ir::Type& type);
  void array(const ir::Type& type);
  void fixed(const ir::Type& type);
  void map(const ir::Type& type);
  /// Writes a TypeCode and a value of that type.
  void any();
  /// Writes a TypeCode, or a value of the declaration that the type names.
  void declared(const ir::Type& type);
  void integer_or_char(ir::TypeKind kind);
  void fields(const std::vector<ir::Field>& fields);
  void members(const ir::Struct& type);
  void discriminated(const ir::Union& type);
  /// Writes the TypeCode of a basic type.
  ir::TypeKind basic_typecode();
  /// Writes a discriminator: one of `labels`, or if there are none, a value that is not a label of the union.
  void label(const ir::Union& type, const std::vector<ir::Value>& labels);
  void bits(const ir::Bitset& type);

  std::mt19937_64 random_;
  ByteOrder order_;
  int depth_ = 0;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace orbweaver::idl::testing
