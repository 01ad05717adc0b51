#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <orbweaver/services/log_service.h>

#include <limits>
#include <optional>
#include <stdexcept>
#include <thread>

#include "CosLwLogC.h"
#include "services/events/testing/peers.h"
#include "services/log/record_store.h"

namespace orbweaver::services {
namespace {

using testing::becomes_true;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

CosLwLog::ProducerLogRecord record(const std::string& data, std::uint16_t level = CosLwLog::USAGE_ERROR,
                                   const std::string& producer = "modem") {
  return {producer, "name of " + producer, level, data};
}

/// The size of a record of this text.
std::size_t size(const std::string& data) { return size_of({0, 0, "modem", "name of modem", 0, data}); }

/// A log in an ORB of its own, and its object for another one.
class Log : public ::testing::Test {
 protected:
  void create(const LogOptions& options = {}) {
    hosted.emplace(host.root, options);
    log = client.to<CosLwLog::Log>(host, hosted->reference());
  }
  /// Writes records by one-way calls, and waits until the log has received them.
  void write(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) log->write_record(record(text));
    log->get_n_records();
  }
  std::vector<std::string> texts(const CosLwLog::LogRecordSequence& records) {
    std::vector<std::string> found;
    for (const auto& each : records) found.push_back(each.info().logData());
    return found;
  }
  std::vector<std::string> all() {
    std::uint32_t limit = 100;
    std::uint64_t id = 0;
    return texts(log->retrieve_records(id, limit));
  }

  testing::Orb host, client;
  std::optional<LightweightLog> hosted;
  IDL::traits<CosLwLog::Log>::ref_type log;
  std::uint64_t next = 0;
  std::uint32_t count = 0;
};

TEST_F(Log, StoresRecordsWithIdAndTime) {
  create();
  log->write_records({record("a", CosLwLog::SECURITY_ALARM, "left"), record("b", 12, "right")});
  ASSERT_EQ(log->get_n_records(), 2u);
  count = 10;
  const auto records = log->retrieve_records(next, count);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(next, 3u);
  EXPECT_EQ(records[0].id(), 1u);
  EXPECT_EQ(records[0].info().producerId(), "left");
  EXPECT_EQ(records[0].info().producerName(), "name of left");
  EXPECT_EQ(records[1].info().level(), 12);
  EXPECT_EQ(records[1].id(), 2u);
  EXPECT_GT(records[0].time().seconds(), 1'700'000'000);
  EXPECT_EQ(log->get_current_size(), hosted->counts().bytes);
}

TEST_F(Log, IsReadInParts) {
  create();
  write({"a", "b", "c", "d", "e"});
  count = 2;
  EXPECT_THAT(texts(log->retrieve_records(next, count)), ElementsAre("a", "b"));
  EXPECT_EQ(next, 3u);
  EXPECT_THAT(texts(log->retrieve_records(next, count)), ElementsAre("c", "d"));
  count = 100;
  EXPECT_THAT(texts(log->retrieve_records(next, count)), ElementsAre("e"));
  EXPECT_EQ(count, 1u);
  count = 100;
  EXPECT_THAT(log->retrieve_records(next, count), IsEmpty());
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(next, 6u) << "the next record to come";
  next = std::numeric_limits<std::uint64_t>::max();
  count = std::numeric_limits<std::uint32_t>::max();
  EXPECT_THAT(log->retrieve_records(next, count), IsEmpty());
  EXPECT_EQ(next, 6u);
  count = 0;
  EXPECT_THAT(log->retrieve_records(next = 1, count), IsEmpty());
  EXPECT_EQ(next, 1u);
}

TEST_F(Log, LimitsTheSizeOfAReply) {
  LogOptions options;
  options.reply_bytes = size("a") * 2;
  create(options);
  write({"a", "b", "c", std::string(10'000, 'd')});
  count = 100;
  EXPECT_THAT(texts(log->retrieve_records(next, count)), ElementsAre("a", "b"));
  count = 100;
  EXPECT_THAT(texts(log->retrieve_records(next, count)), ElementsAre("c"));
  count = 100;
  EXPECT_EQ(log->retrieve_records(next, count).size(), 1u);
  EXPECT_EQ(next, 5u);
}

TEST_F(Log, SelectsRecordsByLevelAndProducer) {
  create();
  log->write_records({record("1", 1, "a"), record("2", 2, "b"), record("3", 1, "b"), record("4", 3, "c")});
  ASSERT_EQ(log->get_n_records(), 4u);
  count = 100;
  EXPECT_THAT(texts(log->retrieve_records_by_level(next, count, {1, 3})), ElementsAre("1", "3", "4"));
  EXPECT_EQ(next, 5u);
  count = 1;
  EXPECT_THAT(texts(log->retrieve_records_by_producer_id(next = 0, count, {"b"})), ElementsAre("2"));
  EXPECT_THAT(texts(log->retrieve_records_by_producer_id(next, count, {"b"})), ElementsAre("3"));
  count = 100;
  EXPECT_THAT(texts(log->retrieve_records_by_producer_name(next = 0, count, {"name of c", "name of a"})),
              ElementsAre("1", "4"));
  count = 100;
  EXPECT_THAT(log->retrieve_records_by_level(next = 0, count, {}), IsEmpty());
}

TEST_F(Log, OverwritesItsOldestRecordsWhenFull) {
  LogOptions options;
  options.max_size = size("x") * 3;
  create(options);
  write({"1", "2", "3", "4", "5"});
  EXPECT_THAT(all(), ElementsAre("3", "4", "5"));
  EXPECT_FALSE(log->get_availability_status().log_full());
  write({std::string(options.max_size, 'x')});
  EXPECT_THAT(all(), ElementsAre("3", "4", "5")) << "a record larger than the log is discarded";
  EXPECT_EQ(hosted->counts().overwritten, 2u);
  EXPECT_EQ(hosted->counts().discarded_full, 1u);
}

TEST_F(Log, HaltsWhenFull) {
  LogOptions options;
  options.max_size = size("x") * 2;
  options.halt_when_full = true;
  create(options);
  EXPECT_EQ(log->get_log_full_action(), CosLwLog::LogFullAction::HALT);
  write({"1", "2"});
  EXPECT_FALSE(log->get_availability_status().log_full());
  write({"3"});
  EXPECT_TRUE(log->get_availability_status().log_full());
  EXPECT_THAT(all(), ElementsAre("1", "2"));
  log->set_max_size(size("x") * 3);
  EXPECT_FALSE(log->get_availability_status().log_full());
  write({"4", "5"});
  EXPECT_TRUE(log->get_availability_status().log_full());
  log->set_log_full_action(CosLwLog::LogFullAction::WRAP);
  EXPECT_FALSE(log->get_availability_status().log_full());
  write({"6"});
  EXPECT_THAT(all(), ElementsAre("2", "4", "6"));
}

TEST_F(Log, LimitsTheNumberOfRecords) {
  LogOptions options;
  options.max_records = 2;
  create(options);
  write({"", "", ""});
  EXPECT_EQ(log->get_n_records(), 2u);
}

TEST_F(Log, AcceptsPossibleSizesOnly) {
  LogOptions options;
  options.size_limit = 1 << 21;
  create(options);
  write({"1", "2"});
  EXPECT_THROW(log->set_max_size(0), CosLwLog::InvalidParam);
  EXPECT_THROW(log->set_max_size(size("1")), CosLwLog::InvalidParam);
  EXPECT_THROW(log->set_max_size((1 << 21) + 1), CosLwLog::InvalidParam);
  EXPECT_EQ(log->get_max_size(), 1u << 20);
  log->set_max_size(1 << 21);
  EXPECT_EQ(log->get_max_size(), 1u << 21);
}

TEST_F(Log, StoresNothingWhileLocked) {
  create();
  write({"1"});
  log->set_administrative_state(CosLwLog::AdministrativeState::locked);
  EXPECT_TRUE(log->get_availability_status().off_duty());
  EXPECT_EQ(log->get_administrative_state(), CosLwLog::AdministrativeState::locked);
  EXPECT_EQ(log->get_operational_state(), CosLwLog::OperationalState::enabled);
  write({"2"});
  EXPECT_THAT(all(), ElementsAre("1"));
  log->set_administrative_state(CosLwLog::AdministrativeState::unlocked);
  write({"3"});
  EXPECT_THAT(all(), ElementsAre("1", "3"));
  EXPECT_EQ(hosted->counts().discarded_locked, 1u);
}

TEST_F(Log, KeepsCountingIdsWhenCleared) {
  create();
  write({"1", "2"});
  log->clear_log();
  EXPECT_EQ(log->get_n_records(), 0u);
  EXPECT_EQ(log->get_current_size(), 0u);
  write({"3"});
  count = 10;
  EXPECT_EQ(log->retrieve_records(next, count).at(0).id(), 3u);
}

TEST_F(Log, EndsByClientsOrItsHost) {
  create();
  log->destroy();
  EXPECT_THROW(log->get_n_records(), CORBA::OBJECT_NOT_EXIST);
  hosted->write({});
  EXPECT_EQ(hosted->counts().records, 0u);
  LogOptions options;
  options.clients_may_destroy = false;
  create(options);
  EXPECT_THROW(log->destroy(), CORBA::NO_PERMISSION);
  hosted.reset();
  EXPECT_THROW(log->get_n_records(), CORBA::OBJECT_NOT_EXIST);
}

TEST_F(Log, IsSharedWithItsHost) {
  create();
  hosted->write({0, 0, "domain", "Domain Manager", CosLwLog::ADMINISTRATIVE_EVENT, "installed"});
  write({"2"});
  EXPECT_THAT(all(), ElementsAre("installed", "2"));
  EXPECT_EQ(hosted->read(2, 10).at(0).data, "2");
  const LogEntry part = hosted->read(1, 1, 4).at(0);
  EXPECT_EQ(part.producer_id + "|" + part.producer_name + "|" + part.data, "doma|Doma|inst");
  EXPECT_EQ(part.level, CosLwLog::ADMINISTRATIVE_EVENT);
}

TEST_F(Log, BoundsMemoryInAFlood) {
  LogOptions options;
  options.max_size = 10'000;
  create(options);
  std::vector<std::thread> producers;
  for (int i = 0; i < 4; ++i) {
    producers.emplace_back([&] {
      for (int k = 0; k < 500; ++k) log->write_record(record(std::string(static_cast<std::size_t>(k), 'x')));
    });
  }
  for (std::thread& producer : producers) producer.join();
  EXPECT_TRUE(becomes_true([&] { return hosted->counts().written == 2000; }));
  EXPECT_LE(log->get_current_size(), 10'000u);
  EXPECT_EQ(hosted->counts().written, hosted->counts().records + hosted->counts().overwritten);
}

TEST(RecordStore, FindsRecordsByTimeAlsoIfTheClockWasSetBack) {
  lwlog::RecordStore store{LogOptions()};
  for (const int time : {10, 20, 30, 5, 40}) store.write({}, time);
  EXPECT_EQ(store.id_from_time(0), 1u);
  EXPECT_EQ(store.id_from_time(11), 2u);
  EXPECT_EQ(store.id_from_time(30), 3u);
  EXPECT_EQ(store.id_from_time(31), 5u);
  EXPECT_EQ(store.id_from_time(41), 6u);
}

TEST(RecordStore, RejectsInvalidOptions) {
  LogOptions options;
  options.max_size = 0;
  EXPECT_THROW(lwlog::RecordStore{options}, std::invalid_argument);
  options.max_size = options.size_limit + 1;
  EXPECT_THROW(lwlog::RecordStore{options}, std::invalid_argument);
}

}  // namespace
}  // namespace orbweaver::services
