#include "stamping_interceptors.h"

#include <orbweaver/interceptors.h>

#include <string>

#include "bench/harness/clock.h"

namespace orbweaver::bench {
namespace {

namespace pi = PortableInterceptor;

thread_local PacketStamps* called_packet = nullptr;
thread_local std::int64_t received_ns = 0;

class ClientStamps final : public virtual pi::ClientRequestInterceptor {
 public:
  std::string name() override { return "stamps"; }
  void destroy() override {}
  void send_request(InfoRef) override {
    if (called_packet != nullptr) called_packet->stub_ns = steady_ns();
  }
  void send_poll(InfoRef) override {}
  void receive_reply(InfoRef) override {}
  void receive_exception(InfoRef) override {}
  void receive_other(InfoRef) override {
    if (called_packet != nullptr) called_packet->sent_ns = steady_ns();
  }
};

class ServerStamps final : public virtual pi::ServerRequestInterceptor {
 public:
  std::string name() override { return "stamps"; }
  void destroy() override {}
  void receive_request_service_contexts(InfoRef) override { received_ns = steady_ns(); }
  void receive_request(InfoRef) override {}
  void send_reply(InfoRef) override {}
  void send_exception(InfoRef) override {}
  void send_other(InfoRef) override {}
};

class Initializer final : public virtual pi::ORBInitializer {
 public:
  void pre_init(InfoRef info) override {
    info->add_client_request_interceptor(CORBA::make_reference<ClientStamps>());
    info->add_server_request_interceptor(CORBA::make_reference<ServerStamps>());
  }
  void post_init(InfoRef) override {}
};

}  // namespace

void register_stamping_interceptors() { pi::register_orb_initializer(CORBA::make_reference<Initializer>()); }

void stamp_calls_of_thread(PacketStamps* packet) noexcept { called_packet = packet; }

std::int64_t request_received_ns() noexcept { return received_ns; }

}  // namespace orbweaver::bench
