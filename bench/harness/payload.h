// The payloads of calls and the functions that read them in full; the same for every subject.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace orbweaver::bench {

/// Sums all elements in eight lanes: a single sum would be limited by the latency of additions, which would
/// hide the cost of moving the data. The result is exact, because all payloads are small whole numbers.
inline double read_in_full(const double* data, std::size_t count) {
  double sums[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8)
    for (std::size_t lane = 0; lane < 8; ++lane) sums[lane] += data[i + lane];
  for (; i < count; ++i) sums[0] += data[i];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

/// Reads octets in words of eight bytes, and the remainder one by one.
inline double read_in_full(const std::uint8_t* data, std::size_t count) {
  std::uint64_t sum = 0;
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, data + i, 8);
    sum += word & 0xff;
  }
  for (; i < count; ++i) sum += data[i];
  return static_cast<double>(sum);
}

/// Reads numbers of another type, as doubles are read.
template <class Number>
double read_numbers_in_full(const Number* data, std::size_t count) {
  using Sum = std::conditional_t<std::is_integral_v<Number>, std::int64_t, double>;
  Sum sums[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8)
    for (std::size_t lane = 0; lane < 8; ++lane) sums[lane] += static_cast<Sum>(data[i + lane]);
  for (; i < count; ++i) sums[0] += static_cast<Sum>(data[i]);
  return static_cast<double>(((sums[0] + sums[1]) + (sums[2] + sums[3])) +
                             ((sums[4] + sums[5]) + (sums[6] + sums[7])));
}

/// Reads a string of any ORB: its length, first and last character.
inline double read_in_full_string(const char* text, std::size_t length) {
  return static_cast<double>(length) + (length ? text[0] + text[length - 1] : 0);
}

/// Reads a sequence of structs of two shorts, of any ORB.
template <class Struct>
double read_in_full_structs(const Struct* data, std::size_t count) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += data[i].i + data[i].q;
  return static_cast<double>(sum);
}

/// Fills the payload of call number `call` and returns its sum. The values change from call to call, so that
/// the check of the sum detects a receiver that reads an old payload.
inline double write_in_full(double* data, std::size_t count, std::uint64_t call) {
  const auto value = static_cast<double>(call % 251);
  std::fill(data, data + count, value);
  return value * static_cast<double>(count);
}

/// The message sizes of --type mix, in turn, and their sum.
inline constexpr std::array<std::size_t, 12> kMixSizes = {40,   576, 40,  40, 576, 40,
                                                          1500, 40,  576, 40, 40,  576};
inline constexpr std::size_t kMixBytes = 7 * 40 + 4 * 576 + 1500;
/// Number of messages after which the sender of --type mix waits until they were read: UDP has no flow
/// control.
inline constexpr std::uint64_t kMixWindow = 10 * kMixSizes.size();

/// Whole numbers from 0 to 250, in turn.
template <class Number>
std::vector<Number> numbers_payload(std::size_t count) {
  std::vector<Number> v(count);
  for (std::size_t i = 0; i < count; ++i) v[i] = static_cast<Number>(i % 251);
  return v;
}
inline std::vector<double> doubles_payload(std::size_t count) { return numbers_payload<double>(count); }
inline std::vector<std::uint8_t> octets_payload(std::size_t count) {
  return numbers_payload<std::uint8_t>(count);
}

/// Returns string number n: 15 characters, 16 octets with its terminator.
inline std::string string_payload(std::size_t n) {
  std::string s = "orbweaver-00000";
  for (std::size_t digit = 14; n && digit > 9; --digit, n /= 10) s[digit] = static_cast<char>('0' + n % 10);
  return s;
}

inline std::int16_t short_payload(std::size_t n) { return static_cast<std::int16_t>(n % 997); }

}  // namespace orbweaver::bench
