// orbweaver-device: an executable device of this machine, started by `orbweaver node`.
#include "sca/device/device_program.h"

int main(int argc, char** argv) { return orbweaver::sca::run_executable_device(argc, argv); }
