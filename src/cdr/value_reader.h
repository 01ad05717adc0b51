#pragma once

#include <orbweaver/value.h>

#include <map>
#include <memory>
#include <string_view>
#include <vector>

namespace orbweaver::cdr {

/// Reads the values of one space of indirections (CORBA 3.3 part 2, 9.3.4): of one message, or of an any. It
/// is the reader of its decoder while it exists. All bytes are untrusted: an indirection must refer to the
/// beginning of an earlier value, chunks and end tags must fit, and the work is limited by the message.
class ValueReader final : public ChunkSource {
 public:
  /// Whether the message may have values before those of this reader, of which it does not know.
  enum class Earlier : std::uint8_t { none, unknown };

  ValueReader(Decoder& in, Earlier earlier);
  ~ValueReader();
  ValueReader(const ValueReader&) = delete;
  ValueReader& operator=(const ValueReader&) = delete;

  /// The reader of `in` of this thread; null if there is none.
  static ValueReader* of(const Decoder& in) noexcept;

  /// Reads a value; null also after a fault.
  CORBA::object_reference<CORBA::ValueBase> read(const ValueType& formal);

  /// The value at an earlier offset, if it has been decoded; else null.
  CORBA::object_reference<CORBA::ValueBase> known_object(std::size_t at) const;

  /// What begins a value, or is in its place.
  struct Header {
    enum class Kind : std::uint8_t { null, indirection, value };
    Kind kind = Kind::null;
    std::size_t at = 0;  ///< Offset of the value, or that to which the indirection refers.
    std::vector<std::string_view> ids;
    bool is_list = false;
    bool is_chunked = false;
  };
  /// Reads a header. After a fault of the decoder it is that of null.
  Header read_header();
  /// Makes and decodes the value whose header has been read; null after a fault.
  CORBA::object_reference<CORBA::ValueBase> read_state(const Header& header, const ValueType& formal);
  /// Begins to read the state of a value, and ends it. `skips_rest`: a part of the state may be unread.
  void begin_state(const Header& header);
  void end_state(const Header& header, bool skips_rest);
  /// Calls `copy(decoder)` with a decoder positioned at the value at an earlier offset, in a chunk or not as
  /// that value was. The bytes read count as steps.
  template <class Copy>
  void reread(std::size_t at, const Copy& copy);
  /// Counts nesting; false, with a fault, beyond the limit.
  bool enter() noexcept;
  void leave() noexcept { --depth_; }

  bool next_chunk(Decoder& in) override;
  std::size_t later_bytes(const Decoder& in) const noexcept override;
  std::uint8_t* storage(std::size_t bytes) override;  // null: out of memory

 private:
  /// What begins at an offset.
  struct Known {
    enum class Kind : std::uint8_t { value, text, list } kind = Kind::value;
    int level = 0;                                    // of nesting of chunks around a value
    CORBA::object_reference<CORBA::ValueBase> value;  // null: skipped or copied
    std::vector<std::string_view> ids;                // a list of ids; or one id, or URL
    bool is_open = false;                             // its state is being read
  };
  /// What the readers of one message share: those of values that are read again, too.
  struct Shared {
    std::map<std::size_t, Known> known;  // by offset
    std::vector<std::unique_ptr<std::uint8_t[]>> gathered;
    int rereads = 0;  // in progress
  };

  ValueReader(Decoder& in, std::shared_ptr<Shared> shared, int level, std::size_t begin);
  std::uint32_t read_tag();
  std::size_t read_target();
  std::string_view read_text();
  const Known* find(std::size_t at, Known::Kind kind) const;
  void read_ids(Header& header, std::uint32_t tag);
  void read_value_header(Header& header, std::uint32_t tag);
  CORBA::object_reference<CORBA::ValueBase> known_value(std::size_t at, const ValueType& formal);
  CORBA::object_reference<CORBA::ValueBase> make(const Header& header, const ValueType& formal,
                                                 bool& truncates);
  void skip_state(bool may_skip);
  bool is_at_end_of_chunk() const noexcept;
  void open_window() noexcept;
  void close_window() noexcept;
  std::uint32_t get_outside();

  Decoder& in_;
  ValueReader* const outer_;  // of this thread
  std::shared_ptr<Shared> shared_;
  const std::uint8_t* const end_;  // of the message
  const std::size_t begin_;        // before this offset there may be values that are unknown
  int level_ = 0;                  // of nesting of values in chunks
  int depth_ = 0;
  int ended_ = 0;  // the values of this and deeper levels have been ended by one tag; 0: none
};

template <class Copy>
void ValueReader::reread(std::size_t at, const Copy& copy) {
  constexpr int kMaxRereads = 16;
  const std::uint8_t* const base = in_.position() - in_.offset();
  const Known* const known = find(at, Known::Kind::value);
  if (at % 4 != 0 || (known == nullptr && at >= begin_) || shared_->rereads >= kMaxRereads)
    return in_.fail(Fault::bad_value);
  Decoder again(base, static_cast<std::size_t>(end_ - base), in_.swaps(), in_.scratch());
  again.broker(in_.broker());
  again.wchar_encoding(in_.wchar_encoding());
  again.skip(at);
  again.count_steps(in_.steps());
  ++shared_->rereads;
  {
    ValueReader reader(again, shared_, known == nullptr ? 0 : known->level, at);
    reader.depth_ = depth_;
    copy(again);
  }
  --shared_->rereads;
  if (!again.ok()) return in_.fail(again.fault());
  in_.count_steps(again.steps() - in_.steps() + again.offset() - at);
}

}  // namespace orbweaver::cdr
