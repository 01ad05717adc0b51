#pragma once

#include <orbweaver/any.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "cdr/value_writer.h"

namespace orbweaver::dynamic {

class SharedValue;
class ValueGraph;
using SharedValueRef = CORBA::object_reference<SharedValue>;
/// The values to which the places of one encoded value refer. A place for a value of a value type is encoded
/// as an unsigned long: 0 for null, otherwise its position in this list plus 1.
using SharedValues = std::vector<SharedValueRef>;

/// The initial values that one value may have, in bytes.
inline constexpr std::uint64_t kMaxInitialBytes = std::uint64_t{64} << 20;

/// A value in CDR, in this machine's byte order, within a buffer that is shared and never changes; or,
/// without a buffer, the initial value of its type. Copies are cheap: the DynAnys of a value and of all its
/// components share one buffer until they are changed. Values of value types are not in the buffer, which
/// refers to them (SharedValues), except for those in anys.
struct EncodedValue {
  /// CDR, aligned as from its first byte; `broker` creates the references in it.
  struct Buffer {
    std::vector<std::uint8_t> bytes;
    std::shared_ptr<cdr::Broker> broker;
  };

  std::shared_ptr<const Buffer> buffer;
  std::size_t offset = 0;
  std::shared_ptr<const SharedValues> values;  ///< Null: the buffer refers to none.

  /// Whether it is the initial value of its type.
  bool is_initial() const noexcept { return buffer == nullptr; }
  /// A decoder at the value, which is not an initial one. Valid as long as the buffer.
  cdr::Decoder decoder() const noexcept;
};

/// Writes one value, of parts of others and of initial values: as an EncodedValue, or as the value in an any.
/// Steps are limited as those of a message (limits::kStepsPerByte), initial values to kMaxInitialBytes: a
/// TypeCode of a few octets can describe values of any size.
class ValueWriter {
 public:
  enum class Form : std::uint8_t { encoded_value, any };

  /// Counts constructed values, within which others are written, while it exists.
  class Nested {
   public:
    Nested(ValueWriter& writer, int levels) noexcept : writer_(writer), levels_(levels) {
      writer_.nesting_ += levels_;
    }
    ~Nested() { writer_.nesting_ -= levels_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

   private:
    ValueWriter& writer_;
    const int levels_;
  };

  explicit ValueWriter(Form form = Form::encoded_value) : form_(form), out_(bytes_) {}
  ValueWriter(const ValueWriter&) = delete;
  ValueWriter& operator=(const ValueWriter&) = delete;

  cdr::Encoder& out() noexcept { return out_; }
  /// Copies the value at `in`, which refers to `values`. Returns false, with the fault in `in`, if it is
  /// malformed.
  bool copy(cdr::Decoder& in, const CORBA::TypeCode& type, const SharedValues* values);
  /// Copies a value in CDR, as an any contains it, whose values become values of the graph: null if it has
  /// none. Returns false if it is malformed. Sets `truncated` if a part of a value is left out because its
  /// type is not known.
  bool read(cdr::Decoder& in, const CORBA::TypeCode& type, ValueGraph* graph, bool& truncated);
  /// Writes a reference to a value, or the value itself in an any; null for null. Raises MARSHAL in an
  /// any for values nested more than limits::kMaxValueNesting deep, or within more than limits::kMaxNesting
  /// constructed values, those within the values that contain it included: nobody could read them.
  void shared_value(const SharedValueRef& value);
  /// Writes the state of a value of this type, without aliases.
  void state(const EncodedValue& state, const CORBA::TypeCode& type);
  /// Copies a value. Raises MARSHAL if it is malformed.
  void value(const EncodedValue& value, const CORBA::TypeCode& type);
  /// Writes the initial value of a type. Raises IMP_LIMIT if it is too large.
  void initial(const CORBA::TypeCode& type);
  /// Writes `n` initial values.
  void initial_elements(const CORBA::TypeCode& element, std::uint64_t n);

  /// Adds the values written in an any to `all`. Returns whether none of them was there.
  bool add_written(std::set<const SharedValue*>& all) const {
    bool all_new = true;
    for (const auto& [value, offset] : written_) all_new = all.insert(value).second && all_new;
    for (const SharedValue* value : written_custom_) all_new = all.insert(value).second && all_new;
    return all_new;
  }
  /// The value as written, for a DynAny. Ends the writing.
  EncodedValue finish();
  /// The value as written, in an any. Ends the writing.
  CORBA::Any to_any(const CORBA::TypeCode& type);

 private:
  void initial_constructed(const CORBA::TypeCode& type);
  void initial_union(const CORBA::TypeCode& type);
  void count(std::uint64_t bytes, std::uint64_t steps = 1);
  void zeros(std::uint64_t bytes);
  void expand(const SharedValueRef& value);

  const Form form_;
  std::vector<std::uint8_t> bytes_;
  cdr::Encoder out_;
  SharedValues values_;                                // of an EncodedValue
  std::optional<cdr::ValueWriter> value_writer_;       // of an any with values
  std::map<const SharedValue*, std::size_t> written_;  // in an any: the offsets
  int nesting_ = 0;                                    // of constructed values around a value
  std::set<const SharedValue*> written_custom_;        // in an any
  std::uint64_t initial_bytes_ = 0, steps_ = 0;
};

/// The value of an any, decoded as `type`; nothing if the any has another type or is malformed. Its values
/// become values of the graph, which may be null for types without values. Sets `truncated` if a part of a
/// value is left out because its type is not known.
std::optional<EncodedValue> encoded_value_of(const CORBA::Any& any, const CORBA::TypeCode& type,
                                             ValueGraph* graph, bool& truncated);
/// The same value, not an initial one.
EncodedValue written(const EncodedValue& value, const CORBA::TypeCode& type);
/// Moves `in` behind a value; a fault is set in `in`.
void skip_value(cdr::Decoder& in, const CORBA::TypeCode& type);
/// Raises MARSHAL if `in` has failed.
inline void check(const cdr::Decoder& in) { any::Access::check(in); }

/// The value in the place at `place`, of a value type; null for null.
SharedValueRef shared_value_at(const EncodedValue& place);
/// Whether two values are equal. `type` is that of `a`; that of `b` is equivalent. Raises MARSHAL if `a` is
/// malformed.
bool equal_values(const CORBA::TypeCode& type, const EncodedValue& a, const EncodedValue& b);

}  // namespace orbweaver::dynamic
