#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "giop/ior.h"
#include "giop/message.h"

/// Builds GIOP messages, valid or malformed, in either byte order.
namespace orbtest {

using Octets = std::vector<std::uint8_t>;

enum class Order : bool { big, little };
/// The order of this machine.
inline constexpr Order kHere = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? Order::little : Order::big;

/// A GIOP message with its header. `bytes()` writes the message size.
class Message {
 public:
  explicit Message(orbweaver::giop::MessageType type, Order order = Order::little,
                   std::uint8_t minor_version = 2, std::uint8_t flags = 0);
  Message& octet(std::uint8_t value);
  Message& ushort(std::uint16_t value) { return number(value); }
  Message& ulong(std::uint32_t value) { return number(value); }
  Message& real(double value);
  Message& text(std::string_view value);
  Message& octets(const Octets& value);
  Message& align(std::size_t alignment);
  Octets bytes() const;
  /// The message with `body_bytes` in its size field, whatever its real size.
  Octets bytes_announcing(std::uint32_t body_bytes) const;

 private:
  template <class T>
  Message& number(T value) {
    align(sizeof value);
    for (std::size_t i = 0; i < sizeof value; ++i) {
      const std::size_t shift = 8 * (order_ == Order::little ? i : sizeof value - 1 - i);
      bytes_.push_back(static_cast<std::uint8_t>(value >> shift));
    }
    return *this;
  }

  Order order_;
  Octets bytes_;
};

/// A GIOP 1.2 request up to its arguments, which follow aligned to 8.
Message request(std::uint32_t id, const Octets& key, std::string_view operation, Order order = Order::little,
                std::uint8_t response_flags = 3);
/// A GIOP 1.2 reply in this machine's byte order, without service contexts, up to its body.
Message reply(std::uint32_t id, std::uint32_t status = 0);

/// Addresses and object key of a stringified reference.
struct Where {
  std::uint16_t port = 0;
  Octets key;
  std::string shm, mqueue;  ///< Rendezvous names; empty: no such endpoint.
};
Where where(const std::string& reference);
/// A stringified reference to `key` at that TCP port of this host, with a local endpoint of `transport`
/// unless `rendezvous` is empty.
std::string reference_to(std::uint16_t port, const Octets& key, const std::string& rendezvous = {},
                         const std::string& transport = "shm");

}  // namespace orbtest
