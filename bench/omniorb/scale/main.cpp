// omniORB as a subject of `orbweaver bench scale`.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/omniorb/setup.h"
#include "bench/scale/measure.h"
#include "bench/scale/subject.h"
#include "components.h"
#include "scale.hh"
#include "server.h"

namespace {

using namespace orbweaver::bench;

Scale::Server_var server_at(CORBA::ORB_ptr orb, const std::string& url) {
  const CORBA::Object_var object = orb->string_to_object(url.c_str());
  const Scale::Server_var server = Scale::Server::_narrow(object);
  if (CORBA::is_nil(server)) throw std::runtime_error(url + " is not of type Scale::Server");
  return server;
}

std::vector<ScaleSample> call_clients(const ScaleClient& side, CORBA::ORB_ptr orb) {
  std::vector<Scale::Server_var> servers(side.settings.count);
  return measure_clients(side, {[&](std::uint32_t client) {
                                  servers[client] = server_at(orb, url_of_client(client, side.port));
                                  servers[client]->nothing();
                                },
                                [&](std::uint32_t client) { servers[client]->nothing(); }});
}

std::vector<ScaleSample> call_objects(const ScaleClient& side, CORBA::ORB_ptr orb) {
  const Scale::Server_var server = server_at(orb, url_of_client(0, side.port));
  const CORBA::ULong count = side.settings.count;
  std::vector<Scale::Item_var> items;
  items.reserve(count);
  const auto fetch = [&] {
    for (CORBA::ULong first = 0; first < count; first += kItemsOfAReply) {
      Scale::Items_var some = server->some_items(first, std::min(kItemsOfAReply, count - first));
      for (CORBA::ULong i = 0; i < some->length(); ++i) items.emplace_back(Scale::Item::_duplicate(some[i]));
    }
  };
  return measure_objects(side, {[&] { return server->activate(count); }, fetch,
                                [&](std::uint32_t object) { return items.at(object)->number(); }});
}

std::vector<ScaleSample> call(const ScaleClient& side) {
  const CORBA::ORB_var orb = tuned_orb("tcp");
  auto samples = side.settings.part == ScalePart::clients ? call_clients(side, orb) : call_objects(side, orb);
  orb->destroy();
  return samples;
}

}  // namespace

int main(int argc, char** argv) {
  return scale_subject_main(
      argc, argv,
      {translated(serve_scale), translated(call), translated(start_components), translated(run_component)});
}
