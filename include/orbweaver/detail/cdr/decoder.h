#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include <orbweaver/detail/blocks.h>
#include <orbweaver/detail/cdr/scratch.h>
#include <orbweaver/detail/cdr/wchar_encoding.h>
#include <orbweaver/limits.h>
#include <orbweaver/span.h>

namespace orbweaver::cdr {

/// Reason why a decoder stopped. The numbers are minor codes of CORBA::MARSHAL (docs/minor-codes.md).
enum class Fault : std::uint32_t {
  none = 0,
  truncated = 1,           ///< The value extends beyond the last byte received.
  bad_length = 2,          ///< The length of a sequence or string exceeds the bytes received.
  bad_string = 3,          ///< A string without terminating NUL, or with length 0 where this is invalid.
  bound_exceeded = 4,      ///< More elements or characters than the IDL bound.
  bad_enum = 5,            ///< An enumerator that is not in the IDL.
  bad_boolean = 6,         ///< A boolean that is neither 0 nor 1.
  too_deep = 7,            ///< Values nested deeper than limits::kMaxNesting.
  bad_reference = 8,       ///< An object reference that is not an IOR.
  bad_union = 9,           ///< A discriminator that selects no member.
  bad_typecode = 10,       ///< A malformed TypeCode.
  unsupported_type = 11,   ///< An any of a type whose values cannot be copied.
  too_many_steps = 12,     ///< A TypeCode of many values for few bytes (limits::kStepsPerByte).
  wchar_in_giop_1_0 = 13,  ///< A wide character in GIOP 1.0. Has a standard minor code: see minor_code.
  bad_value = 15,          ///< A malformed value of a value type; 14 is fixed::kMalformed.
  no_value_factory = 16,   ///< A value for which no factory is registered. Has a standard minor code.
};
/// Returns a description of the fault for messages. Valid as long as the program.
const char* describe(Fault fault) noexcept;

/// Interface of the ORB that creates object references from decoded ones.
class Broker {
 public:
  /// Returns a shared pointer to it, for values that keep encoded references after the call.
  virtual std::shared_ptr<Broker> hold() = 0;

 protected:
  ~Broker() = default;
};

class Decoder;

/// The chunks in which the state of a value is encoded (CORBA 3.3 part 2, 9.3.4.6): a decoder that has one
/// reads from chunk to chunk.
class ChunkSource {
 public:
  /// Positions `in`, which has read the present chunk, at the next one; false, with a fault, if none follows.
  virtual bool next_chunk(Decoder& in) = 0;
  /// The bytes of the message behind the present chunk.
  virtual std::size_t later_bytes(const Decoder& in) const noexcept = 0;
  /// Storage for bytes of several chunks, valid as long as the views of the message.
  virtual std::uint8_t* storage(std::size_t bytes) = 0;

 protected:
  ~ChunkSource() = default;
};

/// Decoder of CDR (CORBA 3.3 part 2, 9.3) of either byte order, for bytes received from a peer. Used by one
/// thread at a time; owns no bytes.
///
/// The bytes may be malformed, hostile, and, in shared memory, modified while they are read. Every length is
/// therefore read once and checked against the available bytes before use; the first fault is kept, later
/// reads return zero, and loops end. Check `ok()` before using values. Alignment counts from `base`.
class Decoder {
 public:
  /// `swap`: the bytes have the other byte order. `scratch`: storage for views that cannot point into the
  /// bytes; it must live as long as they do. Without it such views fail.
  Decoder(const std::uint8_t* base, std::size_t size, bool swap, Scratch* scratch = nullptr) noexcept
      : base_(base), pos_(base), end_(base + size), scratch_(scratch), swap_(swap) {}

  bool ok() const noexcept { return fault_ == Fault::none; }
  Fault fault() const noexcept { return fault_; }
  /// Offset from base of the byte at which the first fault was found.
  std::size_t fault_offset() const noexcept { return fault_offset_; }
  /// Whether the bytes have the other byte order.
  bool swaps() const noexcept { return swap_; }
  std::size_t remaining() const noexcept { return static_cast<std::size_t>(end_ - pos_); }
  std::size_t offset() const noexcept { return static_cast<std::size_t>(pos_ - base_); }
  const std::uint8_t* position() const noexcept { return pos_; }
  Scratch* scratch() const noexcept { return scratch_; }
  /// The ORB that creates object references; null if none can be created. Set by the orb layer.
  Broker* broker() const noexcept { return broker_; }
  void broker(Broker* broker) noexcept { broker_ = broker; }
  /// Encoding of wide characters in these bytes. Set by the code that reads the version of the message.
  WcharEncoding wchar_encoding() const noexcept { return wchar_encoding_; }
  void wchar_encoding(WcharEncoding form) noexcept { wchar_encoding_ = form; }

  /// Imports described blocks; null if none can be received, and their marker is then an invalid length. Not
  /// owned.
  void blocks(BlockReceiver* receiver) noexcept { blocks_ = receiver; }
  /// If a block description is next in place of a sequence: returns its elements, in shared memory, and their
  /// number `n`. Null if not, and after a fault.
  template <class T>
  const T* get_block_view(std::uint32_t bound, std::uint32_t& n) noexcept {
    if (blocks_ == nullptr || swap_) return nullptr;
    const std::size_t gap = (0 - offset()) & 3;
    if (remaining() < gap + 4 || load<std::uint32_t>(pos_ + gap, false) != kBlockMarker) return nullptr;
    get<std::uint32_t>();
    BlockDescription d;
    d.region = read_once(get<std::uint32_t>());
    n = read_once(get<std::uint32_t>());
    d.grant = get<std::uint64_t>();
    d.block_offset = get<std::uint64_t>();
    d.block_bytes = get<std::uint64_t>();
    d.view_offset = get<std::uint64_t>();
    if (!ok()) return nullptr;
    if (bound != 0 && n > bound) {
      fail(Fault::bound_exceeded);
      return nullptr;
    }
    const void* at = blocks_->import_block(d, std::size_t{n} * sizeof(T), alignof(T));
    if (at == nullptr) fail(Fault::bad_length);
    return static_cast<const T*>(at);
  }

  /// Records the first fault and skips the remaining bytes.
  void fail(Fault fault) noexcept {
    if (ok()) {
      fault_ = fault;
      fault_offset_ = offset();
    }
    end_ = pos_;
  }

  bool align(std::size_t alignment) noexcept {
    const std::size_t gap = (0 - offset()) & (alignment - 1);
    if (__builtin_expect(remaining() <= gap, 0)) return align_at_end(alignment);
    pos_ += gap;
    return true;
  }
  bool skip(std::size_t n) noexcept { return get_bytes(n) != nullptr || (n == 0 && ok()); }

  /// Reads one aligned primitive; zero after a fault.
  template <class T>
  T get() noexcept {
    static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8, "wider and constructed types have a Codec");
    if constexpr (sizeof(T) > 1) {
      if (!align(sizeof(T))) return T{};
    }
    if (remaining() < sizeof(T) && !begin_next_chunk(sizeof(T))) return T{};
    const T value = load<T>(pos_, swap_);
    pos_ += sizeof(T);
    return value;
  }

  bool get_boolean() noexcept {
    const auto octet = get<std::uint8_t>();
    if (octet > 1) fail(Fault::bad_boolean);
    return octet == 1;
  }

  /// Reads a sequence's length, at most `bound` (0: unbounded), of elements of at least `min_element_bytes`
  /// each: never more than the bytes left allow. Zero after a fault.
  std::uint32_t get_length(std::size_t min_element_bytes, std::uint32_t bound = 0) noexcept {
    const std::uint32_t n = read_once(get<std::uint32_t>());
    if (n == 0) return 0;
    if (bound != 0 && n > bound) {
      fail(Fault::bound_exceeded);
      return 0;
    }
    if (min_element_bytes != 0 && n > remaining() / min_element_bytes && !has_later(n, min_element_bytes)) {
      fail(Fault::bad_length);
      return 0;
    }
    return n;
  }

  /// Returns `n` bytes, in place unless they are in several chunks; null after a fault.
  const std::uint8_t* get_bytes(std::size_t n) noexcept {
    const std::uint8_t* at = pos_;
    if (__builtin_expect(remaining() < n, 0)) return gather_bytes(n, Fault::truncated);
    pos_ += n;
    return at;
  }

  /// Copies `n` primitives of type T to `out`, in this machine's byte order.
  template <class T>
  bool get_elements(T* out, std::size_t n) noexcept {
    if (n == 0) return ok();
    if (!align(sizeof(T))) return false;
    if (n > remaining() / sizeof(T)) {
      if (!has_later(n, sizeof(T))) fail(Fault::truncated);
      for (std::size_t i = 0; i < n && ok(); ++i) out[i] = get<T>();
      return ok();
    }
    if (sizeof(T) == 1 || !swap_) {
      std::memcpy(out, pos_, n * sizeof(T));
    } else {
      for (std::size_t i = 0; i < n; ++i) out[i] = load<T>(pos_ + i * sizeof(T), true);
    }
    pos_ += n * sizeof(T);
    return true;
  }

  /// Returns a string's characters, in place, without the terminating NUL. `bound` in characters (0:
  /// unbounded). Length 0, which some ORBs send for an empty string, is accepted.
  std::string_view get_string_view(std::uint32_t bound = 0) noexcept {
    const std::uint32_t n = read_once(get<std::uint32_t>());
    if (n == 0) return {};
    if (n > remaining()) return get_string_of_chunks(n, bound);
    if (bound != 0 && n - 1 > bound) {
      fail(Fault::bound_exceeded);
      return {};
    }
    if (pos_[n - 1] != 0) {
      fail(Fault::bad_string);
      return {};
    }
    std::string_view s(reinterpret_cast<const char*>(pos_), n - 1);
    pos_ += n;
    return s;
  }

  /// Reads `n` elements that lie in the bytes, after padding of `gap` bytes, as they do in memory, and
  /// returns them in place. Null if they do not: nothing is read then.
  template <class T>
  const T* get_in_place(std::size_t n, std::size_t gap) noexcept {
    if ((sizeof(T) != 1 && swap_) || chunks_ != nullptr || remaining() < gap) return nullptr;
    const std::uint8_t* const at = pos_ + gap;
    if (n > (remaining() - gap) / sizeof(T) || reinterpret_cast<std::uintptr_t>(at) % alignof(T) != 0)
      return nullptr;
    pos_ = at + n * sizeof(T);
    return reinterpret_cast<const T*>(at);
  }

  /// Reads `n` strings, whose storage is reused.
  void get_strings(std::string* strings, std::size_t n);

  /// Returns a sequence of primitives as a view: of the bytes if their order and alignment permit it,
  /// otherwise of a copy in `scratch()`. Valid as long as both. `bound` in elements (0: unbounded).
  template <class T>
  span<const T> get_view(std::uint32_t bound = 0) noexcept {
    std::uint32_t n = 0;
    if (const T* at = get_block_view<T>(bound, n)) return {at, n};
    n = get_length(sizeof(T), bound);
    if (n == 0 || !align(sizeof(T))) return {};
    const bool fits = n <= remaining() / sizeof(T);
    if (!fits && chunks_ == nullptr) {
      fail(Fault::truncated);
      return {};
    }
    const bool in_place =
        fits && (sizeof(T) == 1 || !swap_) && reinterpret_cast<std::uintptr_t>(pos_) % alignof(T) == 0;
    if (in_place) {
      span<const T> view(reinterpret_cast<const T*>(pos_), n);
      pos_ += std::size_t{n} * sizeof(T);
      return view;
    }
    T* copy = scratch_ ? static_cast<T*>(scratch_->take(std::size_t{n} * sizeof(T), alignof(T))) : nullptr;
    if (copy == nullptr) {
      fail(Fault::bad_length);
      return {};
    }
    get_elements(copy, n);
    return {copy, n};
  }

  /// Counts the nesting of constructed values; false, with Fault::too_deep, at the limit.
  bool enter() noexcept {
    if (++depth_ <= limits::kMaxNesting) return true;
    fail(Fault::too_deep);
    return false;
  }
  void leave() noexcept { --depth_; }
  /// The nesting that is counted now.
  int depth() const noexcept { return depth_; }

  /// Counts steps of an operation led by a TypeCode; false, with Fault::too_many_steps, beyond the limit for
  /// the number of bytes.
  bool count_steps(std::uint64_t n = 1) noexcept {
    steps_ += n;
    if (steps_ <= limits::kFreeSteps + limits::kStepsPerByte * static_cast<std::uint64_t>(end_ - base_))
      return true;
    return allows_steps_of_chunks();
  }
  /// Steps counted so far.
  std::uint64_t steps() const noexcept { return steps_; }

  /// Whether the bytes that follow are in chunks.
  bool in_chunks() const noexcept { return chunks_ != nullptr; }

  /// Prevents the compiler from reading a checked length a second time from memory that the peer can modify.
  static std::uint32_t read_once(std::uint32_t value) noexcept {
    asm volatile("" : "+r"(value));
    return value;
  }

 private:
  friend class ValueReader;  // which sets the present chunk

  // What remains when the present chunk, or the message, does not have the bytes.
  bool align_at_end(std::size_t alignment) noexcept;
  bool begin_next_chunk(std::size_t bytes) noexcept;
  bool has_later(std::size_t n, std::size_t element_bytes) const noexcept;
  const std::uint8_t* gather_bytes(std::size_t n, Fault if_missing) noexcept;
  std::string_view get_string_of_chunks(std::uint32_t n, std::uint32_t bound) noexcept;
  bool allows_steps_of_chunks() noexcept;

  template <class T>
  static T load(const std::uint8_t* at, bool swap) noexcept {
    T value;
    std::memcpy(&value, at, sizeof(T));
    if constexpr (sizeof(T) == 1) {
      return value;
    } else {
      if (!swap) return value;
      using Bits = std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                      std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;
      Bits bits;
      std::memcpy(&bits, &value, sizeof(T));
      if constexpr (sizeof(T) == 2) bits = __builtin_bswap16(bits);
      if constexpr (sizeof(T) == 4) bits = __builtin_bswap32(bits);
      if constexpr (sizeof(T) == 8) bits = __builtin_bswap64(bits);
      std::memcpy(&value, &bits, sizeof(T));
      return value;
    }
  }

  const std::uint8_t* base_;
  const std::uint8_t* pos_;
  const std::uint8_t* end_;
  Scratch* scratch_;
  Broker* broker_ = nullptr;
  BlockReceiver* blocks_ = nullptr;
  ChunkSource* chunks_ = nullptr;
  std::size_t fault_offset_ = 0;
  std::uint64_t steps_ = 0;
  Fault fault_ = Fault::none;
  int depth_ = 0;
  bool swap_;
  WcharEncoding wchar_encoding_ = WcharEncoding::giop_1_2;
};

/// Returns the minor code of the MARSHAL exception for the fault of `in` (docs/minor-codes.md): Orbweaver's,
/// or the standard's for a wide character in GIOP 1.0.
std::uint32_t minor_code(const Decoder& in) noexcept;

}  // namespace orbweaver::cdr
