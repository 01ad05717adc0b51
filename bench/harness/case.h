// What one measurement is: which question, over which road, with how much, and how both ends wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orbweaver::bench {

enum class Experiment { twoway, oneway };
/// `any`: an any that holds doubles, made once and taken out by each receiver. `block`: doubles in shared memory that
/// the caller writes in full before each call and the receiver reads in full where they lie. `mix`: octets of the sizes
/// that the Internet has, 7 of 40, 4 of 576 and 1 of 1500 in turn.
enum class PayloadType { empty, octet, doubles, string, structs, any, block, mix };
enum class Wait { spin, adaptive, block };
/// Where the two ends run: both on one core, one core each, or where the scheduler likes.
enum class Pin { one, two, none };

/// A case is plain data: the runner writes it on a subject's command line, and the subject reads it back.
struct Case {
  Experiment experiment = Experiment::twoway;
  std::string transport = "shm";
  PayloadType type = PayloadType::empty;
  std::size_t bytes = 0;  ///< of payload in one call, as the receiver sees it
  std::uint64_t calls = 20'000;
  Wait wait = Wait::spin;
  Pin pin = Pin::two;

  bool operator==(const Case&) const = default;
};

std::string_view name(Experiment);
std::string_view name(PayloadType);
std::string_view name(Wait);
std::string_view name(Pin);

/// The value that `name` spells as `text`, or nothing. One instantiation for each enumeration above.
template <class Enum>
std::optional<Enum> named(std::string_view text);

/// Every spelling of an enumeration, for messages: "spin, adaptive, block".
template <class Enum>
std::string names();

/// Spinning ends get a core each, blocking ends share one: a wake-up across cores of a virtual machine
/// costs more than all that is measured here, and two spinning ends on one core only burn time slices.
Pin default_pin(Wait);
/// Memory spins and sockets block, each on its best day.
Wait default_wait(std::string_view transport);

/// The largest payload of one call; more is a typing error rather than a question.
inline constexpr std::size_t kMaxPayloadBytes = 64u << 20;
/// Payloads hold whole elements: the size of one on the wire (a string is 15 characters and its end).
std::size_t element_bytes(PayloadType);

std::vector<std::string> to_args(const Case&);
/// Reads what `to_args` wrote; nothing if an option is unknown or its value is.
std::optional<Case> from_args(const std::vector<std::string>& args);

}  // namespace orbweaver::bench
