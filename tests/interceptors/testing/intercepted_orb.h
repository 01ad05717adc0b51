#pragma once

#include <gmock/gmock.h>
#include <orbweaver/ior_interceptor.h>

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "testing/test_orb.h"

/// ORBs with interceptors that record their calls.
namespace orbtest {

namespace pi = PortableInterceptor;
using ClientInfo = pi::ClientRequestInterceptor::InfoRef;
using ServerInfo = pi::ServerRequestInterceptor::InfoRef;
using InitInfo = pi::ORBInitializer::InfoRef;
using OctetSeq = std::vector<std::uint8_t>;

/// Lines that any thread adds.
class Log {
 public:
  void add(std::string line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(std::move(line));
  }
  /// The lines so far; they are removed.
  std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(lines_, {});
  }
  std::size_t size() {
    const std::lock_guard lock(mutex_);
    return lines_.size();
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

/// Records "NAME POINT OPERATION", and calls the function that a test has set for the point.
template <class Base, class Info>
class Recording : public virtual Base {
 public:
  using InfoRef = CORBA::object_reference<Info>;
  Recording(Log& log, std::string name) : log_(log), name_(std::move(name)) {}
  std::map<std::string, std::function<void(InfoRef)>> on;  ///< By point. Set while there are no requests.
  bool records_operation_of_object = false;                ///< Also of _is_a and the like.
  std::string name() override { return name_; }
  void destroy() override { log_.add(name_ + " destroy"); }

 protected:
  void at(const std::string& point, InfoRef info) {
    const std::string operation = info->operation();
    if (operation.front() != '_' || records_operation_of_object)
      log_.add(name_ + " " + point + " " + operation);
    if (const auto found = on.find(point); found != on.end()) found->second(info);
  }

 private:
  Log& log_;
  const std::string name_;
};

class ClientRecorder final : public Recording<pi::ClientRequestInterceptor, pi::ClientRequestInfo> {
 public:
  using Recording::Recording;
  void send_request(ClientInfo i) override { at("send_request", i); }
  void send_poll(ClientInfo i) override { at("send_poll", i); }
  void receive_reply(ClientInfo i) override { at("receive_reply", i); }
  void receive_exception(ClientInfo i) override { at("receive_exception", i); }
  void receive_other(ClientInfo i) override { at("receive_other", i); }
};

class ServerRecorder final : public Recording<pi::ServerRequestInterceptor, pi::ServerRequestInfo> {
 public:
  using Recording::Recording;
  void receive_request_service_contexts(ServerInfo i) override { at("receive_contexts", i); }
  void receive_request(ServerInfo i) override { at("receive_request", i); }
  void send_reply(ServerInfo i) override { at("send_reply", i); }
  void send_exception(ServerInfo i) override { at("send_exception", i); }
  void send_other(ServerInfo i) override { at("send_other", i); }
};

/// An ORB whose initializer calls `pre_init`, and `post_init`.
class InterceptedOrb : public TestOrb {
 public:
  using Init = std::function<void(InitInfo)>;
  explicit InterceptedOrb(const Init& pre_init, const Options& options = {}, const Init& post_init = {});
};

/// Two recording interceptors of each kind, "A" and "B", and an ORB with them.
struct RecordedOrb {
  explicit RecordedOrb(const Options& options = {}, const InterceptedOrb::Init& more = {})
      : orb(
            [&](const InitInfo& info) {
              info->add_client_request_interceptor(client_a);
              info->add_client_request_interceptor(client_b);
              info->add_server_request_interceptor(server_a);
              info->add_server_request_interceptor(server_b);
              slot = info->allocate_slot_id();
              if (more) more(info);
            },
            options) {}
  Log log;
  CORBA::object_reference<ClientRecorder> client_a = CORBA::make_reference<ClientRecorder>(log, "A");
  CORBA::object_reference<ClientRecorder> client_b = CORBA::make_reference<ClientRecorder>(log, "B");
  CORBA::object_reference<ServerRecorder> server_a = CORBA::make_reference<ServerRecorder>(log, "A");
  CORBA::object_reference<ServerRecorder> server_b = CORBA::make_reference<ServerRecorder>(log, "B");
  pi::SlotId slot = 0;
  InterceptedOrb orb;

  CORBA::object_reference<pi::Current> current() {
    return IDL::traits<pi::Current>::narrow(orb.orb->resolve_initial_references("PICurrent"));
  }
};

/// Value of an any with a long; -1 for another one.
inline std::int32_t number_in(const CORBA::Any& any) {
  std::int32_t number = -1;
  any >>= number;
  return number;
}
inline CORBA::Any any_of(std::int32_t number) {
  CORBA::Any any;
  any <<= number;
  return any;
}

/// The exception that `call` raises, "NO_RESOURCES 1": its name and OMG minor code; "" if it raises none.
template <class Call>
std::string raised(Call&& call) {
  try {
    call();
    return "";
  } catch (const CORBA::SystemException& e) {
    return std::string(e._name()).substr(7) + " " + std::to_string(e.minor() & 0xfff);
  } catch (const CORBA::Exception& e) {
    return e._name();
  }
}

}  // namespace orbtest
