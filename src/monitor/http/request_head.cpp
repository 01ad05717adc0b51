#include "monitor/http/request_head.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

namespace orbweaver::monitor {
namespace {

constexpr std::array<std::string_view, 8> kReadHeaders{"host",           "origin",         "authorization",
                                                       "content-type",   "content-length", "connection",
                                                       "sec-fetch-site", "sec-fetch-mode"};

constexpr std::array<std::string_view, 5> kMethods{"GET", "HEAD", "POST", "PATCH", "DELETE"};

CheckedHead refused(int status, std::string message) { return {{}, Refusal{status, std::move(message)}}; }

bool is_token(std::string_view text) {  // RFC 9110, 5.6.2
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

bool is_field_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return c == '\t' || (byte >= 0x20 && byte != 0x7f);
  });
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Why the request line is refused, if it is.
std::optional<Refusal> check_request_line(std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last)
    return Refusal{400, "the request line is not 'METHOD TARGET HTTP/1.1'"};
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (version != "HTTP/1.1" && version != "HTTP/1.0")
    return Refusal{505, "the version of HTTP is neither 1.1 nor 1.0"};
  if (std::find(kMethods.begin(), kMethods.end(), method) == kMethods.end())
    return Refusal{501, "the method is not GET, HEAD, POST, PATCH or DELETE"};
  if (target.size() > kMaxTargetBytes)
    return Refusal{414, "the target has more than " + std::to_string(kMaxTargetBytes) + " bytes"};
  const bool printable =
      std::all_of(target.begin(), target.end(), [](char c) { return c > 0x20 && c < 0x7f; });
  if (target.empty() || target[0] != '/' || !printable || target.find('#') != std::string_view::npos)
    return Refusal{400, "the target is not a path of printable ASCII"};
  return std::nullopt;
}

/// Reads the headers, one after the other.
class HeaderReader {
 public:
  std::optional<Refusal> read(std::string_view line) {
    if (++lines_ > kMaxHeaderLines)
      return Refusal{431, "there are more than " + std::to_string(kMaxHeaderLines) + " headers"};
    if (line.size() > kMaxHeaderLineBytes)
      return Refusal{431, "a header has more than " + std::to_string(kMaxHeaderLineBytes) + " bytes"};
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !is_token(line.substr(0, colon)))
      return Refusal{400, "a header is not 'NAME: VALUE'"};
    const std::string name = lower_case(line.substr(0, colon));
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (!is_field_value(value)) return Refusal{400, "a header contains a control character"};
    if (name == "transfer-encoding")
      return Refusal{411, "Transfer-Encoding is not supported: send a Content-Length"};
    if (name == "content-length") {
      if (auto refusal = read_length(value)) return refusal;
    }
    if (std::find(kReadHeaders.begin(), kReadHeaders.end(), name) != kReadHeaders.end()) {
      if (!seen_.insert(name).second) return Refusal{400, "there are two headers " + name};
      kept_.append(name).append(": ").append(value).append("\r\n");
    }
    return std::nullopt;
  }

  std::optional<Refusal> finish() const {
    if (seen_.count("host") == 1) return std::nullopt;
    return Refusal{400, "there is no header Host"};
  }

  const std::string& kept() const { return kept_; }
  std::size_t body_bytes() const { return body_bytes_; }

 private:
  std::optional<Refusal> read_length(std::string_view value) {
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), body_bytes_);
    const bool whole = end == value.data() + value.size() && !value.empty();
    if (error == std::errc::result_out_of_range || (whole && body_bytes_ > kMaxBodyBytes))
      return Refusal{413, "the body has more than " + std::to_string(kMaxBodyBytes) + " bytes"};
    if (error != std::errc() || !whole) return Refusal{400, "Content-Length is not a number"};
    return std::nullopt;
  }

  std::size_t lines_ = 0;
  std::size_t body_bytes_ = 0;
  std::string kept_;
  std::set<std::string> seen_;
};

}  // namespace

CheckedHead check_request_head(std::string_view head) {
  std::size_t end = head.find("\r\n");
  if (end == std::string_view::npos) return refused(400, "the request line does not end");
  const std::string_view request_line = head.substr(0, end);
  if (auto refusal = check_request_line(request_line)) return {{}, std::move(refusal)};
  HeaderReader headers;
  std::size_t at = end + 2;
  for (;;) {
    end = head.find("\r\n", at);
    if (end == std::string_view::npos) return refused(400, "the head does not end with an empty line");
    if (end == at) break;
    if (auto refusal = headers.read(head.substr(at, end - at))) return {{}, std::move(refusal)};
    at = end + 2;
  }
  if (auto refusal = headers.finish()) return {{}, std::move(refusal)};
  return {{std::string(request_line) + "\r\n" + headers.kept() + "\r\n", headers.body_bytes()}, {}};
}

}  // namespace orbweaver::monitor
