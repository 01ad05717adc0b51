// Orbweaver as a subject of `orbweaver bench scale`.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/orbweaver/setup.h"
#include "bench/scale/measure.h"
#include "bench/scale/subject.h"
#include "components.h"
#include "scaleC.h"
#include "server.h"

namespace {

using namespace orbweaver::bench;
using ServerRef = IDL::traits<Scale::Server>::ref_type;

/// A client's ORB, without an endpoint and with as many connections as there are clients.
OrbRef client_orb(const ScaleSettings& settings) {
  return orb_over("tcp", {"-ORBListen", "inproc", "-ORBWait", "block", "-ORBTune",
                          "max-outgoing-connections=" + std::to_string(connections_for(settings))});
}

ServerRef server_at(const OrbRef& orb, const std::string& url) {
  const auto server = IDL::traits<Scale::Server>::narrow(orb->string_to_object(url));
  if (!server) throw std::runtime_error(url + " is not of type Scale::Server");
  return server;
}

std::vector<ScaleSample> call_clients(const ScaleClient& side, const OrbRef& orb) {
  std::vector<ServerRef> servers(side.settings.count);
  return measure_clients(side, {[&](std::uint32_t client) {
                                  servers[client] = server_at(orb, url_of_client(client, side.port));
                                  servers[client]->nothing();
                                },
                                [&](std::uint32_t client) { servers[client]->nothing(); }});
}

std::vector<ScaleSample> call_objects(const ScaleClient& side, const OrbRef& orb) {
  const ServerRef server = server_at(orb, url_of_client(0, side.port));
  const std::uint32_t count = side.settings.count;
  Scale::Items items;
  items.reserve(count);
  return measure_objects(
      side, {[&] { return server->activate(count); },
             [&] {
               for (std::uint32_t first = 0; first < count; first += kItemsOfAReply)
                 for (auto& item : server->some_items(first, std::min(kItemsOfAReply, count - first)))
                   items.push_back(std::move(item));
             },
             [&](std::uint32_t object) { return items.at(object)->number(); }});
}

std::vector<ScaleSample> call(const ScaleClient& side) {
  const OrbRef orb = client_orb(side.settings);
  auto samples = side.settings.part == ScalePart::clients ? call_clients(side, orb) : call_objects(side, orb);
  orb->destroy();
  return samples;
}

}  // namespace

int main(int argc, char** argv) {
  return scale_subject_main(argc, argv, {serve_scale, call, start_components, run_component});
}
