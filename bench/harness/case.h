// The parameters of one measurement: experiment, transport, payload, and how both ends wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orbweaver::bench {

/// Two-way calls; a flood of one-way messages; one packet at a time that each of several processes forwards
/// to the next, or that is sent to each of several processes.
enum class Experiment { twoway, oneway, hops, fanout };
/// Payload types. `any`: an Any that holds doubles, created once and extracted by each receiver. `block`:
/// doubles in shared memory that the caller writes in full before each call and the receiver reads in place.
/// `mix`: octets with the Internet's packet sizes, 7 of 40, 4 of 576 and 1 of 1500 in turn.
enum class PayloadType {
  empty,
  octet,
  shorts,
  longs,
  long_longs,
  floats,
  doubles,
  string,
  structs,
  any,
  block,
  mix
};
/// How both ends wait for messages. `as_usual`: as a user starts them. Orbweaver is not told how to wait, the
/// floors and most others block, and iceoryx2 polls.
enum class Wait { spin, adaptive, block, as_usual };
/// Processors of the two ends: the same one, one each, or chosen by the scheduler.
enum class Pin { one, two, none };

/// The parameters of one measurement, as plain data. The runner writes them on a subject's command line; the
/// subject parses them.
struct Case {
  Experiment experiment = Experiment::twoway;
  std::string transport = "shm";
  PayloadType type = PayloadType::empty;
  std::size_t bytes = 0;  ///< payload bytes of one call, as received
  std::uint64_t calls = 20'000;
  Wait wait = Wait::spin;
  Pin pin = Pin::two;
  unsigned receivers = 0;  ///< processes of `hops` and `fanout` beside the producer's

  bool operator==(const Case&) const = default;
};

std::string_view name(Experiment);
std::string_view name(PayloadType);
std::string_view name(Wait);
std::string_view name(Pin);

/// Returns the value of the enumeration with the name `text`, or nullopt. Instantiated for each enumeration
/// above.
template <class Enum>
std::optional<Enum> named(std::string_view text);

/// Returns all names of an enumeration, for messages: "spin, adaptive, block".
template <class Enum>
std::string names();

/// The default pinning; none as usual. Spinning ends get a core each, and blocking ends share one: on a
/// virtual machine a wake-up of another core takes longer than everything measured here, and two spinning
/// ends on one core only waste time slices.
Pin default_pin(Wait);
/// The default wait strategy, the fastest of each transport: spin for memory, block for sockets.
Wait default_wait(std::string_view transport);

/// Whether a subject that waits in the kernel or polls, as it is told, waits in the kernel.
inline bool blocks(Wait wait) { return wait == Wait::block || wait == Wait::as_usual; }

/// Whether the experiment has several receivers (receivers.h).
inline bool has_receivers(Experiment e) { return e == Experiment::hops || e == Experiment::fanout; }

/// The largest payload of one call; larger values are rejected as typing errors.
inline constexpr std::size_t kMaxPayloadBytes = 64u << 20;
/// The size of one element on the wire; payloads hold whole elements. A string has 15 characters and a
/// terminator.
std::size_t element_bytes(PayloadType);

/// Returns the command line arguments of a case.
std::vector<std::string> to_args(const Case&);
/// Parses the output of to_args(); nullopt if an option or a value is unknown.
std::optional<Case> from_args(const std::vector<std::string>& args);

}  // namespace orbweaver::bench
