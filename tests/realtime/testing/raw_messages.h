#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "giop/ior.h"
#include "giop/message.h"
#include "giop/priorities.h"
#include "giop/reply.h"
#include "giop/request.h"
#include "giop/tagged_components.h"
#include "testing/giop_builder.h"
#include "testing/raw_peer.h"

/// Requests, replies and references with service contexts and policies.
namespace orbtest {

namespace giop = orbweaver::giop;

/// Contexts of a message: ids and octets.
using Contexts = std::vector<std::pair<std::uint32_t, Octets>>;

inline Contexts copied(const giop::ServiceContexts& contexts) {
  Contexts all;
  for (const giop::ServiceContext& each : contexts)
    all.emplace_back(each.id, Octets(each.data.begin(), each.data.end()));
  return all;
}

/// A GIOP request of `twice` with these contexts.
inline Octets request_with(const Octets& key, const Contexts& contexts, std::uint8_t minor_version = 2,
                           const char* operation = "twice") {
  std::vector<giop::ServiceContext> views;
  for (const auto& [id, data] : contexts) views.push_back({id, data});
  Octets message;
  orbweaver::cdr::Encoder out(message);
  giop::encode_request(out, {1, minor_version}, 7, giop::response::kWithTarget, key, operation, views,
                       giop::Body::follows);
  out.put(std::int32_t{21});
  EXPECT_TRUE(giop::finish_message(out));
  message.resize(out.size());
  return message;
}

/// Status and contexts of a reply, and its first long.
struct ReceivedReply {
  giop::ReplyStatus status;
  Contexts contexts;
  std::int32_t result;
};
inline std::optional<ReceivedReply> reply_of(const std::optional<Octets>& message) {
  giop::MessageHeader header;
  giop::ReplyHeader reply;
  if (!message || !giop::read_header(*message, header)) return std::nullopt;
  orbweaver::cdr::Decoder in = giop::open_body(*message, header);
  if (!giop::decode_reply(in, header.version, reply)) return std::nullopt;
  return ReceivedReply{reply.status, copied(reply.contexts), in.get<std::int32_t>()};
}

/// `reference`, whose first profile also has these policies.
inline std::string with_policies(const std::string& reference,
                                 const std::vector<giop::PolicyValue>& policies) {
  auto ior = *giop::parse_ior(reference);
  auto profile = *giop::decode_iiop_profile(ior.profiles.front().data);
  profile.components.push_back({giop::component_tag::kPolicies, giop::encode_policies(policies)});
  ior.profiles.front().data = giop::encode_iiop_profile(profile);
  return giop::stringify(ior);
}

}  // namespace orbtest
