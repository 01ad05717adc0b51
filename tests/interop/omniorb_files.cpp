// interop-omniorb-files MANAGER: an omniORB client of a CF::FileManager with a file system at /disk. It
// writes, reads and lists files there, mounts a file system of its own at /omni and copies a file from it.
// Prints what it has found, a line for each step; exits with 1 if a call raises an exception.
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

#include "CF.hh"

namespace {

constexpr char kHello[] = "served by omniORB";

/// A file with the text kHello.
class HelloFile : public POA_CF::File {
 public:
  char* fileName() override { return CORBA::string_dup("/hello"); }
  CORBA::ULong filePointer() override { return at_; }
  void read(CF::OctetSequence_out data, CORBA::ULong length) override {
    data = new CF::OctetSequence;
    const CORBA::ULong rest = sizeof kHello - 1 - at_;
    data->length(length < rest ? length : rest);
    std::memcpy(data->get_buffer(), kHello + at_, data->length());
    at_ += data->length();
  }
  void write(const CF::OctetSequence&) override {
    throw CF::File::IOException(CF::CF_EBADF, "it cannot be written");
  }
  CORBA::ULong sizeOf() override { return sizeof kHello - 1; }
  void close() override {
    const PortableServer::POA_var poa = _default_POA();
    const PortableServer::ObjectId_var id = poa->servant_to_id(this);
    poa->deactivate_object(id);
  }
  void setFilePointer(CORBA::ULong position) override { at_ = position; }

 private:
  CORBA::ULong at_ = 0;
};

/// A file system with the file "/hello".
class HelloFileSystem : public POA_CF::FileSystem {
 public:
  void remove(const char*) override { throw read_only(); }
  void copy(const char*, const char*) override { throw read_only(); }
  CORBA::Boolean exists(const char* name) override { return std::strcmp(name, "/hello") == 0; }
  CF::FileSystem::FileInformationSequence* list(const char*) override {
    CF::FileSystem::FileInformationSequence_var found = new CF::FileSystem::FileInformationSequence(1);
    found->length(1);
    found[0u].name = "hello";
    found[0u].kind = CF::FileSystem::PLAIN;
    found[0u].size = sizeof kHello - 1;
    return found._retn();
  }
  CF::File_ptr create(const char*) override { throw read_only(); }
  CF::File_ptr open(const char* name, CORBA::Boolean) override {
    if (!exists(name)) throw CF::FileException(CF::CF_ENOENT, "there is only /hello");
    PortableServer::Servant_var<HelloFile> file = new HelloFile;
    return file->_this();
  }
  void mkdir(const char*) override { throw read_only(); }
  void rmdir(const char*) override { throw read_only(); }
  void query(CF::Properties& properties) override {
    properties.length(2);
    properties[0].id = CF::FileSystem::SIZE;
    properties[0].value <<= CORBA::ULongLong{1000};
    properties[1].id = CF::FileSystem::AVAILABLE_SPACE;
    properties[1].value <<= CORBA::ULongLong{100};
  }

 private:
  static CF::FileException read_only() { return CF::FileException(CF::CF_EROFS, "nothing can be changed"); }
};

CF::OctetSequence octets(const std::string& text) {
  CF::OctetSequence bytes;
  bytes.length(static_cast<CORBA::ULong>(text.size()));
  std::memcpy(bytes.get_buffer(), text.data(), text.size());
  return bytes;
}

std::string read(CF::File_ptr file, CORBA::ULong length) {
  CF::OctetSequence_var data;
  file->read(data, length);
  return {reinterpret_cast<const char*>(data->get_buffer()), data->length()};
}

void use(CF::FileManager_ptr manager) {
  manager->mkdir("/disk/a/b");
  const CF::File_var file = manager->create("/disk/a/b/file");
  file->write(octets("written by omniORB"));
  file->setFilePointer(8);
  std::printf("size %u, ", file->sizeOf());
  std::printf("at %u: ", file->filePointer());
  std::printf("%s\n", read(file, 2).c_str());
  file->close();

  const CF::File_var again = manager->open("/disk/a/b/file", true);
  std::printf("read: %s\n", read(again, 1000).c_str());
  try {
    again->write(octets("x"));
  } catch (const CF::File::IOException& e) {
    std::printf("IOException %u: %s\n", static_cast<unsigned>(e.errorNumber), e.msg.in());
  }
  again->close();
  try {
    const CF::File_var none = manager->open("/disk/../file", true);
  } catch (const CF::InvalidFileName& e) {
    std::printf("InvalidFileName %u: %s\n", static_cast<unsigned>(e.errorNumber), e.msg.in());
  }

  CF::FileSystem::FileInformationSequence_var found = manager->list("/disk/a/b/*");
  for (CORBA::ULong i = 0; i < found->length(); ++i) {
    CORBA::ULongLong modified = 0;
    found[i].fileProperties[1].value >>= modified;
    std::printf("listed: %s, %llu octets, %s: %s\n", found[i].name.in(),
                static_cast<unsigned long long>(found[i].size), found[i].fileProperties[1].id.in(),
                modified > 0 ? "known" : "unknown");
  }

  PortableServer::Servant_var<HelloFileSystem> own = new HelloFileSystem;
  const CF::FileSystem_var own_reference = own->_this();
  manager->mount("/omni", own_reference);
  const CF::File_var hello = manager->open("/omni/hello", true);
  std::printf("mounted: %s\n", read(hello, 1000).c_str());
  manager->copy("/omni/hello", "/disk/hello");
  CF::FileManager::MountSequence_var mounts = manager->getMounts();
  for (CORBA::ULong i = 0; i < mounts->length(); ++i) std::printf("mount: %s\n", mounts[i].mountPoint.in());
  manager->unmount("/omni");
}

}  // namespace

int main(int argc, char** argv) {
  const char* options[][2] = {{"endPoint", "giop:tcp:127.0.0.1:"}, {nullptr, nullptr}};
  int status = 0;
  CORBA::ORB_var orb;
  try {
    int none = 0;
    orb = CORBA::ORB_init(none, nullptr, "omniORB4", options);
    const CORBA::Object_var root = orb->resolve_initial_references("RootPOA");
    const PortableServer::POA_var poa = PortableServer::POA::_narrow(root);
    const PortableServer::POAManager_var poa_manager = poa->the_POAManager();
    poa_manager->activate();
    const CORBA::Object_var object = orb->string_to_object(argc > 1 ? argv[1] : "");
    const CF::FileManager_var manager = CF::FileManager::_narrow(object);
    if (CORBA::is_nil(manager)) throw std::runtime_error("it is not a CF::FileManager");
    use(manager);
  } catch (const CORBA::Exception& e) {
    std::printf("unexpected: %s\n", e._name());
    status = 1;
  } catch (const std::exception& e) {
    std::printf("unexpected: %s\n", e.what());
    status = 1;
  }
  std::fflush(stdout);
  if (!CORBA::is_nil(orb)) orb->destroy();
  return status;
}
