#include "sca/cf222/node_watch.h"

#include <orbweaver/connection_end.h>

#include <utility>

#include "sca/cf222/remote_calls.h"

namespace orbweaver::sca {

void NodeWatch::watch(const std::string& id, const NodeRef& node) {
  const auto watched = std::make_shared<Watched>(
      Watched{id, node, limited<CORBA::Object>(with_private_connection(node), options_.limit)});
  std::shared_ptr<Watched> earlier;
  {
    const std::lock_guard lock(mutex_);
    auto& slot = watched_[id];
    if (slot) slot->ended = true;
    earlier = std::exchange(slot, watched);
  }
  changed_.notify_all();
  if (earlier) close_connection(earlier->asked);
  workers_.start("ow-node-watch", [this, watched] { run(watched); });
}

void NodeWatch::forget(const std::string& id) {
  std::shared_ptr<Watched> forgotten;
  {
    const std::lock_guard lock(mutex_);
    const auto found = watched_.find(id);
    if (found == watched_.end()) return;
    forgotten = found->second;
    forgotten->ended = true;
    watched_.erase(found);
  }
  changed_.notify_all();
  close_connection(forgotten->asked);  // wakes the thread that awaits its end
}

void NodeWatch::end() {
  std::map<std::string, std::shared_ptr<Watched>> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, watched] : watched_) watched->ended = true;
    all.swap(watched_);
  }
  changed_.notify_all();
  for (const auto& [id, watched] : all) close_connection(watched->asked);
  workers_.join();
}

bool NodeWatch::has_ended(const Watched& watched) {
  const std::lock_guard lock(mutex_);
  return watched.ended;
}

bool NodeWatch::pause(Watched& watched) {
  // A node that closes connections and answers over others is not called without a pause.
  if (std::exchange(watched.awaits_end, true) && !has_ended(watched)) {
    const ConnectionEnd end = await_connection_end(watched.asked, Deadline::in_ms(options_.interval.count()));
    if (end == ConnectionEnd::ended) watched.awaits_end = false;
    if (end != ConnectionEnd::unknown) return !has_ended(watched);
  }
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, options_.interval, [&] { return watched.ended; });
}

NodeWatch::Answer NodeWatch::ask(const NodeRef& node, std::string& reason) {
  // A connection that the node's ORB has just closed fails once.
  for (int attempt = 0; attempt < 2; ++attempt) {
    try {
      if (!node->_non_existent()) return Answer::alive;
      reason = "its device manager does not exist any more";
      return Answer::gone;
    } catch (const CORBA::TIMEOUT&) {
      reason = "it does not answer";
      return Answer::none;
    } catch (const CORBA::OBJECT_NOT_EXIST&) {
      reason = "its device manager does not exist any more";
      return Answer::gone;
    } catch (const CORBA::COMM_FAILURE&) {
    } catch (const CORBA::TRANSIENT&) {
    } catch (const CORBA::SystemException&) {
      return Answer::alive;  // it has raised an exception
    }
  }
  reason = "its process has ended, or cannot be reached";
  return Answer::gone;
}

void NodeWatch::run(const std::shared_ptr<Watched>& watched) {
  int timeouts = 0;
  bool is_lost = false;  // after time-outs
  // The first call makes the connection whose end is awaited.
  for (bool is_first = true; is_first || pause(*watched); is_first = false) {
    std::string reason;
    const Answer answer = ask(watched->asked, reason);
    if (has_ended(*watched)) return;  // which closes the connection
    switch (answer) {
      case Answer::alive:
        timeouts = 0;
        if (!is_lost) break;
        back_(watched->id, watched->node);
        return;
      case Answer::none:
        if (++timeouts >= options_.timeouts && !is_lost) is_lost = lost_(watched->id, watched->node, reason);
        break;
      case Answer::gone:
        if (is_lost || lost_(watched->id, watched->node, reason)) return;
        break;
    }
  }
}

}  // namespace orbweaver::sca
