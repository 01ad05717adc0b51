#include "call/object_caller.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <numeric>
#include <utility>

namespace orbweaver::call {
namespace {

Error invalid_call(std::string message) { return {ErrorKind::invalid, std::move(message)}; }

std::string message_of(const CORBA::SystemException& e) { return e.detail().empty() ? e.what() : e.detail(); }

/// The words of a command line for ORB_init. Fails with ErrorKind::invalid.
Result<std::vector<std::string>> words_of(const TargetOptions& options) {
  auto further = orb_words(options);
  if (!further) return further;
  std::vector<std::string> words{"orbweaver", "-ORBCallTimeout", std::to_string(options.timeout_ms)};
  words.insert(words.end(), further->begin(), further->end());
  return words;
}

std::int64_t percentile(const std::vector<std::int64_t>& sorted, double part) {
  const auto index = static_cast<std::size_t>(part * static_cast<double>(sorted.size()));
  return sorted[std::min(index, sorted.size() - 1)];
}

}  // namespace

Result<std::vector<std::string>> orb_words(const TargetOptions& options) {
  std::vector<std::string> words;
  for (const std::string& each : options.orb) {
    const std::size_t equals = each.find('=');
    if (equals == 0 || equals == std::string::npos)
      return invalid_call("--orb takes OPTION=VALUE, such as TransportPreference=tcp; found '" + each + "'");
    words.push_back("-ORB" + each.substr(0, equals));
    words.push_back(each.substr(equals + 1));
  }
  return words;
}

Result<std::unique_ptr<ObjectCaller>> ObjectCaller::make(const TargetOptions& options) {
  auto words = words_of(options);
  if (!words) return words.take_error();
  std::vector<char*> argv;
  for (std::string& word : *words) argv.push_back(word.data());
  int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  std::unique_ptr<ObjectCaller> caller(new ObjectCaller);
  try {
    caller->orb_ = CORBA::ORB_init(argc, argv.data(), "calling command");
    if (argc > 1) return invalid_call(std::string("there is no option -ORB for '") + argv[1] + "'");
    caller->object_ = caller->orb_->string_to_object(options.reference);
  } catch (const CORBA::BAD_PARAM& e) {
    return invalid_call(message_of(e));
  } catch (const CORBA::TIMEOUT& e) {
    return Error{ErrorKind::timed_out, message_of(e)};
  } catch (const CORBA::Exception& e) {
    return Error{ErrorKind::unavailable, e.what()};
  }
  if (caller->object_ == nullptr) return invalid_call("the reference is nil");
  return caller;
}

ObjectCaller::~ObjectCaller() {
  object_ = nullptr;
  if (orb_ != nullptr) orb_->destroy();
}

int exit_status(const CORBA::SystemException& e) {
  return dynamic_cast<const CORBA::TIMEOUT*>(&e) != nullptr ? kExitTimedOut : kExitNotCalled;
}

std::string microseconds(std::int64_t ns) {
  char text[64];
  std::snprintf(text, sizeof text, "%.1f µs", static_cast<double>(ns) / 1e3);
  return text;
}

std::string latency_text(std::vector<std::int64_t> all) {
  std::sort(all.begin(), all.end());
  const std::int64_t sum = std::accumulate(all.begin(), all.end(), std::int64_t{0});
  return "min " + microseconds(all.front()) + ", mean " +
         microseconds(sum / static_cast<std::int64_t>(all.size())) + ", p50 " +
         microseconds(percentile(all, 0.5)) + ", p99 " + microseconds(percentile(all, 0.99)) + ", max " +
         microseconds(all.back());
}

}  // namespace orbweaver::call
