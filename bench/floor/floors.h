// Floors: the same bytes over the same mechanism in a hand-written loop, without an ORB. The difference is
// the ORB's cost. Each moves the payload from the sender's memory into the receiver's, and the receiver reads
// it completely, as the servants of the other subjects do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "bench/harness/payload.h"
#include "bench/harness/subject.h"

namespace orbweaver::bench {

/// Calls `visit` with a value of the type of the elements of a payload.
template <class Visit>
auto with_element(PayloadType type, Visit visit) {
  switch (type) {
    case PayloadType::shorts: return visit(std::int16_t());
    case PayloadType::longs: return visit(std::int32_t());
    case PayloadType::long_longs: return visit(std::int64_t());
    case PayloadType::floats: return visit(float());
    case PayloadType::doubles:
    case PayloadType::any: return visit(double());
    default: return visit(std::uint8_t());
  }
}

/// Reads a flat payload completely; an empty one counts as 1. `data` is aligned for doubles.
inline double read_flat(PayloadType type, const void* data, std::size_t bytes) {
  if (bytes == 0) return 1;
  return with_element(type, [&](auto element) {
    using Element = decltype(element);
    const auto* const elements = static_cast<const Element*>(data);
    if constexpr (std::is_same_v<Element, double> || std::is_same_v<Element, std::uint8_t>)
      return read_in_full(elements, bytes / sizeof(Element));
    else
      return read_numbers_in_full(elements, bytes / sizeof(Element));
  });
}

/// A flat payload, aligned for doubles. Floors send strings and structs as octets.
class FlatPayload {
 public:
  explicit FlatPayload(const Case& c) : type_(c.type), bytes_(c.bytes), words_((c.bytes + 7) / 8 + 1) {
    with_element(type_, [&](auto element) {
      const auto payload = numbers_payload<decltype(element)>(bytes_ / sizeof element);
      if (!payload.empty()) std::memcpy(words_.data(), payload.data(), payload.size() * sizeof element);
    });
  }
  void* data() { return words_.data(); }
  std::size_t size() const { return bytes_; }
  double read() const { return read_flat(type_, words_.data(), bytes_); }

 private:
  PayloadType type_;
  std::size_t bytes_;
  std::vector<double> words_;
};

/// Throws if the receiver's total differs from the total sent.
inline void check_total(double read, double per_call, std::uint64_t calls) {
  if (read != per_call * static_cast<double>(calls)) throw std::runtime_error("receiver checksum mismatch");
}

void serve_shm_twoway(const ServerSide&);
Summary call_shm_twoway(const ClientSide&);
void serve_shm_oneway(const ServerSide&);
Summary call_shm_oneway(const ClientSide&);
/// Shared memory, written and read in place.
void serve_shm_block(const ServerSide&);
Summary call_shm_block(const ClientSide&);
/// Packets through several processes, or to several.
std::optional<std::string> cannot_packets(const Case&);
Summary call_packets(const ClientSide&);
/// POSIX message queues.
std::optional<std::string> cannot_mqueue(const Case&);
void serve_mqueue(const ServerSide&);
Summary call_mqueue(const ClientSide&);
/// Raw stream sockets: TCP on the loopback interface, and Unix sockets.
void serve_stream(const ServerSide&);
Summary call_stream(const ClientSide&);
/// UDP, a datagram for each payload.
std::optional<std::string> cannot_datagram(const Case&);
void serve_datagram(const ServerSide&);
Summary call_datagram(const ClientSide&);
/// Messages of many sizes over TCP or UDP.
void serve_mix(const ServerSide&);
Summary call_mix(const ClientSide&);
/// In one process: a virtual function; one-way: a queue between two threads.
Summary call_inproc(const ClientSide&);

}  // namespace orbweaver::bench
