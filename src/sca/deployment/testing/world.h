#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "CFC.h"
#include "sca/profile/property_json.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca::testing {

/// What the objects of a test have done, and what is left of it. Thread-safe.
class World {
 public:
  /// Records a call: "gpp_1 load /part". Throws the failure of the call if the test has asked for one.
  void call(const std::string& text) {
    std::unique_lock lock(mutex_);
    calls_.push_back(text);
    if (text == hanging_) released_.wait(lock, [this] { return hanging_.empty(); });
    if (text == failing_) throw CORBA::INTERNAL();
  }
  bool fails(const std::string& text) const {
    const std::lock_guard lock(mutex_);
    return text == failing_;
  }
  void fail(const std::string& text) {
    const std::lock_guard lock(mutex_);
    failing_ = text;
  }
  void hang(const std::string& text) {
    const std::lock_guard lock(mutex_);
    hanging_ = text;
  }
  void release_hanging() {
    const std::lock_guard lock(mutex_);
    hanging_.clear();
    released_.notify_all();
  }
  /// Something exists from now on ("process 7"), or does not any more.
  void add(const std::string& thing) {
    const std::lock_guard lock(mutex_);
    left_.insert(thing);
  }
  bool remove(const std::string& thing) {
    const std::lock_guard lock(mutex_);
    const auto found = left_.find(thing);
    if (found == left_.end()) return false;
    left_.erase(found);
    return true;
  }
  std::vector<std::string> left() const {
    const std::lock_guard lock(mutex_);
    return {left_.begin(), left_.end()};
  }
  std::vector<std::string> calls() const {
    const std::lock_guard lock(mutex_);
    return calls_;
  }
  /// How often this call has been made.
  std::ptrdiff_t count(const std::string& text) const {
    const std::lock_guard lock(mutex_);
    return std::count(calls_.begin(), calls_.end(), text);
  }
  /// The calls with one of these words, without repetitions in sequence, as the words only.
  std::vector<std::string> order(const std::vector<std::string>& words) const {
    std::vector<std::string> order;
    for (const std::string& call : calls()) {
      for (const std::string& word : words) {
        if (call.find(" " + word) == std::string::npos) continue;
        if (order.empty() || order.back() != word) order.push_back(word);
      }
    }
    return order;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable released_;
  std::vector<std::string> calls_;
  std::multiset<std::string> left_;
  std::string failing_, hanging_;
};

inline std::string text_of_properties(const CF::Properties& properties) {
  std::string text;
  for (const CF::DataType& each : properties) {
    const auto value = value_of(each.value());
    text += (text.empty() ? "" : ",") + each.id() + "=";
    if (!value) {
      text += "?";
    } else if (value->form == PropertyForm::simple) {
      text += value->text;
    } else {
      text += json_of(declared_type_of(each.value()).value_or(DeclaredType()), *value).dump();
    }
  }
  return text;
}

}  // namespace orbweaver::sca::testing
