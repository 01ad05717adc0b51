#include "sca/cf222/node_watch.h"

#include "sca/cf222/remote_calls.h"

namespace orbweaver::sca {

void NodeWatch::watch(const std::string& id, const NodeRef& node) {
  const auto watched = std::make_shared<Watched>(Watched{id, node});
  {
    const std::lock_guard lock(mutex_);
    auto& slot = watched_[id];
    if (slot) slot->ended = true;
    slot = watched;
  }
  changed_.notify_all();
  workers_.start("ow-node-watch", [this, watched] { run(watched); });
}

void NodeWatch::forget(const std::string& id) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = watched_.find(id);
    if (found == watched_.end()) return;
    found->second->ended = true;
    watched_.erase(found);
  }
  changed_.notify_all();
}

void NodeWatch::end() {
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, watched] : watched_) watched->ended = true;
    watched_.clear();
  }
  changed_.notify_all();
  workers_.join();
}

bool NodeWatch::pause(const Watched& watched) {
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
  const auto node = limited<CORBA::Object>(with_private_connection(watched->node), options_.limit);
  int timeouts = 0;
  bool is_lost = false;  // after time-outs
  while (pause(*watched)) {
    std::string reason;
    switch (ask(node, reason)) {
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
