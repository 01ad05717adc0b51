#include "snippetsS.h"

// part
void prefer_tcp(const IDL::traits<Test::Hello>::ref_type& hello) {
  // snippet
}

// part
void take_picture(const std::vector<IDL::traits<Pictures::Stage>::ref_type>& stages,
                  std::uint8_t brightness) {
  constexpr std::size_t kPixels = 1 << 20;
  // snippet
}

class Stage : public virtual CORBA::servant_traits<Pictures::Stage>::base_type {
  // snippet
  orbweaver::HeldView<std::uint8_t> picture_;
  IDL::traits<Pictures::Stage>::ref_type next_;
};

// part
void who_calls() {
  // snippet
}
