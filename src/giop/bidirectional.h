#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace orbweaver::giop {

/// Address at which the sender of a BI_DIR_IIOP context listens, as its references contain it (CORBA 3.3 part
/// 2, 9.8.1).
struct ListenPoint {
  std::string host;
  std::uint16_t port = 0;
  friend bool operator==(const ListenPoint&, const ListenPoint&) = default;
};

/// Listen points that one context may contain. With more, the context is invalid.
inline constexpr std::size_t kMaxListenPoints = 64;
/// Bytes of a host name in a listen point, without its terminating zero (RFC 1035: 253).
inline constexpr std::size_t kMaxListenHostBytes = 255;

/// Encodes the data of the context context_id::kBiDirIiop, a BiDirIIOPServiceContext.
std::vector<std::uint8_t> encode_listen_points(const std::vector<ListenPoint>& points);
/// Fails with ErrorKind::invalid if `data` is not such a context, or exceeds the limits above.
Result<std::vector<ListenPoint>> decode_listen_points(Bytes data);

}  // namespace orbweaver::giop
