// A client of event channels and logs that uses omniORB:
//   services-omniorb-client events IOR EVENTS FILE    is a supplier and a consumer of each kind, and prints
//                                                     what it has counted; destroys the channel when FILE
//                                                     exists
//   services-omniorb-client consume IOR               connects a push consumer, prints "connected", and runs
//   services-omniorb-client log IOR                   writes and reads records
#include <unistd.h>

#include <condition_variable>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <string>

#include <CosEventChannelAdmin.hh>
#include <CosLwLog.hh>
#include <StandardEvent.hh>

namespace {

/// Counters that threads wait for.
class Counter {
 public:
  void add() {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++count_;
    changed_.notify_all();
  }
  int wait_for(int count) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return count_ >= count; });
    return count_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
};

/// An event with a number, and the number of an event.
CORBA::Any event(int number) {
  StandardEvent::DomainManagementObjectRemovedEventType removed;
  removed.producerId = "omniORB";
  removed.sourceId = std::to_string(number).c_str();
  removed.sourceName = "device";
  removed.sourceCategory = StandardEvent::DEVICE;
  CORBA::Any any;
  any <<= removed;
  return any;
}
int number(const CORBA::Any& any) {
  const StandardEvent::DomainManagementObjectRemovedEventType* removed = nullptr;
  if (!(any >>= removed) || removed->sourceCategory != StandardEvent::DEVICE) return -1;
  return std::atoi(removed->sourceId.in());
}

class Consumer : public POA_CosEventComm::PushConsumer {
 public:
  void push(const CORBA::Any& data) override {
    const int expected = ++received_;
    in_order = in_order && number(data) == expected;
    received.add();
  }
  void disconnect_push_consumer() override { disconnected.add(); }
  Counter received, disconnected;
  bool in_order = true;

 private:
  int received_ = 0;
};

class Supplier : public POA_CosEventComm::PushSupplier {
 public:
  void disconnect_push_supplier() override { disconnected.add(); }
  Counter disconnected;
};

class PullConsumer : public POA_CosEventComm::PullConsumer {
 public:
  void disconnect_pull_consumer() override { disconnected.add(); }
  Counter disconnected;
};

/// Supplies three events, of the numbers behind `last`.
class PullSupplier : public POA_CosEventComm::PullSupplier {
 public:
  explicit PullSupplier(int last) : last_(last), end_(last + 3) {}
  CORBA::Any* pull() override { throw CORBA::NO_IMPLEMENT(); }
  CORBA::Any* try_pull(CORBA::Boolean& has_event) override {
    has_event = last_ < end_;
    return new CORBA::Any(has_event ? event(++last_) : CORBA::Any());
  }
  void disconnect_pull_supplier() override { disconnected.add(); }
  Counter disconnected;

 private:
  int last_;
  const int end_;
};

template <class Call>
bool raises_already_connected(Call call) {
  try {
    call();
  } catch (const CosEventChannelAdmin::AlreadyConnected&) {
    return true;
  }
  return false;
}

/// Sends and receives `events` events, and destroys the channel when the file `may_destroy` exists.
void use_events(CosEventChannelAdmin::EventChannel_ptr channel, int events, const char* may_destroy) {
  CosEventChannelAdmin::ConsumerAdmin_var consumers = channel->for_consumers();
  CosEventChannelAdmin::SupplierAdmin_var suppliers = channel->for_suppliers();
  // The POA keeps the servants until the ORB is destroyed.
  const PortableServer::Servant_var<Consumer> consumer_owner(new Consumer);
  Consumer& consumer = *consumer_owner.in();
  CosEventComm::PushConsumer_var consumer_object = consumer._this();
  CosEventChannelAdmin::ProxyPushSupplier_var push_supplier = consumers->obtain_push_supplier();
  bool nil_rejected = false;
  try {
    push_supplier->connect_push_consumer(CosEventComm::PushConsumer::_nil());
  } catch (const CORBA::BAD_PARAM&) {
    nil_rejected = true;
  }
  push_supplier->connect_push_consumer(consumer_object);
  const bool once = raises_already_connected([&] { push_supplier->connect_push_consumer(consumer_object); });
  const PortableServer::Servant_var<PullConsumer> pull_consumer_owner(new PullConsumer);
  PullConsumer& pull_consumer = *pull_consumer_owner.in();
  CosEventComm::PullConsumer_var pull_consumer_object = pull_consumer._this();
  CosEventChannelAdmin::ProxyPullSupplier_var pull_supplier = consumers->obtain_pull_supplier();
  pull_supplier->connect_pull_consumer(pull_consumer_object);

  const PortableServer::Servant_var<Supplier> supplier_owner(new Supplier);
  Supplier& supplier = *supplier_owner.in();
  CosEventComm::PushSupplier_var supplier_object = supplier._this();
  CosEventChannelAdmin::ProxyPushConsumer_var push_consumer = suppliers->obtain_push_consumer();
  bool disconnected = false;
  try {
    push_consumer->push(event(0));
  } catch (const CosEventComm::Disconnected&) {
    disconnected = true;
  }
  push_consumer->connect_push_supplier(supplier_object);
  for (int i = 1; i <= events; ++i) push_consumer->push(event(i));
  consumer.received.wait_for(events);
  const PortableServer::Servant_var<PullSupplier> own_pull_supplier_owner(new PullSupplier(events));
  PullSupplier& own_pull_supplier = *own_pull_supplier_owner.in();
  CosEventComm::PullSupplier_var own_pull_supplier_object = own_pull_supplier._this();
  CosEventChannelAdmin::ProxyPullConsumer_var pull_proxy = suppliers->obtain_pull_consumer();
  pull_proxy->connect_pull_supplier(own_pull_supplier_object);
  const int received = consumer.received.wait_for(events + 3);
  int pulled = 0;
  while (pulled < events + 3) {
    CORBA::Any_var any = pull_supplier->pull();
    if (number(any.in()) != pulled + 1) break;
    ++pulled;
  }
  CORBA::Boolean has_event = true;
  CORBA::Any_var none = pull_supplier->try_pull(has_event);

  while (access(may_destroy, F_OK) != 0) usleep(1000);
  channel->destroy();
  consumer.disconnected.wait_for(1);
  supplier.disconnected.wait_for(1);
  pull_consumer.disconnected.wait_for(1);
  own_pull_supplier.disconnected.wait_for(1);
  std::cout << "received " << received << " in order " << consumer.in_order << " pulled " << pulled
            << " more " << has_event << " connected once " << once << " nil rejected " << nil_rejected
            << " disconnected " << disconnected << std::endl;
}

void consume(CORBA::ORB_ptr orb, CosEventChannelAdmin::EventChannel_ptr channel) {
  const PortableServer::Servant_var<Consumer> consumer_owner(new Consumer);
  Consumer& consumer = *consumer_owner.in();
  CosEventComm::PushConsumer_var object = consumer._this();
  CosEventChannelAdmin::ConsumerAdmin_var admin = channel->for_consumers();
  CosEventChannelAdmin::ProxyPushSupplier_var proxy = admin->obtain_push_supplier();
  proxy->connect_push_consumer(object);
  std::cout << "connected" << std::endl;
  orb->run();
}

void use_log(CosLwLog::Log_ptr log) {
  CosLwLog::ProducerLogRecord record;
  record.producerId = "omniORB";
  record.producerName = "client";
  record.level = CosLwLog::ADMINISTRATIVE_EVENT;
  for (const char* text : {"a", "b", "c"}) {
    record.logData = text;
    log->write_record(record);
  }
  const CORBA::ULongLong records = log->get_n_records();
  CosLwLog::RecordId id = 2;
  CORBA::ULong count = 10;
  CosLwLog::LogRecordSequence_var found = log->retrieve_records(id, count);
  bool rejected = false;
  try {
    log->set_max_size(0);
  } catch (const CosLwLog::InvalidParam& e) {
    rejected = std::string(e.details.in()) != "";
  }
  const CosLwLog::AvailabilityStatus status = log->get_availability_status();
  std::cout << "records " << records << " read " << count << " next " << id << " first "
            << found[0u].info.logData.in() << " level " << found[0u].info.level << " rejected " << rejected
            << " off duty " << status.off_duty << " full " << status.log_full << std::endl;
}

}  // namespace

int main(int argc, char* argv[]) try {
  CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
  CORBA::Object_var root = orb->resolve_initial_references("RootPOA");
  PortableServer::POA_var poa = PortableServer::POA::_narrow(root);
  PortableServer::POAManager_var manager = poa->the_POAManager();
  manager->activate();
  const std::string what = argv[1];
  CORBA::Object_var object = orb->string_to_object(argv[2]);
  if (what == "log") {
    CosLwLog::Log_var log = CosLwLog::Log::_narrow(object);
    use_log(log);
  } else {
    CosEventChannelAdmin::EventChannel_var channel = CosEventChannelAdmin::EventChannel::_narrow(object);
    if (what == "events") {
      use_events(channel, std::atoi(argv[3]), argv[4]);
    } else {
      consume(orb, channel);
    }
  }
  orb->destroy();
} catch (const CORBA::Exception& e) {
  std::cerr << "services-omniorb-client: " << e._name() << '\n';
  return 1;
}
