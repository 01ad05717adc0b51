#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "giop/ior.h"
#include "giop/message.h"

/// Object URLs: corbaloc: and corbaname: (CORBA 3.3 part 2, 7.6.10).
namespace orbweaver::giop {

/// The port of an address without one.
inline constexpr std::uint16_t kDefaultPort = 2809;

/// A parsed object URL.
struct ObjectUrl {
  struct Address {
    Version version = kGiop10;  ///< 1.0 if the URL has no version.
    std::string host;           ///< A name or an address; IPv6 without brackets.
    std::uint16_t port = kDefaultPort;
    friend bool operator==(const Address&, const Address&) = default;
  };
  enum class Kind { location, name };

  Kind kind = Kind::location;
  bool initial_reference = false;  ///< "rir:" — object_key is the name to resolve ("NameService").
  std::vector<Address> addresses;  ///< In the order in which to try them; empty with rir.
  std::vector<std::uint8_t>
      object_key;    ///< Unescaped. Kind::name: the naming context, "NameService" by default.
  std::string name;  ///< Kind::name: the stringified name, unescaped; may be empty.
};

/// Whether `text` starts with "corbaloc:" or "corbaname:", in upper or lower case.
bool is_object_url(std::string_view text) noexcept;

/// Parses an object URL. Fails with ErrorKind::invalid and the offset of the error.
Result<ObjectUrl> parse_object_url(std::string_view text);

/// A reference of unknown type with one IIOP profile for each address. Nil for "rir:".
Ior to_ior(const ObjectUrl& url);

}  // namespace orbweaver::giop
