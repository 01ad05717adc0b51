// Serves one Pictures::Stage and prints its reference: blocks-stage [REFERENCE OF THE NEXT STAGE]
#include <iostream>
#include <numeric>
#include <string>

#include <orbweaver/loan.h>
#include <orbweaver/orb.h>

#include "picturesS.h"

class Stage final : public virtual CORBA::servant_traits<Pictures::Stage>::base_type {
 public:
  Stage(IDL::traits<CORBA::ORB>::ref_type orb, IDL::traits<Pictures::Stage>::ref_type next)
      : orb_(orb), next_(next) {}

  void show(std::string_view title, orbweaver::span<const std::uint8_t> pixels) override {
    title_ = title;  // a string view, too, is valid during the call only
    // Adds a reference to the block; copies the pixels if the transport has no blocks.
    picture_ = orbweaver::hold(pixels);
    if (next_) next_->show(title_, picture_.view());
  }
  std::string kept() override {
    const auto pixels = picture_.view();
    const auto sum = std::accumulate(pixels.begin(), pixels.end(), std::uint64_t{0});
    return title_ + ", " + std::to_string(sum) + ", " +
           (picture_.is_copy() ? "a copy" : "where it was written");
  }
  void stop() override { orb_->shutdown(false); }

 private:
  IDL::traits<CORBA::ORB>::ref_type orb_;
  IDL::traits<Pictures::Stage>::ref_type next_;
  std::string title_;
  orbweaver::HeldView<std::uint8_t> picture_;  // returned to the camera's pool by its last user
};

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  IDL::traits<Pictures::Stage>::ref_type next;
  if (argc > 1) next = IDL::traits<Pictures::Stage>::narrow(orb->string_to_object(argv[1]));
  auto stage = CORBA::make_reference<Stage>(orb, next);
  std::cout << orb->object_to_string(stage->_this()) << std::endl;
  orb->run();
  orb->destroy();
} catch (const CORBA::Exception& e) {
  std::cerr << "blocks-stage: " << e << '\n';
  return 1;
}
