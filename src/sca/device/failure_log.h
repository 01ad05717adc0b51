#pragma once

#include <orbweaver/orb.h>

#include <chrono>
#include <map>
#include <mutex>
#include <string>

#include "CFS.h"
#include "CosLwLogC.h"
#include "base/sending_thread.h"
#include "sca/own_device/domain_name.h"

namespace orbweaver::sca {

/// Writes the failures of a node or device to logs (CosLwLog): that of its domain (`Log`), and those that are
/// connected to its uses port. Records are written by a thread of its own; they wait while the log of the
/// domain cannot be called, as messages of a SendingThread. Thread-safe.
class FailureLog {
 public:
  using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
  /// Id and name of the records' producer.
  struct Producer {
    std::string id, name;
  };
  /// Limit of the connections of the port.
  static constexpr std::size_t kMaxConnections = 16;

  /// Without a domain, records are written to connected logs only.
  FailureLog(IDL::traits<CORBA::ORB>::ref_type orb, DomainContext domain, Producer producer);

  /// Writes a record of the level FAILURE_ALARM some time later. The same text is written once in 10 s.
  void write(const std::string& text);
  /// Waits until all records have been written, at most `timeout_ms`. True if they have.
  bool flush(int timeout_ms) { return thread_.flush(timeout_ms); }

  /// Connects a log. Blocks. Raises CF::Port::InvalidPort for an object that is none, CF::Port::OccupiedPort
  /// beyond kMaxConnections. An earlier connection of that id is replaced.
  void connect(const ObjectRef& log, const std::string& id);
  /// Raises CF::Port::InvalidPort if there is no such connection.
  void disconnect(const std::string& id);

 private:
  using LogRef = IDL::traits<CosLwLog::LogProducer>::ref_type;

  bool send(const CosLwLog::ProducerLogRecord& record) noexcept;

  const IDL::traits<CORBA::ORB>::ref_type orb_;
  const DomainContext domain_;
  const Producer producer_;
  std::mutex mutex_;                         // for the following
  std::map<std::string, LogRef> connected_;  // by id of the connection
  std::string last_text_;
  std::chrono::steady_clock::time_point last_time_{};
  LogRef log_;                                         // of the thread: that of the domain
  SendingThread<CosLwLog::ProducerLogRecord> thread_;  // ends first
};

/// Servant of the uses port `Log` of a node or device. Any thread.
class LogPort final : public virtual CORBA::servant_traits<CF::Port>::base_type {
 public:
  static constexpr const char* kName = "Log";

  /// `log` outlives it.
  explicit LogPort(FailureLog& log) : log_(log) {}

  void connectPort(IDL::traits<CORBA::Object>::ref_type connection,
                   const std::string& connectionId) override {
    log_.connect(connection, connectionId);
  }
  void disconnectPort(const std::string& connectionId) override { log_.disconnect(connectionId); }

 private:
  FailureLog& log_;
};

}  // namespace orbweaver::sca
