// main() of a component that is an executable; orbweaver_component() compiles it into the program.
#include <orbweaver/sca/component_process.h>

int main(int argc, char** argv) {
  return orbweaver::sca::run_components(argc, argv, [](const std::vector<std::string>& arguments) {
    return std::vector<orbweaver::sca::ComponentRequest>{{&orbweaver_make_component, arguments}};
  });
}
