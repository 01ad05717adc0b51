#pragma once

#include <orbweaver/detail/cdr/decoder.h>
#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "micro/connections.h"
#include "micro/message_reader.h"
#include "micro/object_map.h"
#include "micro/options.h"
#include "micro/server.h"

namespace orbweaver::micro {

/// The state of an ORB. Exists until the end of the process, also after destroy: references and stubs point
/// to it. Thread-safe.
class Core final : public cdr::Broker {
 public:
  Core(Options&& options, const std::string& orb_id);

  /// The ORB `orb_id`; null if there is none. The ORB that was created first, if `any`.
  static Core* find(std::string_view orb_id, bool any);

  /// Raises BAD_INV_ORDER after shutdown.
  void check_running();
  /// Makes the ORB listen, if it does not. Raises INITIALIZE, NO_RESOURCES and BAD_INV_ORDER.
  void listen();
  /// Whether the ORB listens at this address.
  bool is_own_address(std::string_view host, std::uint16_t port);
  /// As ObjectMap::is_system_key of `objects`: whether a key is one of the root POA.
  bool is_system_key(std::string_view key);
  /// Adds an ORB to those that `find` returns.
  static void add(Core* core) noexcept;
  /// As CORBA::ORB::shutdown.
  void shutdown(bool wait);

  std::shared_ptr<cdr::Broker> hold() override { return {}; }

  std::mutex mutex;                 ///< Guards the members below that are not constant.
  std::condition_variable changed;  ///< Of the state of the POA manager, of requests and of the ORB.
  Options options;
  const std::string id;
  ReceiveLimits receive_limits;
  ObjectMap objects;        ///< Guarded by `mutex`.
  Connections connections;  ///< Has a mutex of its own.
  Server server;
  PortableServer::POAManager::State poa_state = PortableServer::POAManager::State::HOLDING;
  std::size_t requests = 0;  ///< In progress.
  bool is_shut_down = false;
  std::atomic<bool> is_destroyed{false};
  std::string own_host;  ///< As in references; empty: does not listen.
  std::uint16_t own_port = 0;
  CORBA::object_reference<CORBA::ORB> orb;
  CORBA::object_reference<PortableServer::POA> root_poa, corbaloc_poa;
  CORBA::object_reference<PortableServer::POAManager> manager;

 private:
  std::mutex listen_mutex_;  // held while the ORB begins or ends to listen
  Core* next_ = nullptr;
};

}  // namespace orbweaver::micro
