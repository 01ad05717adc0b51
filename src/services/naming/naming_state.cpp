#include "services/naming/naming_state.h"

namespace orbweaver::naming {
namespace {

/// Estimate of the memory that a map needs for an entry, in addition to its texts.
constexpr std::size_t kEntryBytes = 256;

std::size_t bytes_of(const Key& key, const Target& target) {
  return kEntryBytes + key.first.size() + key.second.size() + target.text.size();
}

}  // namespace

const NamingState::Bindings* NamingState::find(const ContextId& context) const {
  const auto found = contexts_.find(context);
  return found == contexts_.end() ? nullptr : &found->second;
}

const char* NamingState::exceeded_limit(const Change& change, const Limits& limits) const {
  if (change.create && contexts_.size() >= limits.contexts) return "the naming service has too many contexts";
  if (!change.context || !change.target) return nullptr;
  const Bindings* const bindings = find(*change.context);
  if (bindings == nullptr) return nullptr;
  const auto found = bindings->find(change.key);
  const bool is_new = found == bindings->end();
  if (is_new && bindings->size() >= limits.bindings_of_context) return "the naming context is full";
  if (is_new && bindings_ >= limits.bindings) return "the naming service is full";
  const std::size_t freed = is_new ? 0 : bytes_of(found->first, found->second);
  const std::size_t after = bytes_ - freed + bytes_of(change.key, *change.target);
  if (after > limits.total_bytes && after > bytes_) return "the naming service is full: too many bytes";
  return nullptr;
}

void NamingState::apply(const Change& change) {
  if (change.create) contexts_[*change.create];
  if (change.destroy) {
    const auto found = contexts_.find(*change.destroy);
    if (found != contexts_.end()) {
      for (const auto& [key, target] : found->second) bytes_ -= bytes_of(key, target);
      bindings_ -= found->second.size();
      contexts_.erase(found);
    }
  }
  if (!change.context) return;
  const auto context = contexts_.find(*change.context);
  if (context == contexts_.end()) return;
  Bindings& bindings = context->second;
  const auto found = bindings.find(change.key);
  if (found != bindings.end()) bytes_ -= bytes_of(change.key, found->second);
  if (change.target) {
    bytes_ += bytes_of(change.key, *change.target);
    if (found == bindings.end()) {
      ++bindings_;
      bindings.emplace(change.key, *change.target);
    } else {
      found->second = *change.target;
    }
  } else if (found != bindings.end()) {
    --bindings_;
    bindings.erase(found);
  }
}

}  // namespace orbweaver::naming
