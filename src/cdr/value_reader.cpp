#include "cdr/value_reader.h"

#include <orbweaver/limits.h>

#include <atomic>
#include <new>
#include <string>
#include <utility>

#include "base/log.h"
#include "cdr/value_tags.h"
#include "cdr/value_types.h"

namespace orbweaver::cdr {
namespace {

using Value = CORBA::object_reference<CORBA::ValueBase>;

thread_local ValueReader* innermost_reader = nullptr;

[[gnu::cold]] void log_missing_factory(std::string_view id) {
  log::write_limited(log::Level::warn, "value without a factory", {}, [&] {
    return "received a value of type '" + std::string(id) +
           "', for which no factory is registered: call CORBA::ORB::register_value_factory";
  });
}

[[gnu::cold]] void log_cycle() {
  log::write_limited(log::Level::warn, "cyclic values", {}, [] {
    return std::string(
        "rejected values that refer to themselves: a program that breaks the cycles that it receives may "
        "accept them by orbweaver::accept_cyclic_values");
  });
}

std::atomic<bool> accepts_cycles{false};

}  // namespace

ValueReader::ValueReader(Decoder& in, Earlier earlier)
    : ValueReader(in, std::make_shared<Shared>(), 0, earlier == Earlier::none ? 0 : in.offset()) {}

ValueReader::ValueReader(Decoder& in, std::shared_ptr<Shared> shared, int level, std::size_t begin)
    : in_(in), outer_(std::exchange(innermost_reader, this)), shared_(std::move(shared)),
      end_(in.position() + in.remaining()), begin_(begin), level_(level) {
  if (level_ > 0) {
    in_.chunks_ = this;
    close_window();
  }
}

ValueReader::~ValueReader() {
  innermost_reader = outer_;
  if (in_.chunks_ == this) in_.chunks_ = nullptr;
}

ValueReader* ValueReader::of(const Decoder& in) noexcept {
  ValueReader* each = innermost_reader;
  while (each != nullptr && &each->in_ != &in) each = each->outer_;
  return each;
}

bool ValueReader::enter() noexcept {
  if (++depth_ <= limits::kMaxValueNesting) return true;
  in_.fail(Fault::too_deep);
  return false;
}

// The window of the decoder is the present chunk. It is opened to the end of the message for what is between
// chunks, and then closed, so that the next read of the state begins a chunk.

void ValueReader::open_window() noexcept {
  if (in_.ok()) in_.end_ = end_;
  in_.chunks_ = nullptr;
}

void ValueReader::close_window() noexcept {
  if (level_ > 0) {
    in_.chunks_ = this;
    in_.end_ = in_.pos_;
  }
}

/// What begins at an earlier offset; null if that is nothing of this kind.
const ValueReader::Known* ValueReader::find(std::size_t at, Known::Kind kind) const {
  const auto found = shared_->known.find(at);
  return found != shared_->known.end() && found->second.kind == kind ? &found->second : nullptr;
}

/// Whether the present chunk has been read. The padding before what follows may be part of it.
bool ValueReader::is_at_end_of_chunk() const noexcept { return in_.remaining() <= ((0 - in_.offset()) & 3); }

/// Reads a tag between chunks.
std::uint32_t ValueReader::get_outside() {
  open_window();
  return Decoder::read_once(in_.get<std::uint32_t>());
}

bool ValueReader::next_chunk(Decoder& in) {
  const std::uint8_t* const at = in.pos_;
  const bool ended = ended_ != 0 && ended_ <= level_;
  const std::uint32_t bytes = ended ? 0 : get_outside();
  in.chunks_ = this;
  if (tags::is_chunk(bytes) && bytes <= in.remaining()) {
    in.end_ = in.pos_ + bytes;
    return true;
  }
  if (in.ok()) in.pos_ = in.end_ = at;
  in.fail(tags::is_chunk(bytes) ? Fault::bad_length : Fault::truncated);
  return false;
}

std::size_t ValueReader::later_bytes(const Decoder& in) const noexcept {
  return static_cast<std::size_t>(end_ - in.end_);
}

std::uint8_t* ValueReader::storage(std::size_t bytes) try {
  return shared_->gathered.emplace_back(std::make_unique<std::uint8_t[]>(bytes)).get();
} catch (const std::bad_alloc&) {
  return nullptr;
}

/// Reads the tag of a value. Values begin between chunks; null and indirections are data of a chunk, but are
/// also accepted between chunks.
std::uint32_t ValueReader::read_tag() {
  if (level_ == 0) return Decoder::read_once(in_.get<std::uint32_t>());
  if (is_at_end_of_chunk()) {
    in_.pos_ = in_.end_;
    if (ended_ != 0 && ended_ <= level_) return in_.fail(Fault::bad_value), tags::kNull;
    const std::uint8_t* const at = in_.pos_;
    const std::uint32_t tag = get_outside();
    if (!tags::is_chunk(tag)) return tag;
    if (in_.ok()) in_.pos_ = at;
    close_window();
  }
  const std::uint32_t tag = Decoder::read_once(in_.get<std::uint32_t>());
  if (tag != tags::kNull && tag != tags::kIndirection) in_.fail(Fault::bad_value);
  return tag;
}

/// Reads an indirection's offset. Returns that to which it refers; 0 after a fault: nothing begins there.
std::size_t ValueReader::read_target() {
  in_.align(4);
  const std::size_t at = in_.offset();
  const auto distance = in_.get<std::int32_t>();
  if (in_.ok() && distance < -4 && static_cast<std::size_t>(-static_cast<std::int64_t>(distance)) <= at)
    return at - static_cast<std::size_t>(-static_cast<std::int64_t>(distance));
  in_.fail(Fault::bad_value);
  return 0;
}

/// Reads a repository id or a URL, or an indirection to an earlier one.
std::string_view ValueReader::read_text() {
  in_.align(4);
  const std::size_t at = in_.offset();
  const std::uint8_t* const before = in_.pos_;
  if (in_.get<std::uint32_t>() == tags::kIndirection) {
    const Known* const known = find(read_target(), Known::Kind::text);
    if (known == nullptr) return in_.fail(Fault::bad_value), std::string_view();
    // It is compared with known ids each time, and may be as long as the message.
    in_.count_steps(known->ids[0].size());
    return known->ids[0];
  }
  if (in_.ok()) in_.pos_ = before;
  const std::string_view text = in_.get_string_view();
  if (in_.ok()) shared_->known.emplace(at, Known{Known::Kind::text, 0, nullptr, {text}});
  return text;
}

void ValueReader::read_ids(Header& header, std::uint32_t tag) {
  switch (tag & tags::kTypeMask) {
    case 0: return;
    case tags::kSingleId: header.ids.push_back(read_text()); return;
    case tags::kIdList: break;
    default: return in_.fail(Fault::bad_value);
  }
  header.is_list = true;
  in_.align(4);
  const std::size_t at = in_.offset();
  const std::uint8_t* const before = in_.pos_;
  if (in_.get<std::uint32_t>() == tags::kIndirection) {
    const Known* const known = find(read_target(), Known::Kind::list);
    if (known == nullptr) return in_.fail(Fault::bad_value);
    header.ids = known->ids;
    for (const std::string_view each : header.ids) in_.count_steps(each.size() + 1);
    return;
  }
  if (in_.ok()) in_.pos_ = before;
  const std::uint32_t n = in_.get_length(5);
  if (n == 0) return in_.fail(Fault::bad_value);
  for (std::uint32_t i = 0; i < n && in_.ok(); ++i) header.ids.push_back(read_text());
  if (in_.ok()) shared_->known.emplace(at, Known{Known::Kind::list, 0, nullptr, header.ids});
}

void ValueReader::read_value_header(Header& header, std::uint32_t tag) {
  header.kind = Header::Kind::value;
  header.at = in_.offset() - 4;
  header.is_chunked = (tag & tags::kChunked) != 0;
  if (tag > tags::kLast || (level_ > 0 && !header.is_chunked)) return in_.fail(Fault::bad_value);
  if ((tag & tags::kCodebase) != 0) read_text();
  read_ids(header, tag);
  if (in_.ok()) shared_->known.emplace(header.at, Known{Known::Kind::value, level_, nullptr, {}});
}

ValueReader::Header ValueReader::read_header() {
  Header header;
  const std::uint32_t tag = read_tag();
  if (tag == tags::kIndirection) {
    header.kind = Header::Kind::indirection;
    header.at = read_target();
  } else if (tags::is_value(tag)) {
    read_value_header(header, tag);
  } else if (tag != tags::kNull) {
    in_.fail(Fault::bad_value);
  }
  if (in_.chunks_ == nullptr && header.kind != Header::Kind::value) close_window();  // between chunks
  return in_.ok() ? header : Header();
}

void ValueReader::begin_state(const Header& header) {
  if (!header.is_chunked) return;
  ++level_;
  close_window();
}

/// Reads to the end tag of the innermost value.
void ValueReader::skip_state(bool may_skip) {
  if (ended_ != 0 && ended_ <= level_) return;
  if (!is_at_end_of_chunk() && !may_skip) return in_.fail(Fault::bad_value);
  if (in_.ok()) in_.pos_ = in_.end_;
  const int own = level_;
  int level = own;  // of the values that are skipped
  while (in_.ok()) {
    const std::uint32_t tag = get_outside();
    const auto number = static_cast<std::int32_t>(tag);
    if (!in_.ok()) return;
    if (number < 0) {
      if (number < -level) return in_.fail(Fault::bad_value);
      if (-number > own) {
        level = -number - 1;
        continue;
      }
      ended_ = -number;
      return;
    }
    if (!may_skip) return in_.fail(Fault::bad_value);
    if (tags::is_chunk(tag)) {
      in_.skip(tag);
    } else if (tags::is_value(tag)) {
      Header skipped;
      level_ = level;
      read_value_header(skipped, tag);
      level_ = own;
      ++level;
    }
  }
}

void ValueReader::end_state(const Header& header, bool skips_rest) {
  if (!header.is_chunked) return;
  if (in_.ok()) skip_state(skips_rest);
  if (ended_ == level_) ended_ = 0;
  --level_;
  open_window();
  close_window();
}

Value ValueReader::known_object(std::size_t at) const {
  const Known* const known = find(at, Known::Kind::value);
  return known == nullptr ? nullptr : known->value;
}

Value ValueReader::known_value(std::size_t at, const ValueType& formal) {
  if (const Known* const known = find(at, Known::Kind::value); known != nullptr && known->value != nullptr) {
    if (!known->is_open || accepts_cycles.load(std::memory_order_relaxed)) return known->value;
    log_cycle();
    in_.fail(Fault::bad_value);
    return nullptr;
  }
  // It was skipped, copied within an any, or precedes what this reader knows.
  Value value;
  reread(at, [&](Decoder& again) { value = ValueReader::of(again)->read(formal); });
  return value;
}

/// Makes an empty value of the first type that this program knows: with a list, the value may be truncated.
Value ValueReader::make(const Header& header, const ValueType& formal, bool& truncates) {
  if (header.ids.empty()) {
    if (formal.abstract_) return in_.fail(Fault::bad_value), nullptr;
    if (Value value = values::make(formal.id); value != nullptr) return value;
    log_missing_factory(formal.id);
  } else {
    for (const std::string_view id : header.ids) {
      if (Value value = values::make(id); value != nullptr) return value;
      if (!header.is_chunked) break;
      truncates = true;
    }
    log_missing_factory(header.ids[0]);
  }
  in_.fail(Fault::no_value_factory);
  return nullptr;
}

Value ValueReader::read_state(const Header& header, const ValueType& formal) {
  bool truncates = false;
  Value value = make(header, formal, truncates);
  if (value == nullptr) return nullptr;
  Known& known = shared_->known[header.at];
  known.value = value;
  known.is_open = true;
  begin_state(header);
  value->_decode_state(in_);
  known.is_open = false;
  end_state(header, truncates || values::is_custom(value->_value_type()));
  return value;
}

Value ValueReader::read(const ValueType& formal) {
  const Header header = read_header();
  if (header.kind == Header::Kind::null || !enter()) return nullptr;
  Value value =
      header.kind == Header::Kind::indirection ? known_value(header.at, formal) : read_state(header, formal);
  leave();
  return in_.ok() ? value : nullptr;
}

ValueReadScope::ValueReadScope(Decoder& in)
    : reader_(ValueReader::of(in) == nullptr ? std::make_unique<ValueReader>(in, ValueReader::Earlier::none)
                                             : nullptr) {}
ValueReadScope::~ValueReadScope() = default;

Value decode_value(Decoder& in, const ValueType& formal) {
  if (ValueReader* const reader = ValueReader::of(in)) return reader->read(formal);
  return ValueReader(in, ValueReader::Earlier::unknown).read(formal);
}

}  // namespace orbweaver::cdr

namespace orbweaver {

void accept_cyclic_values(bool accept) noexcept {
  cdr::accepts_cycles.store(accept, std::memory_order_relaxed);
}

}  // namespace orbweaver
