#include "micro/reference.h"

#include <orbweaver/detail/stub.h>

#include <cstring>
#include <mutex>

#include "base/hex.h"
#include "giop/encapsulation.h"
#include "giop/object_url.h"
#include "micro/buffer.h"
#include "micro/core.h"
#include "micro/decimal.h"
#include "micro/raise.h"

namespace orbweaver {

using micro::Profile;

Reference::Reference(micro::Core& core, std::string_view type_id, std::string&& profiles, std::uint32_t count)
    : core_(core), type_id_(type_id), profiles_(std::move(profiles)), profile_count_(count), local_(false) {
  local_ = is_of_this_process();
}

bool Reference::is_of_this_process() const {
  Profile first;
  return profile_count_ == 1 && profile(first) && core_.is_own_address(first.host, first.port);
}

Reference::~Reference() {
  if (forward_ != nullptr) forward_->release();
}

void Reference::release() noexcept {
  if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

/// Reads the data of an IIOP profile. False if it is malformed.
static bool read_profile(Bytes data, Profile& profile) noexcept {
  cdr::Decoder body = giop::open_encapsulation(data);
  profile.version.major = body.get<std::uint8_t>();
  profile.version.minor = std::min(body.get<std::uint8_t>(), std::uint8_t{2});
  profile.host = body.get_string_view();
  profile.port = body.get<std::uint16_t>();
  profile.key = giop::get_octets(body);
  profile.has_code_sets = false;
  if (!body.ok() || profile.version.major != 1) return false;
  if (profile.version.minor == 0 || body.remaining() == 0) return true;
  for (std::uint32_t n = body.get_length(8); n != 0 && body.ok(); --n) {
    if (body.get<std::uint32_t>() == 1) profile.has_code_sets = true;
    giop::get_octets(body);
  }
  return body.ok();
}

bool Reference::profile(Profile& profile) const noexcept {
  cdr::Decoder in(reinterpret_cast<const std::uint8_t*>(profiles_.data()), profiles_.size(), false);
  for (std::uint32_t i = 0; i < profile_count_; ++i) {
    const auto tag = in.get<std::uint32_t>();
    const Bytes data = giop::get_octets(in);
    if (!in.ok()) break;
    if (tag == 0 && read_profile(data, profile)) return true;
  }
  return false;
}

Bytes Reference::key() const noexcept {
  Profile found;
  return profile(found) ? found.key : Bytes();
}

Reference* Reference::current() noexcept {
  const std::lock_guard lock(core_.mutex);
  Reference* const now = forward_ != nullptr ? forward_ : this;
  now->add_ref();
  return now;
}

void Reference::forward(Reference* to) noexcept {
  {
    const std::lock_guard lock(core_.mutex);
    std::swap(forward_, to);
  }
  if (to != nullptr) to->release();
}

namespace micro {
namespace {

[[noreturn]] void reject(std::string_view text, const char* problem) {
  raise(Kind::BAD_PARAM, minor::kBadString,
        std::string("'").append(text.substr(0, 200)).append("': ").append(problem));
}

void put(std::string& out, std::uint32_t value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}
void put_octets(std::string& out, const void* data, std::size_t bytes) {
  put(out, static_cast<std::uint32_t>(bytes));
  out.append(static_cast<const char*>(data), bytes);
}
void align(std::string& out) { out.append((0 - out.size()) & 3, '\0'); }

Reference* parse_ior(Core& core, std::string_view text) {
  std::string bytes;
  for (std::size_t i = 4; i < text.size(); i += 2) {
    const int high = hex_value(text[i]), low = i + 1 < text.size() ? hex_value(text[i + 1]) : -1;
    if (high < 0 || low < 0 || i > 2 * limits::kMaxIorBytes) reject(text, "not hexadecimal digits of an IOR");
    bytes += static_cast<char>(high << 4 | low);
  }
  cdr::Decoder in =
      giop::open_encapsulation({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  Reference* const reference = read_reference(core, in);
  if (!in.ok()) reject(text, "malformed IOR");
  return reference;
}

/// corbaloc:[iiop]:[MAJOR.MINOR@]HOST[:PORT]/KEY (CORBA 3.3 part 2, 7.6.10).
Reference* parse_corbaloc(Core& core, std::string_view text) {
  std::string_view rest = text.substr(9);
  if (rest.substr(0, 4) == "iiop") rest.remove_prefix(4);
  if (rest.substr(0, 1) != ":") reject(text, "the micro library supports corbaloc:iiop: and corbaloc:: only");
  const std::size_t slash = rest.find('/');
  std::string_view address = rest.substr(1, slash - 1);
  giop::Version version = giop::kGiop10;
  if (address.size() > 3 && address.substr(0, 2) == "1." && address[3] == '@' && address[2] >= '0' &&
      address[2] <= '9') {
    version.minor = static_cast<std::uint8_t>(address[2] > '2' ? 2 : address[2] - '0');
    address.remove_prefix(4);
  }
  const std::size_t colon = address.rfind(':');
  const bool has_port = colon != address.npos && address.substr(colon).find(']') == address.npos;
  const std::size_t port = has_port ? decimal(address.substr(colon + 1), kMaxPort) : giop::kDefaultPort;
  std::string_view host = has_port ? address.substr(0, colon) : address;
  if (host.size() > 1 && host.front() == '[') host = host.substr(1, host.size() - 2);
  if (slash == rest.npos || host.empty() || port == 0 || port > kMaxPort ||
      address.find_first_of(",@") != address.npos)
    reject(text, "write corbaloc::1.2@HOST:PORT/KEY");
  std::string key;
  for (std::size_t i = slash + 1; i < rest.size(); ++i) {
    if (rest[i] != '%') {
      key += rest[i];
      continue;
    }
    const int high = i + 2 < rest.size() ? hex_value(rest[i + 1]) : -1,
              low = high < 0 ? -1 : hex_value(rest[i + 2]);
    if (low < 0) reject(text, "'%' without two hexadecimal digits");
    key += static_cast<char>(high << 4 | low);
    i += 2;
  }
  return new_reference(core, {}, version, host, static_cast<std::uint16_t>(port), key, false);
}

}  // namespace

Reference* new_reference(Core& core, std::string_view type_id, giop::Version version, std::string_view host,
                         std::uint16_t port, std::string_view key, bool components) {
  // Tagged components of Orbweaver's objects: the ORB type, and the code sets UTF-8 and UTF-16 without
  // conversions.
  static constexpr std::uint32_t kOrder = giop::kThisMachineIsLittleEndian;
  static constexpr std::uint32_t kOrbType[] = {0, 8, 0, 0x4f574252};
  static constexpr std::uint32_t kCodeSets[] = {1, 20, 0, 0x05010001, 0, 0x00010109, 0};
  Buffer buffer;
  buffer.reserve(8 + 64 + 2 * sizeof kCodeSets + host.size() + key.size());
  cdr::Encoder out(buffer.data() + 8, buffer.capacity() - 8);
  out.put(static_cast<std::uint8_t>(kOrder));
  out.put(version.major);
  out.put(version.minor);
  out.put_string(host);
  out.put(port);
  giop::put_octets(out, {reinterpret_cast<const std::uint8_t*>(key.data()), key.size()});
  if (version.minor != 0) out.put(components ? 2u : 0u);
  if (components) {
    for (const std::uint32_t word : kOrbType) out.put(word);
    for (const std::uint32_t word : kCodeSets) out.put(word);
    // The third word of each component is the byte order of its encapsulation, in one octet.
    if (kOrder == 1) {
      buffer.data()[8 + out.size() - sizeof kCodeSets - 8] = 1;
      buffer.data()[8 + out.size() - sizeof kCodeSets + 8] = 1;
    }
  }
  const std::uint32_t tag_and_length[2] = {0, static_cast<std::uint32_t>(out.size())};
  std::memcpy(buffer.data(), tag_and_length, 8);
  return new Reference(core, type_id, std::string(reinterpret_cast<char*>(buffer.data()), 8 + out.size()), 1);
}

Reference* read_reference(Core& core, cdr::Decoder& in) {
  const std::string_view type_id = in.get_string_view();
  const std::uint32_t count = in.get_length(8);
  std::string profiles;
  for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
    align(profiles);
    put(profiles, in.get<std::uint32_t>());
    const Bytes data = giop::get_octets(in);
    if (profiles.size() + data.size() + type_id.size() > limits::kMaxIorBytes)
      in.fail(cdr::Fault::bad_reference);
    if (in.ok()) put_octets(profiles, data.data(), data.size());
  }
  if (!in.ok() || count == 0) return nullptr;
  return new Reference(core, type_id, std::move(profiles), count);
}

void write_reference(cdr::Encoder& out, const Reference* reference) {
  out.put_string(reference == nullptr ? std::string_view() : reference->type_id());
  out.put(reference == nullptr ? 0u : reference->profile_count());
  if (reference != nullptr) out.put_bytes(reference->profiles().data(), reference->profiles().size());
}

std::size_t reference_bound(const Reference* reference) noexcept {
  return 3 + 4 + 1 + 3 + 4 +
         (reference == nullptr ? 0 : reference->type_id().size() + reference->profiles().size());
}

std::string to_text(const Reference* reference) {
  Buffer buffer;
  buffer.reserve(1 + reference_bound(reference));
  cdr::Encoder out(buffer.data(), buffer.capacity());
  out.put(static_cast<std::uint8_t>(giop::kThisMachineIsLittleEndian));
  write_reference(out, reference);
  std::string text = "IOR:";
  for (const std::uint8_t byte : Bytes(buffer.data(), out.size())) append_hex(text, byte);
  return text;
}

Reference* parse_reference(Core& core, std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
  while (!text.empty() && kSpace.find(text.back()) != text.npos) text.remove_suffix(1);
  const auto begins_with = [&](const char* prefix, std::size_t bytes) {
    return text.size() >= bytes && strncasecmp(text.data(), prefix, bytes) == 0;
  };
  if (begins_with("IOR:", 4)) return parse_ior(core, text);
  if (begins_with("corbaloc:", 9)) return parse_corbaloc(core, text);
  reject(text, "the micro library supports IOR: and corbaloc: only");
}

}  // namespace micro

Reference* decode_reference(cdr::Decoder& in) {
  auto* const core = static_cast<micro::Core*>(in.broker());
  if (core == nullptr) return in.fail(cdr::Fault::bad_reference), nullptr;
  return micro::read_reference(*core, in);
}

void encode_reference(cdr::Encoder& out, const CORBA::Object* object) {
  if (object != nullptr && object->_reference() == nullptr)
    micro::raise(micro::Kind::BAD_PARAM, minor::kLocalObject, "a local object cannot leave the process");
  micro::write_reference(out, object == nullptr ? nullptr : object->_reference());
}

std::size_t bound_reference(const CORBA::Object* object) {
  return micro::reference_bound(object == nullptr ? nullptr : object->_reference());
}

void drop_reference(Reference* reference) noexcept { reference->release(); }

}  // namespace orbweaver
