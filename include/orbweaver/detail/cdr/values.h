#pragma once

// Encoding of values of value types (CORBA 3.3 part 2, 9.3.4), for generated code; not for users.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <orbweaver/detail/cdr/codec.h>
#include <orbweaver/detail/typecode_fwd.h>
#include <orbweaver/reference.h>

namespace CORBA {
class ValueBase;
}

namespace orbweaver {

/// Description of a value type, made by the compiler.
struct ValueType {
  const char* id;                   ///< Repository id.
  const char* name;                 ///< Scoped name, without the leading "::".
  const ValueType* base;            ///< Its concrete base; null if it has none, and for boxes.
  const CORBA::TypeCode* typecode;  ///< Its TypeCode.
  bool abstract_, custom, truncatable;
  /// Makes an empty box; null for other value types, of which registered factories make values.
  CORBA::object_reference<CORBA::ValueBase> (*make_box)();
};

/// Makes a concrete value type or a box known by its repository id as long as it exists: a static object of
/// generated code. Not copied.
class KnownValueType {
 public:
  explicit KnownValueType(const ValueType& type);
  ~KnownValueType();
  KnownValueType(const KnownValueType&) = delete;
  KnownValueType& operator=(const KnownValueType&) = delete;

 private:
  const ValueType& type_;
};

}  // namespace orbweaver

namespace orbweaver::cdr {

class EncodedValues;
class ValueReader;
class ValueWriter;

/// While it exists, values that `in` reads share one space of indirections, as those of one message do.
/// Without it, each value has its own. On the stack, destroyed before the decoder.
class ValueReadScope {
 public:
  using Encoded = EncodedValues;  // for templates that are to be without this header

  explicit ValueReadScope(Decoder& in);
  ~ValueReadScope();
  ValueReadScope(const ValueReadScope&) = delete;
  ValueReadScope& operator=(const ValueReadScope&) = delete;

 private:
  std::unique_ptr<ValueReader> reader_;  // null: there is one already
};

/// Reads a value of this type, or of one that is derived from it. Null: a null value, or after a fault.
CORBA::object_reference<CORBA::ValueBase> decode_value(Decoder& in, const ValueType& formal);
/// Writes a value, or null.
void encode_value(Encoder& out, const CORBA::ValueBase* value);
/// An upper bound of the size of the value if it is encoded alone. Encodes it to measure it.
std::size_t bound_value(const CORBA::ValueBase* value);

template <class Encode>
void encode_apart(Encoder& out, const Encode& encode) {
  encode_apart(
      out, [](const void* closure, Encoder& apart) { (*static_cast<const Encode*>(closure))(apart); },
      &encode);
}

/// Arguments or results that contain values, encoded before the message because only that tells their size.
class EncodedValues {
 public:
  template <class Encode>
  explicit EncodedValues(const Encode& encode)
      : EncodedValues([](const void* closure, Encoder& o) { (*static_cast<const Encode*>(closure))(o); },
                      &encode) {}
  template <class Encode>
  explicit EncodedValues(const Encode&& encode) = delete;  // it is called again by write()
  EncodedValues(const EncodedValues&) = delete;
  EncodedValues& operator=(const EncodedValues&) = delete;

  std::size_t bound() const noexcept;
  /// Writes them. They are encoded again for GIOP 1.0 and 1.1, whose bodies have another alignment and
  /// another encoding of wide characters.
  void write(Encoder& out) const;

 private:
  EncodedValues(void (*encode)(const void* closure, Encoder& out), const void* closure);

  void (*write_)(const void* closure, Encoder& out);
  const void* closure_;
  std::vector<std::uint8_t> bytes_;
  Broker* broker_ = nullptr;
};

/// Copies values as a call to another process would: `encode(Encoder&)` writes them, `decode(Decoder&)` reads
/// the copies. Raises MARSHAL if a value has no factory.
void copy_values(void (*encode)(const void* closure, Encoder& out), const void* encode_closure,
                 void (*decode)(const void* closure, Decoder& in), const void* decode_closure);

template <class Encode, class Decode>
void copy_values(const Encode& encode, const Decode& decode) {
  copy_values([](const void* closure, Encoder& o) { (*static_cast<const Encode*>(closure))(o); }, &encode,
              [](const void* closure, Decoder& i) { (*static_cast<const Decode*>(closure))(i); }, &decode);
}

/// Codec of references to values of type V; generated code derives Codec<object_reference<V>> from it.
template <class V>
struct ValueCodec {
  static constexpr std::size_t kMinBytes = 4, kMaxBytes = 0, kAlign = 4;
  static constexpr bool kPlain = false;
  using Scope = ValueReadScope;
  using Ref = CORBA::object_reference<V>;
  static std::size_t bound(const Ref& value) { return bound_value(value.get()); }
  static void encode(Encoder& out, const Ref& value) { encode_value(out, value.get()); }
  static void decode(Decoder& in, Ref& value) {
    value = nullptr;
    const auto read = decode_value(in, V::_static_value_type());
    if (read == nullptr) return;
    V* const same = dynamic_cast<V*>(read.get());
    if (same == nullptr) return in.fail(Fault::bad_value);
    same->_add_ref();
    value = Ref::adopt(same);
  }
};

}  // namespace orbweaver::cdr
