#include "random_cdr.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

namespace orbweaver::idl::testing {

using namespace ir;

namespace {

constexpr int kDeepest = 4;  // depth at which values of recursive types end

std::size_t size_of(TypeKind kind) {
  switch (kind) {
    case TypeKind::short_:
    case TypeKind::ushort: return 2;
    case TypeKind::long_:
    case TypeKind::ulong:
    case TypeKind::float_: return 4;
    case TypeKind::longlong:
    case TypeKind::ulonglong:
    case TypeKind::double_: return 8;
    default: return 1;
  }
}

std::size_t size_for(std::uint32_t bits) { return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8; }

std::size_t place_of(const Enumerator& one) {
  const auto& all = as<Enum>(*one.owner).enumerators;
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), &one) - all.begin());
}

// The encoded value of a label.
std::uint64_t wire_value(const Value& label) {
  if (const auto* truth = std::get_if<bool>(&label)) return *truth ? 1 : 0;
  if (const auto* letter = std::get_if<char>(&label)) return static_cast<unsigned char>(*letter);
  if (const auto* number = std::get_if<Integer>(&label)) return static_cast<std::uint64_t>(*number);
  if (const auto* one = std::get_if<const Enumerator*>(&label)) return place_of(**one);
  throw std::logic_error("a label of an unexpected kind");
}

}  // namespace

std::uint64_t RandomCdr::count(std::uint64_t bound) {
  if (depth_ > kDeepest) return 0;
  const std::uint64_t n = below(5);
  return bound ? std::min(n, bound) : n;
}

// Writes a number, aligned to its size but to at most 8 (9.3.1.1).
void RandomCdr::number(std::uint64_t bits, std::size_t size) {
  while (bytes_.size() % size != 0) bytes_.push_back(0);
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t place = order_ == ByteOrder::little ? i : size - 1 - i;
    bytes_.push_back(static_cast<std::uint8_t>(bits >> (8 * place)));
  }
}

// Writes a random floating-point number. Infinities and NaNs are excluded, because their encoding is not
// unique.
void RandomCdr::floating(TypeKind kind) {
  if (kind == TypeKind::float_) {
    const auto bits = static_cast<std::uint32_t>(random_());
    return number((bits >> 23 & 0xff) == 0xff ? bits ^ 0x800000 : bits, 4);
  }
  if (kind == TypeKind::double_) {
    const std::uint64_t bits = random_();
    return number((bits >> 52 & 0x7ff) == 0x7ff ? bits ^ (std::uint64_t{1} << 62) : bits, 8);
  }
  // IEEE 754 quadruple precision; the last 49 bits of the fraction are 0, because some machines do not
  // support them.
  const std::uint64_t high = below(2) << 63 | (1 + below(0x7ffe)) << 48 | below(std::uint64_t{1} << 48);
  const std::uint64_t low = random_() >> 49 << 49;
  while (bytes_.size() % 8 != 0) bytes_.push_back(0);
  number(order_ == ByteOrder::little ? low : high, 8);
  number(order_ == ByteOrder::little ? high : low, 8);
}

void RandomCdr::string(std::uint64_t bound) {
  const std::uint64_t length = std::min(below(24), bound ? bound : 24);
  number(length + 1, 4);
  for (std::uint64_t i = 0; i < length; ++i) bytes_.push_back(static_cast<std::uint8_t>(1 + below(255)));
  bytes_.push_back(0);
}

char32_t RandomCdr::letter() {
  static constexpr char32_t kFirst[] = {0x20, 0xa0, 0x4e00, 0x1f600};
  return kFirst[below(4)] + static_cast<char32_t>(below(0x40));
}

// Writes UTF-16 without a byte-order mark, which is big-endian in either byte order of the message (9.3.1.6).
void RandomCdr::utf16(char32_t letter, std::vector<std::uint8_t>& into) {
  auto unit = [&](char32_t u) {
    into.push_back(static_cast<std::uint8_t>(u >> 8));
    into.push_back(static_cast<std::uint8_t>(u));
  };
  if (letter < 0x10000) return unit(letter);
  unit(0xd800 + ((letter - 0x10000) >> 10));
  unit(0xdc00 + ((letter - 0x10000) & 0x3ff));
}

void RandomCdr::wide(std::uint64_t bound) {
  std::vector<std::uint8_t> text;
  for (std::uint64_t n = std::min(below(8), bound ? bound : 8); n > 0; --n) utf16(letter(), text);
  number(text.size(), 4);
  bytes_.insert(bytes_.end(), text.begin(), text.end());
}

// Writes digits, two in an octet, and the sign (9.3.2.8).
void RandomCdr::fixed(const Type& type) {
  const std::size_t octets = (type.digits + 2) / 2;
  const std::size_t end = bytes_.size() + octets;
  bool zero = true;
  for (std::size_t half = 0; half < 2 * octets - 1; ++half) {
    const bool unused = half == 0 && type.digits % 2 == 0;
    const auto digit = static_cast<std::uint8_t>(unused || below(3) == 0 ? 0 : below(10));
    zero = zero && digit == 0;
    if (half % 2 == 0)
      bytes_.push_back(static_cast<std::uint8_t>(digit << 4));
    else
      bytes_.back() |= digit;
  }
  const std::uint8_t sign = zero || below(2) == 0 ? 0x0c : 0x0d;
  bytes_[end - 1] = static_cast<std::uint8_t>(bytes_[end - 1] | sign);
}

void RandomCdr::map(const Type& type) {
  const std::uint64_t n = count(type.bound);
  const Type& key = resolved(*type.key);
  number(n, 4);
  for (std::uint64_t i = 0; i < n; ++i) {
    if (key.kind == TypeKind::string) {
      number(2, 4);
      bytes_.push_back(static_cast<std::uint8_t>('a' + i));
      bytes_.push_back(0);
    } else if (is_integer(key.kind)) {
      number(i * 3, size_of(key.kind));
    } else if (key.kind == TypeKind::fixed) {  // the number i
      bytes_.resize(bytes_.size() + (key.digits + 2) / 2);
      bytes_.back() = static_cast<std::uint8_t>(i << 4 | 0x0c);
    } else {
      throw std::logic_error("maps have keys of strings and numbers here");
    }
    value(*type.element);
  }
}

void RandomCdr::fields(const std::vector<Field>& fields) {
  for (const Field& each : fields) value(*each.type);
}

void RandomCdr::members(const Struct& type) {
  if (type.base) members(*type.base);
  if (!type.base && type.fields.empty()) bytes_.push_back(0);
  fields(type.fields);
}

void RandomCdr::label(const Union& type, const std::vector<Value>& labels) {
  const Type& by = resolved(*type.discriminator);
  const bool is_enum = by.kind == TypeKind::declared;
  const std::size_t size = is_enum ? 4 : size_of(by.kind);
  if (!labels.empty()) return number(wire_value(labels[below(labels.size())]), size);
  const std::uint64_t mask = size == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * size) - 1;
  const std::uint64_t most = is_enum                        ? as<Enum>(*by.declaration).enumerators.size()
                             : by.kind == TypeKind::boolean ? 2
                                                            : 0;
  for (;;) {
    const std::uint64_t candidate = most ? below(most) : random_() & mask;
    bool taken = false;
    for (const UnionCase& each : type.cases) {
      for (const Value& one : each.labels) taken = taken || (wire_value(one) & mask) == candidate;
    }
    if (!taken) return number(candidate, size);
  }
}

void RandomCdr::discriminated(const Union& type) {
  std::uint64_t chosen = below(type.cases.size() + (type.has_implicit_default ? 1 : 0));
  if (chosen == type.cases.size()) return label(type, {});
  const UnionCase& one = type.cases[chosen];
  label(type, one.labels);
  value(*one.field.type);
}

void RandomCdr::bits(const Bitset& type) {
  std::vector<const Bitset*> bases;
  for (const Bitset* each = &type; each; each = each->base) bases.insert(bases.begin(), each);
  std::uint64_t packed = 0;
  std::uint32_t at = 0;
  for (const Bitset* each : bases) {
    for (const Bitfield& field : each->fields) {
      if (!field.name.empty()) packed |= below(std::uint64_t{1} << field.bits) << at;
      at += field.bits;
    }
  }
  number(packed, size_for(at));
}

// Writes a TypeCode of a kind without parameters, or of string, whose bound follows (CORBA 3.3 part 2,
// 9.3.5.1).
TypeKind RandomCdr::basic_typecode() {
  static constexpr std::pair<TypeKind, std::uint32_t> kKinds[] = {
      {TypeKind::void_, 0},   {TypeKind::short_, 2}, {TypeKind::ulong, 5}, {TypeKind::double_, 7},
      {TypeKind::boolean, 8}, {TypeKind::octet, 10}, {TypeKind::any, 11},  {TypeKind::string, 18}};
  const auto [kind, number_of_it] = kKinds[below(depth_ > kDeepest ? 6 : 8)];
  number(number_of_it, 4);
  if (kind == TypeKind::string) number(0, 4);
  return kind;
}

void RandomCdr::wide_character() {
  std::vector<std::uint8_t> text;
  utf16(letter(), text);
  bytes_.push_back(static_cast<std::uint8_t>(text.size()));
  bytes_.insert(bytes_.end(), text.begin(), text.end());
}

void RandomCdr::nil_reference() {
  number(1, 4);  // an empty type id
  bytes_.push_back(0);
  number(0, 4);  // no profiles
}

void RandomCdr::sequence(const Type& type) {
  const std::uint64_t n = count(type.bound);
  number(n, 4);
  for (std::uint64_t i = 0; i < n; ++i) value(*type.element);
}

void RandomCdr::array(const Type& type) {
  std::uint64_t n = 1;
  for (std::uint64_t each : type.dimensions) n *= each;
  for (std::uint64_t i = 0; i < n; ++i) value(*type.element);
}

void RandomCdr::any() {
  Type held;
  held.kind = basic_typecode();
  if (held.kind != TypeKind::void_) value(held);
}

void RandomCdr::value(const Type& type) {
  ++depth_;
  switch (type.kind) {
    case TypeKind::boolean: number(below(2), 1); break;
    case TypeKind::float_:
    case TypeKind::double_:
    case TypeKind::longdouble: floating(type.kind); break;
    case TypeKind::string: string(type.bound); break;
    case TypeKind::wstring: wide(type.bound); break;
    case TypeKind::wchar: wide_character(); break;
    case TypeKind::fixed: fixed(type); break;
    case TypeKind::object: nil_reference(); break;
    case TypeKind::sequence: sequence(type); break;
    case TypeKind::array: array(type); break;
    case TypeKind::map: map(type); break;
    case TypeKind::any: any(); break;
    case TypeKind::declared: declared(type); break;
    default: integer_or_char(type.kind);
  }
  --depth_;
}

void RandomCdr::declared(const Type& type) {
  if (is_typecode(type))
    basic_typecode();
  else
    value(*type.declaration);
}

void RandomCdr::integer_or_char(TypeKind kind) {
  if (!is_integer(kind) && kind != TypeKind::char_) throw std::logic_error("a type without C++");
  number(random_(), size_of(kind));
}

void RandomCdr::value(const Declaration& declaration) {
  switch (declaration.kind) {
    case DeclKind::typedef_: return value(*as<Typedef>(declaration).type);
    case DeclKind::struct_: return members(as<Struct>(declaration));
    case DeclKind::union_: return discriminated(as<Union>(declaration));
    case DeclKind::enum_: return number(below(as<Enum>(declaration).enumerators.size()), 4);
    case DeclKind::bitset: return bits(as<Bitset>(declaration));
    case DeclKind::bitmask: {
      std::uint64_t set = 0;
      for (const Enumerator* flag : as<Bitmask>(declaration).flags) set |= below(2) << flag->value;
      return number(set, size_for(as<Bitmask>(declaration).bits));
    }
    case DeclKind::interface: {
      Type object;
      object.kind = TypeKind::object;
      return value(object);
    }
    case DeclKind::exception: {
      const std::string& id = declaration.repository_id();
      number(id.size() + 1, 4);
      bytes_.insert(bytes_.end(), id.begin(), id.end());
      bytes_.push_back(0);
      return fields(as<Exception>(declaration).fields);
    }
    default: throw std::logic_error("no type: " + declaration.name);
  }
}

}  // namespace orbweaver::idl::testing
