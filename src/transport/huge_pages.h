#pragma once

#include <cstddef>

#include "platform/memory.h"

/// Rings and pools in huge pages, where that is wanted (-ORBHugePages) and the system has some.
namespace orbweaver::transport {

/// For all memory that this process makes from now on. Any thread.
void want_huge_pages(bool wanted) noexcept;
bool huge_pages_wanted() noexcept;

/// May memory be of the system's reserve? Its pages can be taken out of a file by all who may write to it, and who then
/// touches them while the reserve is empty is killed. So only what nobody else can write to.
enum class Reserve : bool { never, may };

/// There are none for `bytes`: one line in the log, once for each kind, says what to set.
void tell_no_huge_pages(const char* what, std::size_t bytes, Reserve reserve);

/// `make(pages)` with the best pages that it succeeds with; with ordinary ones its failure is returned. `bytes` (in huge
/// pages) and `what` are for the message where there are none.
template <class Make>
auto in_best_pages(const char* what, std::size_t bytes, Reserve reserve, Make&& make) {
  using platform::Pages;
  if (!huge_pages_wanted()) return make(Pages::ordinary);
  if (reserve == Reserve::may) {
    if (auto made = make(Pages::reserved)) return made;
  }
  if (platform::has_transparent_pages()) {
    if (auto made = make(Pages::transparent)) return made;
  }
  tell_no_huge_pages(what, bytes, reserve);
  return make(Pages::ordinary);
}

}  // namespace orbweaver::transport
