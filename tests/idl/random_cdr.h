#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "idlc/ir/ir.h"

namespace orbweaver::idl::testing {

enum class Order : std::uint8_t { little, big };

/// Random values as CDR has them (CORBA 3.3 part 2, 9.3), written from the checked IDL alone: a second opinion on what
/// the generated code and the run time make of a type. The same seed gives the same value in either order.
///
/// Left out: what has no C++ yet. References are nil; anys and TypeCodes are of a few basic types. Maps are in the order of their keys.
class RandomCdr {
 public:
  RandomCdr(std::uint32_t seed, Order order) : random_(seed), order_(order) {}

  /// What lies ahead of the value.
  void begin(std::vector<std::uint8_t> bytes) { bytes_ = std::move(bytes); }
  void value(const ir::Type& type);
  /// A struct, union, enum, bitmask, bitset, interface, exception (with its repository id), or a typedef's type.
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
  void map(const ir::Type& type);
  void fields(const std::vector<ir::Field>& fields);
  void members(const ir::Struct& type);
  void discriminated(const ir::Union& type);
  /// Writes the TypeCode of a basic type.
  ir::TypeKind basic_typecode();
  /// Writes a discriminator: a label, or a value that no case names where there are none.
  void label(const ir::Union& type, const std::vector<ir::Value>& labels);
  void bits(const ir::Bitset& type);

  std::mt19937_64 random_;
  Order order_;
  int depth_ = 0;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace orbweaver::idl::testing
