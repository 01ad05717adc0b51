#include "sca/device/code_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>

#include <chrono>
#include <filesystem>

#include "sca/files/testing/served_folder.h"

namespace orbweaver::sca {
namespace {

using ::testing::HasSubstr;
using LoadType = CF::LoadableDevice::LoadType;
using testing::TemporaryFolder;
using testing::TestOrb;

/// A cache, and the file system of another process.
struct Caching {
  explicit Caching(const CodeCacheLimits& limits = {}, const std::string& disk = {})
      : cache(disk.empty() ? folder.path("cache").string() : disk, device.poa, limits, {{"sh", "/bin/sh"}}) {
    FileSystemOptions options;
    options.names = FileNameRules::ascii;
    files = device.use(make_file_system(source.path().string(), server.poa, options));
  }

  /// Writes a file that has not been changed for an hour.
  void write(const std::string& name, const std::string& text) {
    source.write(name, text);
    std::filesystem::last_write_time(
        source.path(name), std::filesystem::file_time_type::clock::now() - std::chrono::hours(++hours));
  }
  void load(const std::string& name) { cache.load(files, name, LoadType::EXECUTABLE); }
  std::string text_of(const std::string& name) {
    const std::string path = cache.find(name).path;
    return folder.content(std::filesystem::path(path).lexically_relative(folder.path()).string());
  }
  /// The exception that `call` raises: "LoadFail CF_ENOSPC".
  template <class Call>
  std::string raised(Call call) {
    std::string failure;
    const std::string other = testing::raised_by(
        [&] {
          try {
            call();
          } catch (const CF::LoadableDevice::LoadFail& e) {
            message = e.msg();
            std::ostringstream text;
            text << "LoadFail " << e.errorNumber();
            failure = text.str();
          }
        },
        &message);
    return failure.empty() ? other : failure;
  }

  TemporaryFolder source, folder;
  TestOrb server, device;
  FileSystemRef files;
  CodeCache cache;
  std::string message;
  int hours = 0;
};

TEST(CodeCache, CopiesAFileOnce) {
  Caching caching;
  caching.write("bin/filter", "first");
  caching.load("/bin/filter");
  caching.load("/bin/filter");
  EXPECT_EQ(caching.cache.copies(), 1u);
  EXPECT_EQ(caching.text_of("/bin/filter"), "first");
  EXPECT_EQ(caching.cache.loads(), 2u);
}

TEST(CodeCache, CopiesAFileAgainThatHasChanged) {
  Caching caching;
  caching.write("filter", "first");
  caching.load("/filter");
  caching.write("filter", "again");
  caching.load("/filter");
  EXPECT_EQ(caching.text_of("/filter"), "again");
}

TEST(CodeCache, MakesCopiesExecutable) {
  Caching caching;
  caching.write("filter", "x");
  caching.load("/filter");
  const auto status = std::filesystem::status(caching.cache.find("/filter").path);
  EXPECT_NE(status.permissions() & std::filesystem::perms::owner_exec, std::filesystem::perms::none);
}

TEST(CodeCache, UnloadsAFileAsOftenAsItWasLoaded) {
  Caching caching;
  caching.write("filter", "x");
  caching.load("/filter");
  caching.load("/filter");
  caching.cache.unload("/filter");
  EXPECT_NO_THROW(caching.cache.find("/filter"));
  caching.cache.unload("/filter");
  EXPECT_EQ(caching.raised([&] { caching.cache.find("/filter"); }), "InvalidFileName CF_ENOENT");
  EXPECT_EQ(caching.raised([&] { caching.cache.unload("/filter"); }), "InvalidFileName CF_ENOENT");
}

TEST(CodeCache, KeepsACopyAfterItHasBeenUnloaded) {
  Caching caching;
  caching.write("filter", "x");
  caching.load("/filter");
  caching.cache.unload("/filter");
  caching.load("/filter");
  EXPECT_EQ(caching.cache.copies(), 1u);
}

TEST(CodeCache, LoadsADirectory) {
  Caching caching;
  caching.write("radio/bin/filter", "x");
  caching.write("radio/data", "y");
  caching.load("/radio");
  EXPECT_EQ(caching.text_of("/radio/bin/filter"), "x");
  EXPECT_EQ(caching.text_of("/radio/data"), "y");
  EXPECT_EQ(caching.raised([&] { caching.cache.find("/radio/other"); }), "InvalidFileName CF_ENOENT");
  EXPECT_EQ(caching.raised([&] { caching.cache.find("/radio"); }), "InvalidFileName CF_EISDIR");
}

TEST(CodeCache, TakesAnInstalledProgramForAFileThatDoesNotExist) {
  Caching caching;
  caching.load("/radio/sh");
  EXPECT_EQ(caching.cache.find("/radio/sh").path, "/bin/sh");
  caching.cache.unload("/radio/sh");
  EXPECT_EQ(caching.raised([&] { caching.cache.find("/radio/sh"); }), "InvalidFileName CF_ENOENT");
  caching.write("radio/sh", "x");
  caching.load("/radio/sh");
  EXPECT_EQ(caching.text_of("/radio/sh"), "x");
}

TEST(CodeCache, LeavesAFolderThatAnotherDeviceUses) {
  Caching caching;
  caching.write("filter", "x");
  caching.load("/filter");
  CodeCache other(caching.folder.path("cache").string(), caching.device.poa);
  other.load(caching.files, "/filter", LoadType::EXECUTABLE);
  EXPECT_NE(other.find("/filter").path, caching.cache.find("/filter").path);
  EXPECT_EQ(caching.text_of("/filter"), "x");
}

TEST(CodeCache, RefusesAFolderThatOthersCanWrite) {
  Caching caching;
  std::filesystem::create_directory(caching.folder.path("open"));
  std::filesystem::permissions(caching.folder.path("open"), std::filesystem::perms::all);
  EXPECT_EQ(caching.raised([&] { CodeCache(caching.folder.path("open/x").string(), caching.device.poa); }),
            "FileException CF_EPERM");
}

TEST(CodeCache, RefusesNamesThatLeaveIt) {
  Caching caching;
  for (const char* const name : {"/../filter", "/a/../../filter", "filter", "/"})
    EXPECT_THAT(caching.raised([&] { caching.load(name); }), HasSubstr("InvalidFileName")) << name;
  EXPECT_EQ(caching.raised([&] { caching.load("/missing"); }), "InvalidFileName CF_ENOENT");
}

TEST(CodeCache, RemovesUnusedCopiesWhenSpaceIsNeeded) {
  CodeCacheLimits limits;
  limits.total_bytes = 10;
  Caching caching(limits);
  caching.write("a", "12345");
  caching.write("b", "12345");
  caching.write("c", "12345");
  caching.load("/a");
  caching.load("/b");
  EXPECT_EQ(caching.raised([&] { caching.load("/c"); }), "LoadFail CF_ENOSPC");
  caching.cache.unload("/a");
  caching.load("/c");
  EXPECT_EQ(caching.text_of("/b"), "12345");
  EXPECT_FALSE(std::filesystem::exists(caching.folder.path("cache/files/a")));
}

TEST(CodeCache, RefusesAFileBeyondTheLimit) {
  CodeCacheLimits limits;
  limits.file_bytes = 4;
  Caching caching(limits);
  caching.write("a", "12345");
  EXPECT_EQ(caching.raised([&] { caching.load("/a"); }), "LoadFail CF_EFBIG");
  EXPECT_EQ(caching.cache.loads(), 0u);
}

TEST(CodeCache, ReportsAFullDisk) {
  // A mount namespace of this thread, which executes the functions of the cache: the disk ends with it.
  const TemporaryFolder disk;
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      mount("tmpfs", disk.path().c_str(), "tmpfs", 0, "size=64k,mode=700") != 0)
    GTEST_SKIP() << "only root can mount a small disk";
  {
    Caching caching({}, disk.path().string());
    caching.write("large", std::string(128 << 10, 'x'));
    caching.write("small", "x");
    EXPECT_EQ(caching.raised([&] { caching.load("/large"); }), "LoadFail CF_ENOSPC");
    EXPECT_THAT(caching.message, HasSubstr(disk.path().string() + "/staging/")) << "the full disk";
    EXPECT_TRUE(std::filesystem::is_empty(disk.path("staging")));
    caching.load("/small");
    EXPECT_EQ(caching.cache.loads(), 1u);
  }
  EXPECT_EQ(umount(disk.path().c_str()), 0);
}

/// A file system whose list() reports another size than its files have.
class LyingFileSystem final : public virtual CORBA::servant_traits<CF::FileSystem>::base_type {
 public:
  LyingFileSystem(FileSystemRef files, std::uint64_t size) : files_(std::move(files)), size_(size) {}

  CF::FileSystem::FileInformationSequence list(const std::string& pattern) override {
    auto all = files_->list(pattern);
    for (auto& each : all) each.size(size_);
    return all;
  }
  IDL::traits<CF::File>::ref_type open(const std::string& name, bool read_only) override {
    return files_->open(name, read_only);
  }
  void remove(const std::string&) override {}
  void copy(const std::string&, const std::string&) override {}
  bool exists(const std::string& name) override { return files_->exists(name); }
  IDL::traits<CF::File>::ref_type create(const std::string& name) override { return files_->create(name); }
  void mkdir(const std::string&) override {}
  void rmdir(const std::string&) override {}
  void query(CF::Properties&) override {}

 private:
  const FileSystemRef files_;
  const std::uint64_t size_;
};

TEST(CodeCache, IsNotMisledByAFileSystemThatLiesAboutSizes) {
  Caching caching;
  caching.write("filter", "12345");
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{3}, std::uint64_t{7}, ~std::uint64_t{0}}) {
    const auto servant = CORBA::make_reference<LyingFileSystem>(caching.files, size);
    const auto lying = IDL::traits<CF::FileSystem>::narrow(
        caching.server.poa->id_to_reference(caching.server.poa->activate_object(servant)));
    EXPECT_THAT(caching.raised(
                    [&] { caching.cache.load(caching.device.use(lying), "/filter", LoadType::EXECUTABLE); }),
                HasSubstr("LoadFail"))
        << size;
    EXPECT_TRUE(std::filesystem::is_empty(caching.folder.path("cache/staging"))) << size;
  }
  caching.load("/filter");
  EXPECT_EQ(caching.text_of("/filter"), "12345");
}

}  // namespace
}  // namespace orbweaver::sca
