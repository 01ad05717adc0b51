#pragma once

#include <orbweaver/cdr/decoder.h>
#include <orbweaver/cdr/encoder.h>
#include <orbweaver/typecode.h>

namespace orbweaver::any {

/// Moves one value of a type from where it lies to where it is to lie: byte order, position and the form of
/// wide characters may differ. A fault in what is read ends up in `in`; then what was written means nothing.
/// Work and storage are bounded by what arrived: each value is a step (Decoder::spend).
class ValueCopy {
 public:
  ValueCopy(cdr::Decoder& in, cdr::Encoder& out) : in_(in), out_(out) {}
  void value(const CORBA::TypeCode& type);
  /// Were there object references?
  bool references() const noexcept { return references_; }

 private:
  template <class T>
  void primitive() {
    out_.put(in_.get<T>());
  }
  void elements(const CORBA::TypeCode& element, std::uint64_t n);
  void members(const CORBA::TypeCode& type);
  void select(const CORBA::TypeCode& type);
  void reference();
  void octets(std::uint32_t n);
  void counted();
  void wide_character();
  void wide_text(std::uint32_t bound);
  void long_double();

  cdr::Decoder& in_;
  cdr::Encoder& out_;
  bool references_ = false;
};

/// A union's discriminator, read; `type` without its aliases.
std::int64_t read_discriminator(cdr::Decoder& in, const CORBA::TypeCode& type);
void write_discriminator(cdr::Encoder& out, const CORBA::TypeCode& type, std::int64_t value);
/// The case that a discriminator selects, or null: none. `type`: the union, without aliases. Logarithmic in
/// the number of cases; `comparisons`, where a test gives one, is increased by the number of labels looked
/// at.
const CORBA::TypeCode::Member* selected(const CORBA::TypeCode& type, std::int64_t discriminator,
                                        std::uint64_t* comparisons = nullptr);

}  // namespace orbweaver::any
