// Writes pictures into shared memory, which all stages read in place: blocks-camera REFERENCE…
#include <algorithm>
#include <iostream>
#include <vector>

#include <orbweaver/loan.h>
#include <orbweaver/orb.h>

#include "picturesC.h"

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  std::vector<IDL::traits<Pictures::Stage>::ref_type> stages;
  for (int i = 1; i < argc; ++i)
    stages.push_back(IDL::traits<Pictures::Stage>::narrow(orb->string_to_object(argv[i])));
  constexpr std::size_t kPixels = std::size_t{1} << 20;
  for (std::uint8_t brightness = 1; brightness <= 100; ++brightness) {
    // Waits while the pool is full of pictures that stages keep; PoolFull::raise would raise NO_RESOURCES.
    auto picture = orbweaver::loan<std::uint8_t>(kPixels);
    std::fill(picture.begin(), picture.end(), brightness);
    for (auto& stage : stages) stage->show("picture " + std::to_string(brightness), picture.view());
    // From here on the stages own the picture, and it must not be written to.
  }
  for (auto& stage : stages) std::cout << stage->kept() << '\n';
  for (auto& stage : stages) stage->stop();
  orb->destroy();
} catch (const CORBA::Exception& e) {
  std::cerr << "blocks-camera: " << e << '\n';
  return 1;
}
