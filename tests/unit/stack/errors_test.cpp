// Error names and texts against tests/fixtures, which say where each was seen.
#include "stack/errors.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <utility>
#include <vector>

namespace rocdrill {
namespace {

using Row = std::vector<std::string>;

Row split(const std::string& line) {
  Row cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

/// The rows of a fixture without comments and heading.
std::vector<Row> read_fixture(const std::string& name, std::size_t columns) {
  const std::string path = std::string(ROCDRILL_SOURCE_DIR "/tests/fixtures/") + name;
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<Row> rows;
  std::string line;
  bool heading = true;
  while (std::getline(file, line)) {
    if (line.starts_with('#')) continue;
    if (!std::exchange(heading, false)) rows.push_back(split(line));
    if (!rows.empty() && rows.back().size() != columns)
      throw std::runtime_error(path + ": " + line);
  }
  return rows;
}

TEST(HsaStatus, NamesAndTextsAreThoseOfRocr) {
  const auto rows = read_fixture("hsa-status.csv", 4);
  ASSERT_EQ(rows.size(), 54u);
  for (const Row& row : rows) {
    const auto status = static_cast<HsaStatus>(std::stoul(row[0], nullptr, 0));
    EXPECT_EQ(name(status), row[1]);
    EXPECT_EQ(text(status), row[2].empty() ? row[1] : row[2]) << row[0];
  }
}

TEST(HsaStatus, EnumeratorsHaveTheirNumbers) {
  EXPECT_EQ(name(HsaStatus::success), "HSA_STATUS_SUCCESS");
  EXPECT_EQ(name(HsaStatus::out_of_resources), "HSA_STATUS_ERROR_OUT_OF_RESOURCES");
  EXPECT_EQ(name(HsaStatus::exception), "HSA_STATUS_ERROR_EXCEPTION");
  EXPECT_EQ(name(HsaStatus::invalid_file), "HSA_STATUS_ERROR_INVALID_FILE");
  EXPECT_EQ(name(HsaStatus::fatal), "HSA_STATUS_ERROR_FATAL");
  EXPECT_EQ(name(HsaStatus::invalid_memory_pool), "HSA_STATUS_ERROR_INVALID_MEMORY_POOL");
  EXPECT_EQ(name(HsaStatus::out_of_registers), "HSA_STATUS_ERROR_OUT_OF_REGISTERS");
}

TEST(HsaStatus, AnUnknownNumberIsShown) {
  EXPECT_EQ(name(static_cast<HsaStatus>(0x1ABC)), "HSA_STATUS(0x1ABC)");
  EXPECT_EQ(text(static_cast<HsaStatus>(0x1ABC)), "HSA_STATUS(0x1ABC)");
  EXPECT_EQ(name(static_cast<HsaStatus>(0xFFFFFFFF)), "HSA_STATUS(0xFFFFFFFF)");
}

TEST(HipError, NamesAndTextsAreThoseOfHip) {
  const auto rows = read_fixture("hip-errors.csv", 5);
  ASSERT_EQ(rows.size(), 76u);
  for (const Row& row : rows) {
    const auto error = static_cast<HipError>(std::stoi(row[0]));
    EXPECT_EQ(name(error), row[1]);
    const bool in_5 = !row[2].empty();
    EXPECT_TRUE(!in_5 || text(error, 5) == row[2]) << row[0];
    EXPECT_EQ(text(error, 6), row[3]) << row[0];
    EXPECT_EQ(text(error), row[3]) << row[0];
    EXPECT_EQ(text(error, 7), row[3]) << row[0];
  }
}

TEST(HipError, EnumeratorsHaveTheirNumbers) {
  EXPECT_EQ(name(HipError::no_device), "hipErrorNoDevice");
  EXPECT_EQ(name(HipError::no_binary_for_gpu), "hipErrorNoBinaryForGpu");
  EXPECT_EQ(name(HipError::shared_object_init_failed), "hipErrorSharedObjectInitFailed");
  EXPECT_EQ(name(HipError::launch_failure), "hipErrorLaunchFailure");
  EXPECT_EQ(name(HipError::not_supported), "hipErrorNotSupported");
}

TEST(HipError, AnUnknownNumberIsHipErrorUnknown) {
  EXPECT_EQ(name(static_cast<HipError>(12345)), "hipErrorUnknown");
  EXPECT_EQ(text(static_cast<HipError>(-1)), "unknown error");
  EXPECT_EQ(text(static_cast<HipError>(-1), 5), "hipErrorUnknown");
}

TEST(Errno, AgreesWithTheCLibrary) {
#ifdef __GLIBC__
  std::size_t named = 0;
  for (int error = 1; error < 4096; ++error) {
    const char* const expected = ::strerrorname_np(error);
    if (expected == nullptr) {
      EXPECT_EQ(errno_name(error), "E?" + std::to_string(error));
      EXPECT_EQ(errno_text(error), "Unknown error " + std::to_string(error));
    } else {
      ++named;
      EXPECT_EQ(errno_name(error), expected);
      EXPECT_EQ(errno_text(error), ::strerrordesc_np(error));
    }
  }
  EXPECT_GT(named, 100u);
#else
  GTEST_SKIP() << "no strerrorname_np";
#endif
}

TEST(Errno, KnownValues) {
  EXPECT_EQ(errno_name(ENOENT), "ENOENT");
  EXPECT_EQ(errno_text(ENOENT), "No such file or directory");
  EXPECT_EQ(errno_name(ENOTTY), "ENOTTY");
  EXPECT_EQ(errno_text(ENOTTY), "Inappropriate ioctl for device");
  EXPECT_EQ(errno_text(0), "Success");
  EXPECT_EQ(errno_name(0), "E?0");
  EXPECT_EQ(errno_name(-2), "E?-2");
}

}  // namespace
}  // namespace rocdrill
