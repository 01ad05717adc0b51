// An omniORB client of a file manager and a file system of Orbweaver (omniorb_files.cpp), from the same
// CF.idl.
#include <gtest/gtest.h>

#include "sca/files/file_manager.h"
#include "sca/files/testing/served_folder.h"
#include "server.h"

namespace interop {
namespace {

using orbweaver::sca::testing::TemporaryFolder;
using orbweaver::sca::testing::TestOrb;

TEST(OmniOrbUsesFilesOfOrbweaver, ReadsWritesListsAndMounts) {
  const TemporaryFolder folder;
  TestOrb server({"-ORBListen", "tcp:127.0.0.1:0"});
  const auto servant = CORBA::make_reference<orbweaver::sca::MountedFileManager>();
  const auto manager =
      IDL::traits<CF::FileManager>::narrow(server.poa->id_to_reference(server.poa->activate_object(servant)));
  manager->mount("/disk", orbweaver::sca::make_file_system(folder.path().string(), server.poa));

  const ProgramResult result =
      run_program(sibling_program("interop-omniorb-files"), {server.orb->object_to_string(manager)});
  const std::string ebadf = std::to_string(static_cast<unsigned>(CF::ErrorNumberType::CF_EBADF));
  const std::string einval = std::to_string(static_cast<unsigned>(CF::ErrorNumberType::CF_EINVAL));
  EXPECT_EQ(result.output,
            "size 18, at 8: by\n"
            "read: written by omniORB\n"
            "IOException " +
                ebadf +
                ": /a/b/file: it was opened to be read only\n"
                "InvalidFileName " +
                einval +
                ": '/disk/../file': '..' is not allowed in it\n"
                "listed: file, 18 octets, MODIFIED_TIME: known\n"
                "mounted: served by omniORB\n"
                "mount: /disk\n"
                "mount: /omni\n");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(folder.content("a/b/file"), "written by omniORB");
  EXPECT_EQ(folder.content("hello"), "served by omniORB");
}

}  // namespace
}  // namespace interop
