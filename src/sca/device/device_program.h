#pragma once

namespace orbweaver::sca {

/// The main() of the program `orbweaver-device`: an executable device of this machine in a process of its
/// own. Its command line has ORB options and exec params, id and value in turn: those of SCA 2.2.2
/// (DEVICE_MGR_IOR, PROFILE_NAME, DEVICE_ID, DEVICE_LABEL, Composite_DEVICE_IOR) and those of its PRF.
/// Registers with its device manager and serves until it is released or receives SIGINT, SIGTERM or SIGHUP.
/// Returns the exit status: 0, or 2, with a message on standard error, if it could not begin.
int run_executable_device(int argc, char** argv);

}  // namespace orbweaver::sca
