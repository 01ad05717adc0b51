#include "footprint.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "elf_size.h"
#include "runner.h"

namespace orbweaver::bench {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(ElfSize, IsThatOfAProgramWithoutItsSymbols) {
  const std::string program = own_folder() + "/bench-orbweaver";
  EXPECT_GT(loaded_bytes(program), 10'000u);
  EXPECT_LT(loaded_bytes(program), std::filesystem::file_size(program));
}

TEST(ElfSize, RejectsOtherFiles) {
  const std::string file = ::testing::TempDir() + "no-elf-" + std::to_string(getpid());
  std::ofstream(file) << std::string(4096, 'x');
  EXPECT_THAT([&] { loaded_bytes(file); }, ThrowsMessage<std::runtime_error>(HasSubstr("no ELF file")));
  std::filesystem::resize_file(file, 10);
  EXPECT_THAT([&] { loaded_bytes(file); }, ThrowsMessage<std::runtime_error>(HasSubstr("is truncated")));
  std::filesystem::remove(file);
  EXPECT_THAT([&] { loaded_bytes(file); }, ThrowsMessage<std::runtime_error>(HasSubstr("cannot read")));
}

TEST(Footprint, HasSizesAndMemory) {
  std::ostringstream out, err;
  ASSERT_EQ(run_footprint_command({{"orbweaver"}, "tcp", 1}, own_folder(), "-", out, err), 0) << err.str();
  const auto rows = nlohmann::json::parse(out.str());
  ASSERT_EQ(rows.size(), 1u);
  for (const char* member : {"generated_kib", "libraries_kib", "program_kib", "client_resident_kib",
                             "client_private_kib", "server_resident_kib", "server_private_kib"})
    EXPECT_GT(rows[0][member], 0) << member;
  EXPECT_EQ(rows[0]["rounds_server_private_kib"].size(), 1u);
}

TEST(Footprint, FindsTheGeneratedCodeOfEverySubject) {
  namespace fs = std::filesystem;
  const fs::path build = ::testing::TempDir() + "footprint-" + std::to_string(getpid());
  const std::string program = own_folder() + "/bench-orbweaver";  // stands for an object file
  for (const char* object :
       {"orbweaver/CMakeFiles/bench-orbweaver.dir/bench-orbweaver_idl/benchC.cpp.o",
        "omniorb_pypi/CMakeFiles/bench-omniorb-pypi.dir/bench-omniorb-pypi_omniidl/benchSK.cc.o",
        "grpc/CMakeFiles/bench-grpc.dir/sink.grpc.pb.cc.o",
        "capnp/CMakeFiles/bench-capnp.dir/sink.capnp.c++.o", "ice/CMakeFiles/bench-ice.dir/sink.cpp.o",
        "cyclonedds/CMakeFiles/bench-cyclonedds.dir/sink.c.o",
        "zeromq/CMakeFiles/bench-zeromq.dir/main.cpp.o"}) {
    fs::create_directories((build / "bench" / object).parent_path());
    fs::copy_file(program, build / "bench" / object);
  }
  for (const char* subject : {"orbweaver", "omniorb-pypi", "grpc", "capnp", "ice", "cyclonedds"})
    EXPECT_EQ(size_of_generated_code(subject, build / "bin"), loaded_bytes(program)) << subject;
  for (const char* subject : {"zeromq", "nobody"})
    EXPECT_EQ(size_of_generated_code(subject, build / "bin"), 0u) << subject;
  fs::remove_all(build);
}

TEST(Footprint, NeedsTwoProcesses) {
  std::ostringstream out, err;
  EXPECT_EQ(run_footprint_command({{"orbweaver"}, "inproc", 1}, own_folder(), "", out, err), 2);
  EXPECT_THAT(err.str(), HasSubstr("--transport"));
}

TEST(Footprint, FailsWithoutASubject) {
  std::ostringstream out, err;
  EXPECT_EQ(run_footprint_command({{"nobody"}, "tcp", 1}, own_folder(), "", out, err), 1);
  EXPECT_THAT(err.str(), HasSubstr("nobody"));
}

}  // namespace
}  // namespace orbweaver::bench
