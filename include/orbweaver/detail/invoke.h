#pragma once

// Two-way and one-way calls, for generated stubs; not for users.

#include <cstddef>
#include <type_traits>

#include <orbweaver/detail/cdr/decoder.h>
#include <orbweaver/detail/cdr/encoder.h>
#include <orbweaver/detail/operation.h>

namespace CORBA {
class Object;
}

namespace orbweaver::cdr {

/// Upper bound of the encoded arguments of a call, whose transport may send blocks or copy them.
struct Bound {
  // Implicit: without views, a bound is a number.
  constexpr Bound(std::size_t b, std::size_t a = 0) noexcept : bytes(b), in_blocks(a) {}
  friend constexpr Bound operator+(Bound a, Bound b) noexcept {
    return {a.bytes + b.bytes, a.in_blocks + b.in_blocks};
  }

  std::size_t bytes;  ///< If all views are copied.
  /// Of these, the bytes that are not claimed when views in blocks are sent as descriptions.
  std::size_t in_blocks;
};

}  // namespace orbweaver::cdr

namespace orbweaver {

/// Function that encodes the arguments of a call, with its closure. Called again if the request is repeated.
struct ArgumentWriter {
  void (*write)(const void* closure, cdr::Encoder& out) = nullptr;  ///< Null: the operation has no arguments.
  const void* closure = nullptr;
};

/// Function that decodes the results of a call, with its closure.
struct ResultReader {
  void (*read)(const void* closure, cdr::Decoder& in) = nullptr;  ///< Null: the operation has no results.
  const void* closure = nullptr;
};

/// Makes a call: sends the request and, if the operation or the effective policies require one, waits for the
/// reply. Follows forwards, and repeats the request if the server is known not to have executed it. Raises
/// the exception of the reply, or the system exception for the kind of failure (result.h). Any thread.
void invoke(const CORBA::Object& target, const Operation& operation, cdr::Bound arguments,
            ArgumentWriter writer, ResultReader reader);

/// In place of the function that encodes arguments or decodes results, where there are none.
struct NoArguments {};
struct NoResults {};

template <class Encode>
ArgumentWriter argument_writer(const Encode& encode) noexcept {
  if constexpr (std::is_same_v<Encode, NoArguments>) {
    return {};
  } else {
    return {[](const void* closure, cdr::Encoder& out) { (*static_cast<const Encode*>(closure))(out); },
            &encode};
  }
}

template <class Decode>
ResultReader result_reader(const Decode& decode) noexcept {
  if constexpr (std::is_same_v<Decode, NoResults>) {
    return {};
  } else {
    return {[](const void* closure, cdr::Decoder& in) { (*static_cast<const Decode*>(closure))(in); },
            &decode};
  }
}

/// Makes a two-way call: `encode(Encoder&)` writes the arguments, `decode(Decoder&)` reads the results.
template <class Encode, class Decode>
void twoway(const CORBA::Object& target, const Operation& operation, cdr::Bound arguments,
            const Encode& encode, const Decode& decode) {
  invoke(target, operation, arguments, argument_writer(encode), result_reader(decode));
}

/// Makes a one-way call: `encode(Encoder&)` writes the arguments.
template <class Encode>
void oneway(const CORBA::Object& target, const Operation& operation, cdr::Bound arguments,
            const Encode& encode) {
  invoke(target, operation, arguments, argument_writer(encode), {});
}

}  // namespace orbweaver
