// A library that makes one call of one process fail, loaded into the programs of a node by LD_PRELOAD.
//
// The file that the environment variable ORBWEAVER_FAILING_CALL names has five words:
//
//   PROCESS    an argument of the process: its component or device identifier
//   OPERATION  an operation that it serves or calls
//   POINT      `request`: before the operation is performed; `reply`: after it has been performed, instead of
//              its reply; `call`: before the process calls the operation of another one
//   ACTION     `throw` (CORBA::NO_PERMISSION), `hang` (until the file is removed), `stop` (SIGSTOP), `die`
//              (SIGKILL), or `kill`: SIGKILL to NUMBER, or to the parent process if it is 0, and then goes on
//              or dies with it
//   NUMBER     a process, or 0
//
// Without the file, calls are as without this library.
#include <orbweaver/interceptors.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

namespace {

namespace pi = PortableInterceptor;

const char* file_name() {
  static const char* const name = std::getenv("ORBWEAVER_FAILING_CALL");
  return name;
}

bool has_argument(const std::string& word) {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  for (std::string argument; std::getline(in, argument, '\0');)
    if (argument == word) return true;
  return false;
}

/// Fails as the file asks, if it names this call.
void fail_if_asked(const std::string& operation, const std::string& point) {
  std::string process, of_operation, at_point, action;
  int number = 0;
  std::ifstream(file_name()) >> process >> of_operation >> at_point >> action >> number;
  if (operation != of_operation || point != at_point || !has_argument(process)) return;
  if (action == "throw")
    throw CORBA::NO_PERMISSION(0, CORBA::CompletionStatus::COMPLETED_MAYBE, "a failure of the test");
  if (action == "stop") ::kill(::getpid(), SIGSTOP);
  if (action == "die") ::kill(::getpid(), SIGKILL);
  if (action == "kill") ::kill(number == 0 ? ::getppid() : number, SIGKILL);
  // The kernel kills a device with its node, a moment later.
  while (action == "kill" && number == 0) ::pause();
  while (action == "hang" && ::access(file_name(), F_OK) == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

class Client final : public virtual pi::ClientRequestInterceptor {
 public:
  std::string name() override { return "failing calls"; }
  void destroy() override {}
  void send_request(InfoRef ri) override { fail_if_asked(ri->operation(), "call"); }
  void send_poll(InfoRef) override {}
  void receive_reply(InfoRef) override {}
  void receive_exception(InfoRef) override {}
  void receive_other(InfoRef) override {}
};

class Server final : public virtual pi::ServerRequestInterceptor {
 public:
  std::string name() override { return "failing calls"; }
  void destroy() override {}
  void receive_request_service_contexts(InfoRef) override {}
  void receive_request(InfoRef ri) override { fail_if_asked(ri->operation(), "request"); }
  void send_reply(InfoRef ri) override { fail_if_asked(ri->operation(), "reply"); }
  void send_exception(InfoRef) override {}
  void send_other(InfoRef) override {}
};

class Initializer final : public virtual pi::ORBInitializer {
 public:
  void pre_init(InfoRef info) override {
    info->add_client_request_interceptor(CORBA::make_reference<Client>());
    info->add_server_request_interceptor(CORBA::make_reference<Server>());
  }
  void post_init(InfoRef) override {}
};

[[gnu::constructor]] void load() {
  if (file_name() != nullptr) pi::register_orb_initializer(CORBA::make_reference<Initializer>());
}

}  // namespace
