#pragma once

#include <orbweaver/detail/stub.h>
#include <orbweaver/detail/typecode_of.h>

#include <chrono>
#include <cstdint>

/// @file
/// Points in time as the Time Service has them (module TimeBase, OMG formal/2002-05-07, 1.3.2), for the end
/// times of calls (messaging.h). A program includes this header or the one that orbweaver-idl generates from
/// the OMG's TimeBase.idl; both declare the same type.

/// The module TimeBase (CORBA Time Service).
namespace TimeBase {

/// A point in time, with its inaccuracy and the time zone of the clock that it was read from. A value.
class UtcT {
 public:
  UtcT() = default;
  /// See the members of these names.
  UtcT(std::uint64_t time, std::uint32_t inacclo, std::uint16_t inacchi, std::int16_t tdf)
      : time_(time), inacclo_(inacclo), inacchi_(inacchi), tdf_(tdf) {}

  /// Universal time in units of 100 ns since 15 October 1582, 00:00.
  std::uint64_t time() const { return time_; }
  std::uint64_t& time() { return time_; }              ///< As above.
  void time(std::uint64_t _value) { time_ = _value; }  ///< As above.

  /// The lower 32 bits of the inaccuracy, in units of 100 ns.
  std::uint32_t inacclo() const { return inacclo_; }
  std::uint32_t& inacclo() { return inacclo_; }              ///< As above.
  void inacclo(std::uint32_t _value) { inacclo_ = _value; }  ///< As above.

  /// The upper 16 bits of the inaccuracy.
  std::uint16_t inacchi() const { return inacchi_; }
  std::uint16_t& inacchi() { return inacchi_; }              ///< As above.
  void inacchi(std::uint16_t _value) { inacchi_ = _value; }  ///< As above.

  /// Minutes east of Greenwich; `time` does not depend on it.
  std::int16_t tdf() const { return tdf_; }
  std::int16_t& tdf() { return tdf_; }              ///< As above.
  void tdf(std::int16_t _value) { tdf_ = _value; }  ///< As above.

  /// Exchanges the values.
  void swap(UtcT& other) noexcept { std::swap(*this, other); }

 private:
  std::uint64_t time_ = 0;
  std::uint32_t inacclo_ = 0;
  std::uint16_t inacchi_ = 0;
  std::int16_t tdf_ = 0;
};

}  // namespace TimeBase

/// @cond internal
namespace orbweaver::typecode {
extern const CORBA::TypeCode k_UtcT;
}  // namespace orbweaver::typecode
/// @endcond

namespace orbweaver {

/// @cond internal
template <>
struct TypeCodeOf<::TimeBase::UtcT> : TypeCodeOfConstant<typecode::k_UtcT> {};
/// @endcond

/// The point in time of the system's clock, rounded down to 100 ns; no inaccuracy, no time zone. Any thread.
inline TimeBase::UtcT to_utc(std::chrono::system_clock::time_point time) noexcept {
  using Units = std::chrono::duration<std::int64_t, std::ratio<1, 10'000'000>>;
  constexpr std::int64_t kUnixEpoch = 0x01B21DD213814000;  // 1 January 1970
  const std::int64_t units = std::chrono::floor<Units>(time.time_since_epoch()).count();
  return {static_cast<std::uint64_t>(kUnixEpoch + units), 0, 0, 0};
}

}  // namespace orbweaver

/// @cond internal
namespace orbweaver::cdr {

template <>
struct Codec<::TimeBase::UtcT> {
  static constexpr std::size_t kMinBytes = 16, kMaxBytes = 23, kAlign = 8;
  static constexpr bool kPlain = true;
  static std::size_t bound(const ::TimeBase::UtcT&) noexcept { return kMaxBytes; }
  static void encode(Encoder& out, const ::TimeBase::UtcT& value) {
    cdr::encode(out, value.time());
    cdr::encode(out, value.inacclo());
    cdr::encode(out, value.inacchi());
    cdr::encode(out, value.tdf());
  }
  static void decode(Decoder& in, ::TimeBase::UtcT& value) {
    cdr::decode(in, value.time());
    cdr::decode(in, value.inacclo());
    cdr::decode(in, value.inacchi());
    cdr::decode(in, value.tdf());
  }
};

}  // namespace orbweaver::cdr
/// @endcond
