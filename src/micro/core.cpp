#include "micro/core.h"

#include "micro/log.h"
#include "micro/raise.h"
#include "micro/upcall.h"

namespace orbweaver::micro {
namespace {

std::mutex cores_mutex;
Core* first_core = nullptr;  // of all ORBs of the process; guarded by cores_mutex

}  // namespace

Core::Core(Options&& o, const std::string& orb_id)
    : options(std::move(o)), id(orb_id), receive_limits{options.max_message_bytes, options.receive_bytes,
                                                        options.message_timeout_ms},
      connections(options, receive_limits), server(*this), orb(CORBA::make_reference<CORBA::ORB>(*this)),
      root_poa(CORBA::make_reference<PortableServer::POA>(*this, true)),
      corbaloc_poa(CORBA::make_reference<PortableServer::POA>(*this, false)),
      manager(CORBA::make_reference<PortableServer::POAManager>(*this)) {}

Core* Core::find(std::string_view orb_id, bool any) {
  const std::lock_guard lock(cores_mutex);
  Core* found = nullptr;  // the last one in the list is the first that was created
  for (Core* at = first_core; at != nullptr; at = at->next_) {
    if (!at->is_destroyed && (any || at->id == orb_id)) found = at;
  }
  return found;
}

CORBA::object_reference<CORBA::ORB> init(int& argc, char* argv[], const std::string& orb_id) {
  static std::mutex one_at_a_time;
  const std::lock_guard guard(one_at_a_time);
  Options options;
  parse_options(argc, argv, options);
  if (Core* const core = Core::find(orb_id, false)) return core->orb;
  enable_log(options.log);
  Core* const core = new Core(std::move(options), orb_id);
  Core::add(core);
  return core->orb;
}

void Core::add(Core* core) noexcept {
  const std::lock_guard lock(cores_mutex);
  core->next_ = first_core;
  first_core = core;
}

void Core::check_running() {
  const std::lock_guard lock(mutex);
  if (is_shut_down) raise(Kind::BAD_INV_ORDER, minor::kOrbShutDown, "the ORB is shut down");
}

bool Core::is_own_address(std::string_view host, std::uint16_t port) {
  const std::lock_guard lock(mutex);
  return port == own_port && host == own_host && !own_host.empty();
}

bool Core::is_system_key(std::string_view key) {
  const std::lock_guard lock(mutex);
  return objects.is_system_key(key);
}

void Core::listen() {
  const std::lock_guard starting(listen_mutex_);
  check_running();
  if (!own_host.empty()) return;
  Listener listener = micro::listen(options.listen);
  std::string host = options.publish_host.empty() ? listener.host : options.publish_host;
  if (host == "0.0.0.0" || host == "::")
    log("references contain no address of this host: use -ORBPublishHost");
  server.start(std::move(listener.socket));
  const std::lock_guard lock(mutex);
  own_host = std::move(host);
  own_port = listener.port;
}

void Core::shutdown(bool wait) {
  const bool inside = Upcall::would_wait_for_itself();
  if (wait && inside)
    raise(Kind::BAD_INV_ORDER, minor::kWouldDeadlock, "waiting for requests inside an upcall");
  {
    const std::lock_guard lock(mutex);
    is_shut_down = true;
    changed.notify_all();
  }
  {
    const std::lock_guard starting(listen_mutex_);
    server.stop();
  }
  // Ends the calls of upcalls in progress, which are not waited for.
  if (!inside && !wait) connections.close_all();
  // Without the mutex, which upcalls in progress may need.
  if (!inside) server.join();
  std::unique_lock lock(mutex);
  while (wait && requests != 0) changed.wait(lock);
  lock.unlock();
  if (!inside) connections.close_all();
}

}  // namespace orbweaver::micro
