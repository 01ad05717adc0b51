// Contexts (CORBA 3.3 part 1, 8.6).
#include <orbweaver/any.h>
#include <orbweaver/context.h>
#include <orbweaver/orb.h>

#include <algorithm>
#include <cctype>
#include <mutex>
#include <utility>

#include "orb/minor_codes.h"

namespace CORBA {

namespace minor = orbweaver::minor;

struct Context::Properties {
  const std::string name;
  const _ref_type parent;
  mutable std::mutex mutex;
  Values values;  // guarded by `mutex`
};

namespace {

[[noreturn]] void bad_context(std::uint32_t code, const std::string& what) {
  throw BAD_CONTEXT(code, CompletionStatus::COMPLETED_NO, what);
}

void check_name(const std::string& name) {
  const auto in_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '_'; };
  if (!name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) != 0 &&
      std::all_of(name.begin(), name.end(), in_name)) {
    return;
  }
  bad_context(minor::kBadContextName, "'" + name + "' is not the name of a property of a context");
}

// Begin and end of the properties that match; `values` may be const.
template <class Values>
auto matching(Values& values, const std::string& pattern) {
  if (pattern.empty() || pattern.back() != '*') return values.equal_range(pattern);
  const std::string prefix = pattern.substr(0, pattern.size() - 1);
  const auto begin = values.lower_bound(prefix);
  auto end = begin;
  while (end != values.end() && end->first.compare(0, prefix.size(), prefix) == 0) ++end;
  return std::make_pair(begin, end);
}

}  // namespace

Context::Context(std::string name) : Context(std::move(name), nullptr) {}
Context::Context(std::string name, _ref_type parent)
    : properties_(new Properties{std::move(name), std::move(parent), {}, {}}) {}

Context::~Context() = default;

std::string Context::context_name() const { return properties_->name; }
Context::_ref_type Context::parent() const { return properties_->parent; }

Context::_ref_type Context::create_child(const std::string& name) {
  _add_ref();
  return _ref_type::adopt(new Context(name, _ref_type::adopt(this)));
}

void Context::set_one_value(const std::string& name, const std::string& value) {
  set_values({{name, value}});
}

void Context::set_one_value(const std::string& name, const Any& value) {
  std::string text;
  if (!(value >>= text)) {
    throw BAD_TYPECODE(minor::kContextNotAString, CompletionStatus::COMPLETED_NO,
                       "the value of a property of a context must be a string");
  }
  set_one_value(name, text);
}

void Context::set_values(const Values& values) {
  for (const auto& [name, value] : values) check_name(name);
  const std::lock_guard lock(properties_->mutex);
  for (const auto& [name, value] : values) properties_->values.insert_or_assign(name, value);
}

void Context::delete_values(const std::string& pattern) {
  const std::lock_guard lock(properties_->mutex);
  const auto [begin, end] = matching(properties_->values, pattern);
  if (begin == end) bad_context(minor::kNoContextValue, "no property matches '" + pattern + "'");
  properties_->values.erase(begin, end);
}

void Context::_receive(Values values) {
  const std::lock_guard lock(properties_->mutex);
  properties_->values = std::move(values);
}

bool Context::_find(const std::string& pattern, bool with_parents, Values& found) const {
  bool any = false;
  for (const Context* each = this; each != nullptr; each = each->properties_->parent.get()) {
    const std::lock_guard lock(each->properties_->mutex);
    const auto [begin, end] = matching(std::as_const(each->properties_->values), pattern);
    any = any || begin != end;
    found.insert(begin, end);
    if (!with_parents) break;
  }
  return any;
}

Context::Values Context::get_values(const std::string& start_scope, std::uint32_t flags,
                                    const std::string& pattern) const {
  const Context* from = this;
  while (from != nullptr && !start_scope.empty() && from->properties_->name != start_scope)
    from = from->properties_->parent.get();
  if (from == nullptr) bad_context(minor::kNoContextScope, "there is no context '" + start_scope + "'");
  Values found;
  if (!from->_find(pattern, flags != CTX_RESTRICT_SCOPE, found))
    bad_context(minor::kNoContextValue, "no property matches '" + pattern + "'");
  return found;
}

// Never freed: see ARCHITECTURE.md on programs that end without shutting down.
object_reference<Context> ORB::get_default_context() {
  static Context* const context = new Context;
  context->_add_ref();
  return object_reference<Context>::adopt(context);
}

}  // namespace CORBA

namespace orbweaver {

std::vector<std::string> context_values(const CORBA::object_reference<CORBA::Context>& context,
                                        std::initializer_list<const char*> patterns) {
  CORBA::Context::Values found;
  if (context != nullptr) {
    for (const char* each : patterns) context->_find(each, true, found);
  }
  std::vector<std::string> values;
  values.reserve(2 * found.size());
  for (auto& [name, value] : found) {
    values.push_back(name);
    values.push_back(std::move(value));
  }
  return values;
}

CORBA::object_reference<CORBA::Context> context_of(const std::vector<std::string>& values) {
  auto context = CORBA::make_reference<CORBA::Context>();
  CORBA::Context::Values all;
  for (std::size_t i = 0; i + 1 < values.size(); i += 2) all.insert_or_assign(values[i], values[i + 1]);
  context->_receive(std::move(all));
  return context;
}

void decode_context(cdr::Decoder& in, std::vector<std::string>& values) {
  cdr::decode(in, values);
  if (values.size() % 2 != 0) in.fail(cdr::Fault::bad_length);
}

}  // namespace orbweaver
