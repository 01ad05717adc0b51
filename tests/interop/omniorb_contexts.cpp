// interop-omniorb-contexts [PORT]: serves a workshop with omniORB over TCP, whose interceptors exchange
// service contexts. A reply has the request's context kFirst, reversed, as kSecond. Requests of this program
// have the context kFirst with the data of the last kSecond that it has received, or 9.
#include <omniORB4/CORBA.h>

// After CORBA.h, on which they depend.
#include <omniORB4/omniInterceptors.h>

#include <omniORB4/internal/giopStrand.h>

#include <omniORB4/internal/giopStream.h>

#include <omniORB4/internal/GIOP_S.h>

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

#include "omniorb_workshop.h"

namespace {

constexpr CORBA::ULong kFirst = 0x4f570010, kSecond = 0x4f570011;
using Octets = std::vector<CORBA::Octet>;
using Interceptors = omni::omniInterceptors;

std::mutex mutex;
Octets last_received{9};

const IOP::ServiceContext* find(const IOP::ServiceContextList& contexts, CORBA::ULong id) {
  for (CORBA::ULong i = 0; i < contexts.length(); ++i) {
    if (contexts[i].context_id == id) return &contexts[i];
  }
  return nullptr;
}
Octets data_of(const IOP::ServiceContext& context) {
  Octets data;
  for (CORBA::ULong i = 0; i < context.context_data.length(); ++i) data.push_back(context.context_data[i]);
  return data;
}
void add(IOP::ServiceContextList& contexts, CORBA::ULong id, const Octets& data) {
  const CORBA::ULong at = contexts.length();
  contexts.length(at + 1);
  contexts[at].context_id = id;
  contexts[at].context_data.length(static_cast<CORBA::ULong>(data.size()));
  for (CORBA::ULong i = 0; i < data.size(); ++i) contexts[at].context_data[i] = data[i];
}

CORBA::Boolean send_request(Interceptors::clientSendRequest_T::info_T& info) {
  const std::lock_guard<std::mutex> lock(mutex);
  add(info.service_contexts, kFirst, last_received);
  return true;
}
CORBA::Boolean receive_reply(Interceptors::clientReceiveReply_T::info_T& info) {
  const std::lock_guard<std::mutex> lock(mutex);
  const IOP::ServiceContext* const found = find(info.service_contexts, kSecond);
  if (found != nullptr) last_received = data_of(*found);
  return true;
}
// Of the request that this thread executes, reversed: the reply has a list of its own.
thread_local Octets answer;

CORBA::Boolean receive_request(Interceptors::serverReceiveRequest_T::info_T& info) {
  const IOP::ServiceContext* const found = find(info.giop_s.service_contexts(), kFirst);
  answer = found == nullptr ? Octets() : data_of(*found);
  std::reverse(answer.begin(), answer.end());
  return true;
}
CORBA::Boolean send_reply(Interceptors::serverSendReply_T::info_T& info) {
  add(info.giop_s.service_contexts(), kSecond, answer);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string endpoint = std::string("giop:tcp:127.0.0.1:") + (argc > 1 ? argv[1] : "");
    const char* options[][2] = {{"endPoint", endpoint.c_str()}, {nullptr, nullptr}};
    int none = 0;
    const CORBA::ORB_var orb = CORBA::ORB_init(none, nullptr, "omniORB4", options);
    Interceptors* const interceptors = omniORB::getInterceptors();
    interceptors->clientSendRequest.add(send_request);
    interceptors->clientReceiveReply.add(receive_reply);
    interceptors->serverReceiveRequest.add(receive_request);
    interceptors->serverSendReply.add(send_reply);
    const CORBA::Object_var root = orb->resolve_initial_references("RootPOA");
    const PortableServer::POA_var poa = PortableServer::POA::_narrow(root);
    const PortableServer::POAManager_var manager = poa->the_POAManager();
    manager->activate();
    PortableServer::Servant_var<interop::OmniOrbWorkshop> servant = new interop::OmniOrbWorkshop("peer");
    const Interop::Workshop_var workshop = servant->_this();
    const CORBA::String_var ior = orb->object_to_string(workshop);
    std::printf("%s\ncorbaloc::127.0.0.1/none\n", ior.in());
    std::fflush(stdout);
    orb->run();
  } catch (const CORBA::Exception& problem) {
    std::fprintf(stderr, "interop-omniorb-contexts: %s\n", problem._name());
    return 1;
  }
}
