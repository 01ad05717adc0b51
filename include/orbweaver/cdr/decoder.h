#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include <orbweaver/blocks.h>
#include <orbweaver/cdr/scratch.h>
#include <orbweaver/cdr/wide.h>
#include <orbweaver/limits.h>
#include <orbweaver/span.h>

namespace orbweaver::cdr {

/// Why a decoder stopped. The numbers are minor codes of CORBA::MARSHAL (docs/minor-codes.md).
enum class Fault : std::uint32_t {
  none = 0,
  truncated = 1,        ///< The value goes on beyond the last byte that arrived.
  bad_length = 2,       ///< A sequence or string announces more than could have arrived.
  bad_string = 3,       ///< A string without its terminating NUL, or with length 0 where that is wrong.
  bound_exceeded = 4,   ///< More elements or characters than the IDL bound allows.
  bad_enum = 5,         ///< An enumerator that the IDL does not have.
  bad_boolean = 6,      ///< A boolean that is neither 0 nor 1.
  too_deep = 7,         ///< Values nested deeper than limits::kMaxNesting.
  bad_reference = 8,    ///< An object reference that is no IOR.
  bad_union = 9,        ///< A discriminator that selects nothing.
  bad_typecode = 10,    ///< A TypeCode that makes no sense.
  no_run_time = 11,     ///< An any of a type that has no run time here: a value type.
  too_much_work = 12,   ///< A TypeCode by which few bytes are too many values (limits::kStepsPerByte).
  wide_in_giop_10 = 13, ///< A wide character in GIOP 1.0. Its minor code is the standard's: see minor_code.
};
/// "truncated", "a length beyond what arrived": for messages to people.
const char* describe(Fault fault) noexcept;

/// What makes object references: the ORB, as this room sees it.
class Broker {
 public:
  /// Keeps it alive, for values that hold undecoded references beyond the call that brought them.
  virtual std::shared_ptr<Broker> hold() = 0;

 protected:
  ~Broker() = default;
};

/// Reads CDR (CORBA 3.3 part 2, 9.3) of either byte order from bytes that a peer sent.
///
/// The bytes may be wrong, hostile, and, in a shared segment, changing while they are read. So: every
/// length is read once and checked against what is there before it is used; the first fault is kept,
/// everything after it reads as zero, and loops end. Whoever uses values asks `ok()` first.
/// Alignment counts from `base`.
class Decoder {
 public:
  /// `swap`: the bytes are of the other byte order. `scratch`: storage for views that cannot point into
  /// the bytes; it must live as long as they do. Without one such views fail.
  Decoder(const std::uint8_t* base, std::size_t size, bool swap, Scratch* scratch = nullptr) noexcept
      : base_(base), pos_(base), end_(base + size), scratch_(scratch), swap_(swap) {}

  bool ok() const noexcept { return fault_ == Fault::none; }
  Fault fault() const noexcept { return fault_; }
  /// Offset from base of the byte at which the first fault was found.
  std::size_t fault_offset() const noexcept { return fault_offset_; }
  bool swaps() const noexcept { return swap_; }
  std::size_t remaining() const noexcept { return static_cast<std::size_t>(end_ - pos_); }
  std::size_t offset() const noexcept { return static_cast<std::size_t>(pos_ - base_); }
  const std::uint8_t* position() const noexcept { return pos_; }
  Scratch* scratch() const noexcept { return scratch_; }
  /// The ORB that object references are made for; null where none can be. Set by the orb room.
  Broker* broker() const noexcept { return broker_; }
  void broker(Broker* broker) noexcept { broker_ = broker; }
  /// The form of wide characters in these bytes. Set by whoever knows the version of the message.
  WideForm wide_form() const noexcept { return wide_form_; }
  void wide_form(WideForm form) noexcept { wide_form_ = form; }

  /// Who resolves descriptions of shared blocks; null where none can come, and their mark is the impossible
  /// length that it is.
  void blocks(BlockReceiver* receiver) noexcept { blocks_ = receiver; }
  /// Is a sequence described here, instead of written? Then its elements, in shared memory, and `n` of them;
  /// null where it is not, and after a fault.
  template <class T>
  const T* get_described(std::uint32_t bound, std::uint32_t& n) noexcept {
    if (blocks_ == nullptr || swap_) return nullptr;
    const std::size_t gap = (0 - offset()) & 3;
    if (remaining() < gap + 4 || load<std::uint32_t>(pos_ + gap, false) != kBlockMark) return nullptr;
    get<std::uint32_t>();
    BlockDescription d;
    d.link = once(get<std::uint32_t>());
    n = once(get<std::uint32_t>());
    d.gift = get<std::uint64_t>();
    d.offset = get<std::uint64_t>();
    d.bytes = get<std::uint64_t>();
    d.begin = get<std::uint64_t>();
    if (!ok()) return nullptr;
    if (bound != 0 && n > bound) {
      fail(Fault::bound_exceeded);
      return nullptr;
    }
    const void* at = blocks_->take(d, std::size_t{n} * sizeof(T), alignof(T));
    if (at == nullptr) fail(Fault::bad_length);
    return static_cast<const T*>(at);
  }

  void fail(Fault fault) noexcept {
    if (ok()) {
      fault_ = fault;
      fault_offset_ = offset();
    }
    end_ = pos_;
  }

  bool align(std::size_t alignment) noexcept { return skip((0 - offset()) & (alignment - 1)); }
  bool skip(std::size_t n) noexcept {
    if (remaining() < n) {
      fail(Fault::truncated);
      return false;
    }
    pos_ += n;
    return true;
  }

  /// One aligned primitive; zero after a fault.
  template <class T>
  T get() noexcept {
    static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8, "wider and constructed types have a Codec");
    if constexpr (sizeof(T) > 1) {
      if (!align(sizeof(T))) return T{};
    }
    if (remaining() < sizeof(T)) {
      fail(Fault::truncated);
      return T{};
    }
    const T value = load<T>(pos_, swap_);
    pos_ += sizeof(T);
    return value;
  }

  bool get_boolean() noexcept {
    const auto octet = get<std::uint8_t>();
    if (octet > 1) fail(Fault::bad_boolean);
    return octet == 1;
  }

  /// A sequence's length, at most `bound` (0: none), of elements that take at least `min_element_bytes`
  /// each: never more than could have arrived. Zero after a fault.
  std::uint32_t get_length(std::size_t min_element_bytes, std::uint32_t bound = 0) noexcept {
    const std::uint32_t n = once(get<std::uint32_t>());
    if (n == 0) return 0;
    if (bound != 0 && n > bound) {
      fail(Fault::bound_exceeded);
      return 0;
    }
    if (min_element_bytes != 0 && n > remaining() / min_element_bytes) {
      fail(Fault::bad_length);
      return 0;
    }
    return n;
  }

  /// `n` bytes in place; null after a fault.
  const std::uint8_t* get_bytes(std::size_t n) noexcept {
    const std::uint8_t* at = pos_;
    return skip(n) ? at : nullptr;
  }

  /// Copies `n` primitives of type T to `out`, in this machine's byte order.
  template <class T>
  bool get_block(T* out, std::size_t n) noexcept {
    if (n == 0) return ok();
    if (!align(sizeof(T))) return false;
    if (n > remaining() / sizeof(T)) {
      fail(Fault::truncated);
      return false;
    }
    if (sizeof(T) == 1 || !swap_) {
      std::memcpy(out, pos_, n * sizeof(T));
    } else {
      for (std::size_t i = 0; i < n; ++i) out[i] = load<T>(pos_ + i * sizeof(T), true);
    }
    pos_ += n * sizeof(T);
    return true;
  }

  /// A string's characters, in place, without the terminating NUL. `bound` in characters (0: none).
  /// An empty string sent with length 0, as some ORBs do, is taken for an empty one.
  std::string_view get_string_view(std::uint32_t bound = 0) noexcept {
    const std::uint32_t n = once(get<std::uint32_t>());
    if (n == 0) return {};
    if (n > remaining()) {
      fail(Fault::bad_length);
      return {};
    }
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

  /// A sequence of primitives as a view: into the bytes where their order and alignment allow it,
  /// otherwise of a copy in `scratch()`. Valid as long as both.
  template <class T>
  span<const T> get_view(std::uint32_t bound = 0) noexcept {
    std::uint32_t n = 0;
    if (const T* at = get_described<T>(bound, n)) return {at, n};
    n = get_length(sizeof(T), bound);
    if (n == 0 || !align(sizeof(T))) return {};
    if (n > remaining() / sizeof(T)) {
      fail(Fault::truncated);
      return {};
    }
    const bool in_place = (sizeof(T) == 1 || !swap_) && reinterpret_cast<std::uintptr_t>(pos_) % alignof(T) == 0;
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
    get_block(copy, n);
    return {copy, n};
  }

  /// A sequence that lies in memory as it does in CDR but is made of more than primitives (plain
  /// structs): in place or not at all. See Codec.
  const void* get_in_place(std::size_t bytes, std::size_t alignment) noexcept {
    if (swap_ || !align(alignment) || reinterpret_cast<std::uintptr_t>(pos_) % alignment != 0) return nullptr;
    return get_bytes(bytes);
  }

  /// Counts the nesting of constructed values; false, with a fault, at the limit.
  bool enter() noexcept {
    if (++depth_ <= limits::kMaxNesting) return true;
    fail(Fault::too_deep);
    return false;
  }
  void leave() noexcept { --depth_; }

  /// Counts steps of a walk that a TypeCode leads; false, with a fault, beyond what the bytes allow.
  bool spend(std::uint64_t n = 1) noexcept {
    steps_ += n;
    if (steps_ <= limits::kFreeSteps + limits::kStepsPerByte * static_cast<std::uint64_t>(end_ - base_)) return true;
    fail(Fault::too_much_work);
    return false;
  }
  /// Steps counted so far.
  std::uint64_t steps() const noexcept { return steps_; }

  /// Keeps the compiler from reading a checked length from the peer's memory a second time.
  static std::uint32_t once(std::uint32_t value) noexcept {
    asm volatile("" : "+r"(value));
    return value;
  }

 private:
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
  std::size_t fault_offset_ = 0;
  std::uint64_t steps_ = 0;
  Fault fault_ = Fault::none;
  int depth_ = 0;
  bool swap_;
  WideForm wide_form_ = WideForm::giop_1_2;
};

/// The minor code of the MARSHAL that tells of `in`'s fault (docs/minor-codes.md): Orbweaver's own number for
/// it, or the standard's for a wide character in GIOP 1.0.
std::uint32_t minor_code(const Decoder& in) noexcept;

}  // namespace orbweaver::cdr
