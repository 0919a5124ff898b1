// What Process does on top of the system calls of a backend.
#include "stack/process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <deque>

namespace rocdrill {
namespace {

/// A process that can open one file and hands it out in the pieces that the test wants.
class FakeProcess final : public Process {
 public:
  int pid() const override { return 42; }
  const Identity& identity() const override { return who; }
  const Environment& environment() const override { return variables; }

  SysResult<int> open(std::string_view path, int flags) override {
    if (path != "/sys/file") return fail(ENOENT, 5);
    if (!open_errors.empty()) {
      const SysError error = open_errors.front();
      open_errors.pop_front();
      return std::unexpected(error);
    }
    open_flags = flags;
    ++open_files;
    return 3;
  }
  SysResult<void> close(int fd) override {
    EXPECT_EQ(fd, 3);
    --open_files;
    return {};
  }
  SysResult<std::size_t> read(int fd, std::span<std::byte> into) override {
    EXPECT_EQ(fd, 3);
    if (!read_errors.empty() && position >= fail_at) {
      const SysError error = read_errors.front();
      read_errors.pop_front();
      return std::unexpected(error);
    }
    const std::size_t count = std::min({into.size(), piece, content.size() - position});
    std::ranges::copy(std::as_bytes(std::span(content).subspan(position, count)), into.begin());
    position += count;
    return count;
  }
  SysResult<FileStat> stat(std::string_view path) override {
    if (path != "/sys/file") return fail(ENOENT);
    return FileStat{};
  }
  SysResult<std::size_t> write(int, std::span<const std::byte>) override { return fail(ENOSYS); }
  SysResult<int> ioctl(int, unsigned long, void*) override { return fail(ENOSYS); }
  SysResult<void*> mmap(int, std::size_t, int, std::uint64_t) override { return fail(ENOSYS); }
  SysResult<void> munmap(void*, std::size_t) override { return fail(ENOSYS); }
  void store_doorbell(volatile std::uint64_t*, std::uint64_t) override {}
  bool relax() override { return false; }
  void sleep_ns(std::uint64_t) override {}
  SysResult<FileStat> lstat(std::string_view) override { return fail(ENOSYS); }
  SysResult<std::vector<std::string>> list(std::string_view) override { return fail(ENOSYS); }
  SysResult<std::string> readlink(std::string_view) override { return fail(ENOSYS); }

  Identity who;
  Environment variables;
  std::string content;
  std::size_t piece = SIZE_MAX;
  std::size_t position = 0;
  std::size_t fail_at = 0;
  std::deque<SysError> open_errors, read_errors;
  int open_files = 0;
  int open_flags = -1;
};

TEST(ProcessReadFile, ReadsPiecesToTheEnd) {
  for (const std::size_t piece : {std::size_t{1}, std::size_t{1000}, SIZE_MAX}) {
    for (const std::size_t size : {0u, 1u, 4095u, 4096u, 4097u, 50'000u}) {
      FakeProcess process;
      process.piece = piece;
      for (std::size_t i = 0; i < size; ++i) process.content += static_cast<char>(i * 7);
      const auto content = process.read_file("/sys/file");
      ASSERT_TRUE(content);
      EXPECT_EQ(*content, process.content);
      EXPECT_EQ(process.open_files, 0);
      EXPECT_EQ(process.open_flags, O_RDONLY | O_CLOEXEC);
    }
  }
}

TEST(ProcessReadFile, AFileThatCannotBeOpenedKeepsItsError) {
  FakeProcess process;
  const auto content = process.read_file("/sys/other");
  ASSERT_FALSE(content);
  EXPECT_EQ(content.error().error, ENOENT);
  EXPECT_EQ(content.error().event, 5u);
}

TEST(ProcessReadFile, AReadThatFailsKeepsItsErrorAndClosesTheFile) {
  FakeProcess process;
  process.content = std::string(10'000, 'x');
  process.fail_at = 4096;
  process.read_errors = {{EIO, 9}};
  const auto content = process.read_file("/sys/file");
  ASSERT_FALSE(content);
  EXPECT_EQ(content.error().error, EIO);
  EXPECT_EQ(content.error().event, 9u);
  EXPECT_EQ(process.open_files, 0);
}

TEST(ProcessReadFile, RepeatsWhatASignalInterrupted) {
  FakeProcess process;
  process.content = "gfx942\n";
  process.open_errors = {{EINTR, 0}, {EINTR, 0}};
  process.read_errors = {{EINTR, 0}, {EINTR, 0}};
  EXPECT_EQ(process.read_file("/sys/file").value_or("failed"), "gfx942\n");
  EXPECT_EQ(process.open_files, 0);
}

TEST(Process, EnvironmentTellsEmptyFromAbsent) {
  FakeProcess process;
  process.variables = {{"HIP_VISIBLE_DEVICES", ""}, {"ROCR_VISIBLE_DEVICES", "0,1"}};
  EXPECT_EQ(process.env("ROCR_VISIBLE_DEVICES"), "0,1");
  EXPECT_EQ(process.env("HIP_VISIBLE_DEVICES"), "");
  EXPECT_TRUE(process.has_env("HIP_VISIBLE_DEVICES"));
  EXPECT_EQ(process.env("HSA_XNACK"), "");
  EXPECT_FALSE(process.has_env("HSA_XNACK"));
}

TEST(Process, ExistsAsksStat) {
  FakeProcess process;
  EXPECT_TRUE(process.exists("/sys/file"));
  EXPECT_FALSE(process.exists("/sys/other"));
}

TEST(Identity, GroupsAreThePrimaryAndTheSupplementaryOnes) {
  const Identity user{.user = "ana", .uid = 1000, .gid = 1000, .groups = {44, 109}};
  EXPECT_TRUE(user.in_group(1000));
  EXPECT_TRUE(user.in_group(44));
  EXPECT_TRUE(user.in_group(109));
  EXPECT_FALSE(user.in_group(110));
  EXPECT_FALSE(user.in_group(0));
}

}  // namespace
}  // namespace rocdrill
