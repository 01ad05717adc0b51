#pragma once

#include <cstdint>

/// Tags of values (CORBA 3.3 part 2, 9.3.4).
namespace orbweaver::cdr::tags {

inline constexpr std::uint32_t kNull = 0;
inline constexpr std::uint32_t kIndirection = 0xffffffff;
/// The smallest value tag; the flags below are added. Smaller positive numbers are lengths of chunks.
inline constexpr std::uint32_t kFirst = 0x7fffff00;
inline constexpr std::uint32_t kLast = 0x7fffff0f;
inline constexpr std::uint32_t kCodebase = 1;
inline constexpr std::uint32_t kTypeMask = 6;
inline constexpr std::uint32_t kSingleId = 2;
inline constexpr std::uint32_t kIdList = 6;
inline constexpr std::uint32_t kChunked = 8;

constexpr bool is_value(std::uint32_t tag) { return tag >= kFirst && tag <= 0x7fffffff; }
constexpr bool is_chunk(std::uint32_t tag) { return tag > 0 && tag < kFirst; }

}  // namespace orbweaver::cdr::tags
