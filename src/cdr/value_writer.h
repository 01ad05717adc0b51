#pragma once

#include <orbweaver/value.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace orbweaver::cdr {

/// Writes the values of one space of indirections into an encoder over a vector (CORBA 3.3 part 2, 9.3.4). It
/// is the writer of that encoder while it exists; on the stack.
class ValueWriter {
 public:
  explicit ValueWriter(Encoder& out);
  ~ValueWriter();
  ValueWriter(const ValueWriter&) = delete;
  ValueWriter& operator=(const ValueWriter&) = delete;

  /// The writer of `out` of this thread; null if there is none.
  static ValueWriter* of(const Encoder& out) noexcept;

  /// Writes a value, null, or an indirection to where it was written before.
  void write(const CORBA::ValueBase* value);

  /// What precedes the state of a value.
  struct Header {
    std::vector<std::string_view> ids;  ///< Most derived first; empty: that of the formal type.
    bool is_list = false;
    bool is_chunked = false;
  };
  /// Begins a value, ends the present chunk before. Returns the offset at which it begins, for indirections.
  std::size_t begin_value(const Header& header);
  /// Ends the value that was begun last.
  void end_value(bool is_chunked);
  void put_null() { out_.put(std::uint32_t{0}); }
  /// Refers to what begins at an earlier offset.
  void put_indirection(std::size_t target);
  /// Whether values are being written in chunks: values within them are too.
  bool in_chunks() const noexcept { return level_ > 0; }
  /// Counts nesting; raises MARSHAL beyond the limit.
  void enter();
  void leave() noexcept { --depth_; }

 private:
  void begin_chunk();
  void end_chunk();
  void put_id(std::string_view id);

  Encoder& out_;
  ValueWriter* const outer_;                    // of this thread
  std::map<std::size_t, std::size_t> written_;  // by the addresses of values
  // What custom marshalling has written must exist as long as its address is known.
  std::vector<CORBA::object_reference<const CORBA::ValueBase>> held_;
  std::map<std::string, std::size_t, std::less<>> ids_;  // and lists of ids, each with a space behind it
  int level_ = 0;                                        // of nesting of values in chunks
  int depth_ = 0;
  std::size_t chunk_ = 0;        // offset of the length of the open chunk; 0: none
  std::size_t end_tag_end_ = 0;  // behind the last end tag; 0: none
};

}  // namespace orbweaver::cdr
