#include "etcd/etcd_messages.h"

#include "base64/base64.h"

namespace orbweaver::etcd {

using Json = nlohmann::json;

namespace {

Error malformed() { return {ErrorKind::invalid, "etcd has sent a malformed answer"}; }

}  // namespace

std::string end_of_prefix(std::string prefix) {
  ++prefix.back();
  return prefix;
}

Json get_request(const std::string& key) { return {{"key", to_base64(key)}}; }

Json range_request(const std::string& first, const std::string& end, int limit) {
  return {{"key", to_base64(first)}, {"range_end", to_base64(end)}, {"limit", limit}};
}

Json put_operation(const std::string& key, const std::string& value, const std::string& lease) {
  Json put{{"key", to_base64(key)}, {"value", to_base64(value)}};
  if (!lease.empty()) put["lease"] = lease;
  return {{"request_put", std::move(put)}};
}

Json delete_operation(const std::string& key) {
  return {{"request_delete_range", {{"key", to_base64(key)}}}};
}

Json created_at(const std::string& key, const std::string& revision) {
  return {{"key", to_base64(key)}, {"target", "CREATE"}, {"create_revision", revision}, {"result", "EQUAL"}};
}

Result<RangeReply> parse_range(const Json& reply) {
  RangeReply range;
  range.revision = revision_of(reply);
  range.more = is_true(reply, "more");
  const auto pairs = reply.find("kvs");
  if (pairs == reply.end()) return range;
  if (!pairs->is_array()) return malformed();
  for (const Json& pair : *pairs) {
    if (!pair.is_object()) return malformed();
    const auto octets = [&](const char* name) -> std::optional<std::string> {
      const auto member = pair.find(name);
      if (member == pair.end()) return std::string();  // empty
      if (!member->is_string()) return std::nullopt;
      return from_base64(member->get_ref<const std::string&>());
    };
    auto key = octets("key"), value = octets("value");
    if (!key || !value) return malformed();
    range.pairs.push_back({std::move(*key), std::move(*value)});
  }
  return range;
}

Result<RangeReply> parse_range(const Json& reply, const std::string& first, const std::string& end) {
  auto range = parse_range(reply);
  if (!range) return range;
  std::string least = first;
  for (const KeyValue& pair : range->pairs) {
    if (pair.key < least || pair.key >= end) return malformed();
    least = pair.key + '\0';
  }
  if (range->more && range->pairs.empty()) return malformed();
  return range;
}

std::string number(const Json& object, const char* name) {
  const auto member = object.is_object() ? object.find(name) : object.end();
  if (member == object.end()) return {};
  if (member->is_string()) return member->get<std::string>();
  return member->is_number_integer() ? std::to_string(member->get<std::int64_t>()) : std::string();
}

std::string text_member(const Json& object, const char* name) {
  const auto member = object.is_object() ? object.find(name) : object.end();
  return member != object.end() && member->is_string() ? member->get<std::string>() : std::string();
}

bool is_true(const Json& object, const char* name) {
  const auto member = object.is_object() ? object.find(name) : object.end();
  return member != object.end() && member->is_boolean() && member->get<bool>();
}

std::string revision_of(const Json& reply) {
  const auto header = reply.is_object() ? reply.find("header") : reply.end();
  return header == reply.end() ? std::string() : number(*header, "revision");
}

}  // namespace orbweaver::etcd
