#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "giop/tagged_components.h"
#include "platform/process_identity.h"
#include "testing/scripted_channel.h"

/// Servers over scripted channels, for clients with the plug-in `scripted`.
namespace orbtest {

/// Channels of one transport in the order in which they are connected.
struct ScriptedServers {
  std::vector<std::shared_ptr<ChannelScript>> scripts;
  std::size_t connected = 0;
  std::function<std::unique_ptr<orbweaver::transport::Channel>()> maker =
      [this]() -> std::unique_ptr<orbweaver::transport::Channel> {
    if (connected == scripts.size()) return nullptr;
    return std::make_unique<ScriptedChannel>(scripts[connected++]);
  };

  ChannelScript& add() { return *scripts.emplace_back(std::make_shared<ChannelScript>()); }
  std::string option(const std::string& transport) {
    return transport + ".maker=" + std::to_string(reinterpret_cast<std::uintptr_t>(&maker));
  }
};

/// Answers each request with this result, which operations without a result ignore.
inline void answers(ChannelScript& script, std::uint32_t result) {
  script.on_commit = [&script, result](const Octets& request) {
    std::uint32_t id = 0;
    std::memcpy(&id, request.data() + orbweaver::giop::kHeaderBytes, 4);
    script.arrives(reply(id).ulong(result).bytes());
    return ChannelScript::Sent();
  };
}

/// A reference to the object with this key, which each of these transports reaches at the address `name`.
inline orbweaver::giop::Ior scripted_ior(const Octets& key, const std::vector<std::string>& transports,
                                         const std::string& name = "server") {
  namespace giop = orbweaver::giop;
  giop::LocalEndpoints local{
      orbweaver::platform::host_identity(), static_cast<std::uint32_t>(orbweaver::platform::user_id()), {}};
  for (const std::string& transport : transports) local.endpoints.push_back({transport, name});
  giop::IiopProfile profile;
  profile.host = "127.0.0.1";
  profile.object_key = key;
  profile.components.push_back({giop::component_tag::kLocalEndpoints, giop::encode_local_endpoints(local)});
  return {"IDL:OrbTest/Calls:1.0", {{giop::profile_tag::kIiop, giop::encode_iiop_profile(profile)}}};
}

}  // namespace orbtest
