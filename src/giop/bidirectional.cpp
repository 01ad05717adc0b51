#include "giop/bidirectional.h"

#include <orbweaver/detail/cdr/codec.h>

#include <utility>

#include "giop/encapsulation.h"
#include "giop/message.h"

namespace orbweaver::giop {

std::vector<std::uint8_t> encode_listen_points(const std::vector<ListenPoint>& points) {
  return encapsulated([&](cdr::Encoder& out) {
    out.put(static_cast<std::uint32_t>(points.size()));
    for (const ListenPoint& point : points) {
      cdr::encode(out, point.host);
      out.put(point.port);
    }
  });
}

Result<std::vector<ListenPoint>> decode_listen_points(Bytes data) {
  cdr::Decoder in = open_encapsulation(data);
  constexpr std::size_t kMinBytes = 8;  // of a point: length, zero, padding and port
  const std::uint32_t count = in.get_length(kMinBytes);
  if (in.ok() && count > kMaxListenPoints) {
    return Error{ErrorKind::invalid, "BI_DIR_IIOP context with " + std::to_string(count) +
                                         " listen points, at most " + std::to_string(kMaxListenPoints) +
                                         " are accepted"};
  }
  std::vector<ListenPoint> points;
  for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
    ListenPoint point;
    cdr::decode(in, point.host);
    point.port = in.get<std::uint16_t>();
    if (in.ok() && point.host.size() > kMaxListenHostBytes) {
      return Error{ErrorKind::invalid,
                   "BI_DIR_IIOP context with a host name of " + std::to_string(point.host.size()) + " bytes"};
    }
    points.push_back(std::move(point));
  }
  if (!in.ok()) return Error{ErrorKind::invalid, malformed("BI_DIR_IIOP context", in).message};
  return points;
}

}  // namespace orbweaver::giop
