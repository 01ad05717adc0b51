#include <cstddef>
#include <utility>
#include <vector>

// Used by the snippets, before and after their declarations.
struct Source {
  void pause();
  void resume();
};
void reject();
template <class Packet>
void process(const Packet&);

// snippet

void watermarks(Source& source) {
  // snippet
}
