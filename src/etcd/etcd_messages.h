// Messages of etcd's API (https://etcd.io/docs/v3.4/learning/api/) in the JSON of its gateway: octets in
// base64, numbers of 64 bits as text.
#pragma once

#include <orbweaver/result.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace orbweaver::etcd {

/// A key with its value.
struct KeyValue {
  std::string key, value;
};

/// Keys and values, in the order of the keys.
struct RangeReply {
  std::vector<KeyValue> pairs;
  bool more = false;     ///< There are further keys.
  std::string revision;  ///< Of the whole etcd, when it was read.
};

/// The least key that is greater than all keys with this prefix, which is not empty and ends with no 0xff.
std::string end_of_prefix(std::string prefix);

/// RangeRequest of one key.
nlohmann::json get_request(const std::string& key);
/// RangeRequest of the keys from `first` to before `end`.
nlohmann::json range_request(const std::string& first, const std::string& end, int limit);
/// RequestOp of a change.
nlohmann::json put_operation(const std::string& key, const std::string& value, const std::string& lease = {});
nlohmann::json delete_operation(const std::string& key);
/// Compare: the key has been created at this revision; "0": it does not exist.
nlohmann::json created_at(const std::string& key, const std::string& revision);

/// Reads a RangeResponse. Errors: invalid.
Result<RangeReply> parse_range(const nlohmann::json& reply);
/// Reads the RangeResponse to range_request(first, end, …). Errors: invalid, also if its keys are not of that
/// range and ascending, or if it announces further keys and has none.
Result<RangeReply> parse_range(const nlohmann::json& reply, const std::string& first, const std::string& end);
/// A member that is a number, as text; empty if there is none.
std::string number(const nlohmann::json& object, const char* name);
/// A member that is a text; empty if there is none, or if it is of another type.
std::string text_member(const nlohmann::json& object, const char* name);
/// Whether there is a member that is `true`.
bool is_true(const nlohmann::json& object, const char* name);
/// `revision` in the `header` of a reply.
std::string revision_of(const nlohmann::json& reply);

}  // namespace orbweaver::etcd
