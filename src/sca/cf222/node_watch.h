#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "CFC.h"
#include "services/events/workers.h"

namespace orbweaver::sca {

/// How nodes are watched.
struct NodeWatchOptions {
  std::chrono::milliseconds interval{300};  ///< Between two calls.
  std::chrono::milliseconds limit{500};     ///< Of one call.
  int timeouts = 3;                         ///< Calls without an answer in succession.
};

/// Calls each node (a device manager) again and again, in a thread and over a connection of its own, whose
/// end it awaits meanwhile; and tells which node is lost: at once if its process has ended, which ends the
/// connection, or its object does not exist, and after some calls without an answer. A node that was lost in
/// the second way is called on. Thread-safe.
class NodeWatch {
 public:
  using NodeRef = IDL::traits<CORBA::Object>::ref_type;
  /// Called in a thread of the watch. If it returns false, it is called again after the next interval.
  using Lost = std::function<bool(const std::string& id, const NodeRef& node, const std::string& reason)>;
  /// Called in a thread of the watch when a node that was lost answers again; its watch then ends.
  using Back = std::function<void(const std::string& id, const NodeRef& node)>;

  NodeWatch(Lost lost, Back back, const NodeWatchOptions& options = {})
      : lost_(std::move(lost)), back_(std::move(back)), options_(options), workers_(kMaxThreads) {}
  ~NodeWatch() { end(); }

  /// Watches a node, instead of the earlier one of that id. Raises NO_RESOURCES if there are too many.
  void watch(const std::string& id, const NodeRef& node);
  /// Ends the watch of a node. Does not wait for a call in progress.
  void forget(const std::string& id);
  /// Ends all watches, and waits until they have ended. Not from one of their threads.
  void end();

 private:
  static constexpr std::size_t kMaxThreads = 1024;
  struct Watched {
    std::string id;
    NodeRef node;
    NodeRef asked;           // the same, with the connection of the watch and a time limit
    bool ended = false;      // mutex_
    bool awaits_end = true;  // of the connection; used by its thread
  };
  enum class Answer { alive, none, gone };

  void run(const std::shared_ptr<Watched>& watched);
  /// Waits for an interval, or until the connection has ended. False if the watch has ended.
  bool pause(Watched& watched);
  bool has_ended(const Watched& watched);
  static Answer ask(const NodeRef& node, std::string& reason);

  const Lost lost_;
  const Back back_;
  const NodeWatchOptions options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::shared_ptr<Watched>> watched_;
  services::events::Workers workers_;
};

}  // namespace orbweaver::sca
