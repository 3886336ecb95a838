#include "file_buffer.hpp"

#include "file_io.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <new>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace copse::remote_buffers {
namespace {

using wire::Code;
using wire::Status;
namespace fs = std::filesystem;

constexpr std::uint64_t kSlot = 1, kLocked = 2, kVerified = 4;
constexpr unsigned kSequenceShift = 3;
// A row is never written this often. A greater number is damage and must not be taken for the
// newest write.
constexpr std::uint64_t kLastSequence = (~std::uint64_t{0} >> kSequenceShift) / 2;
constexpr std::size_t kRecordsAtOnce = 16 * 1024;

constexpr SlotRecord kNeverFilled{};

std::uint64_t sequenceOf(std::uint64_t state) { return state >> kSequenceShift; }

/// Writes a new file under another name and renames it, so that a file with the final name is
/// always complete.
Status makeFile(const fs::path &path, const HeaderBytes &header, const FileLayout &layout) {
  fs::path unfinished = path;
  unfinished += ".new";
  const wire::Descriptor file(::open(
      unfinished.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!file)
    return fileFault("make", unfinished, errno);
  Status status = writeAt(file.number(), 0, header, unfinished);
  if (status.ok() && ::ftruncate(file.number(), static_cast<off_t>(layout.fileBytes())) != 0)
    status = fileFault("make", unfinished, errno);
  if (status.ok() && ::rename(unfinished.c_str(), path.c_str()) != 0)
    status = fileFault("make", path, errno);
  if (!status.ok())
    ::unlink(unfinished.c_str());
  return status;
}

Status checkFile(int file, const fs::path &path, const BufferShape &shape, std::uint32_t replicas,
                 const FileLayout &layout) {
  struct stat info {};
  if (::fstat(file, &info) != 0)
    return fileFault("read", path, errno);
  HeaderBytes header{};
  const auto there = std::min<std::uint64_t>(static_cast<std::uint64_t>(info.st_size),
                                             // The checksum rejects a file that is shorter than a
                                             // header.
                                             header.size());
  if (Status status = readAt(file, 0, std::span(header).first(there), path); !status.ok())
    return status;
  if (Status status = checkHeader(header, shape, replicas); !status.ok())
    return {status.code, path.string() + " " + status.message};
  if (static_cast<std::uint64_t>(info.st_size) != layout.fileBytes())
    return {Code::InvalidOption, path.string() + " has " + std::to_string(info.st_size) +
                                     " bytes, its header says " +
                                     std::to_string(layout.fileBytes())};
  return Status::success();
}

} // namespace

/// Locks a row against other writers. Until publish(), readers see the old row.
class FileBuffer::RowLock {
public:
  explicit RowLock(State &state) : state_(state) {
    for (;;) {
      was_ = state_.load(std::memory_order_acquire);
      if ((was_ & kLocked) != 0)
        state_.wait(was_, std::memory_order_acquire);
      else if (state_.compare_exchange_weak(was_, was_ | kLocked, std::memory_order_acq_rel))
        return;
    }
  }
  ~RowLock() {
    // A reader may have set kVerified meanwhile, so only the lock bit may be cleared.
    if (published_)
      state_.store(next_, std::memory_order_release);
    else
      state_.fetch_and(~kLocked, std::memory_order_release);
    state_.notify_all();
  }
  RowLock(const RowLock &) = delete;
  RowLock &operator=(const RowLock &) = delete;

  bool written() const { return sequenceOf(was_) != 0; }
  std::uint64_t nextSequence() const { return sequenceOf(was_) + 1; }
  unsigned nextSlot() const { return written() ? static_cast<unsigned>(~was_ & kSlot) : 0; }
  void publish() {
    next_ = nextSequence() << kSequenceShift | kVerified | nextSlot();
    published_ = true;
  }

private:
  State &state_;
  std::uint64_t was_ = 0, next_ = 0;
  bool published_ = false;
};

wire::Result<std::shared_ptr<Buffer>> FileBuffer::open(const fs::path &path, BufferShape shape,
                                                       std::uint32_t replicas) {
  auto layout = FileLayout::of(shape, replicas);
  if (!layout)
    return layout.status();
  const auto header = encodeHeader(shape, replicas);
  if (!header)
    return header.status();
  std::error_code error;
  // A symbolic link is an obstacle, wherever it leads: rows behind a dangling link must not be
  // replaced by new ones.
  if (!fs::exists(fs::symlink_status(path, error)))
    if (Status status = makeFile(path, *header, *layout); !status.ok())
      return status;
  wire::Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!file)
    return fileFault("open", path, errno);
  if (Status status = checkFile(file.number(), path, shape, replicas, *layout); !status.ok())
    return status;
  Pages mapping = mapFile(file.number(), layout->fileBytes());
  Pages states = mapZeroes(layout->rows() * sizeof(State));
  if (!mapping || !states)
    return Status{Code::OutOfMemory,
                  "no address space for " + path.string() + " (" + sizeText(shape, replicas) + ")"};
  auto buffer = std::make_shared<FileBuffer>(std::move(shape), replicas, path, std::move(file),
                                             *layout, std::move(mapping), std::move(states));
  if (Status status = buffer->readRecords(); !status.ok())
    return status;
  return std::shared_ptr<Buffer>(std::move(buffer));
}

FileBuffer::FileBuffer(BufferShape shape, std::uint32_t replicas, fs::path path,
                       wire::Descriptor file, FileLayout layout, Pages mapping, Pages states)
    : Buffer(std::move(shape), replicas), path_(std::move(path)), file_(std::move(file)),
      layout_(layout), mapping_(std::move(mapping)), states_(std::move(states)) {}

Status FileBuffer::read(std::uint32_t replica, std::span<const RowPart> parts,
                        std::span<std::byte> bytes) {
  std::byte *to = bytes.data();
  for (const RowPart &part : parts) {
    if (Status status = readPart(replica * shape().rows + part.row, part, to); !status.ok())
      return status;
    to += part.bytes;
  }
  return Status::success();
}

Status FileBuffer::write(std::uint32_t replica, std::span<const RowPart> parts,
                         std::span<const std::byte> bytes) {
  // Adjacent parts of one row are combined into one write.
  const std::byte *from = bytes.data();
  while (!parts.empty()) {
    const std::uint64_t row = parts.front().row;
    std::size_t count = 0;
    std::uint64_t length = 0;
    for (; count < parts.size() && parts[count].row == row; ++count)
      length += parts[count].bytes;
    Status status = writeRow(replica * shape().rows + row, parts.first(count), from);
    if (!status.ok())
      return status;
    from += length;
    parts = parts.subspan(count);
  }
  return Status::success();
}

Status FileBuffer::readRecords() {
  std::vector<RowRecord> records(std::min<std::uint64_t>(layout_.rows(), kRecordsAtOnce));
  for (std::uint64_t first = 0; first < layout_.rows(); first += records.size()) {
    const auto some =
        std::span(records).first(std::min<std::uint64_t>(records.size(), layout_.rows() - first));
    if (Status status =
            readAt(file_.number(), layout_.recordAt(first), std::as_writable_bytes(some), path_);
        !status.ok())
      return status;
    for (std::size_t i = 0; i < some.size(); ++i)
      if (Status status = note(first + i, some[i]); !status.ok())
        return status;
  }
  return Status::success();
}

Status FileBuffer::note(std::uint64_t row, const RowRecord &record) {
  const bool empty = std::all_of(record.begin(), record.end(), [](const SlotRecord &slot) {
    return slot.sequence == 0 && slot.check == 0;
  });
  if (empty)
    return Status::success(); // leaves the page of the row's state unused
  const bool bad0 = record[0].sequence > kLastSequence, bad1 = record[1].sequence > kLastSequence;
  std::uint64_t slot = record[1].sequence > record[0].sequence ? 1 : 0;
  std::uint64_t sequence = std::max<std::uint64_t>(record[slot].sequence, 1);
  if (bad0 || bad1) {
    // Direct the next write to the bad slot and make it the newest. Until then no record has the
    // expected sequence number, so a read of this row reports a checksum error.
    slot = bad0 ? 1 : 0;
    sequence = (bad0 && bad1 ? 0 : record[slot].sequence) + 1;
  }
  if (bad0 && bad1)
    if (Status status = writeAt(file_.number(), layout_.recordAt(row, slot),
                                std::as_bytes(std::span(&kNeverFilled, 1)), path_);
        !status.ok())
      return status;
  state(row).store(sequence << kSequenceShift | slot, std::memory_order_relaxed);
  return Status::success();
}

Status FileBuffer::readPart(std::uint64_t row, const RowPart &part, std::byte *to) {
  std::uint64_t seen = state(row).load(std::memory_order_acquire);
  if (sequenceOf(seen) == 0) {
    // Do not read through the mapping: reading a hole can need a block that a full disk does not
    // have.
    std::fill_n(to, part.bytes, std::byte{0});
    return Status::success();
  }
  if ((seen & kVerified) == 0) {
    if (Status status = verify(row); !status.ok())
      return status;
    seen = state(row).load(std::memory_order_acquire);
  }
  std::copy_n(slot(row, seen).data() + part.offset, part.bytes, to);
  return Status::success();
}

Status FileBuffer::verify(std::uint64_t row) {
  for (;;) {
    std::uint64_t seen = state(row).load(std::memory_order_acquire);
    if ((seen & kVerified) != 0)
      return Status::success();
    SlotRecord record;
    if (Status status = readAt(file_.number(), layout_.recordAt(row, seen & kSlot),
                               std::as_writable_bytes(std::span(&record, 1)), path_);
        !status.ok())
      return status;
    const bool good = record.sequence == sequenceOf(seen) &&
                      record.check == checkOf(slot(row, seen), record.sequence);
    const std::uint64_t now = state(row).load(std::memory_order_acquire);
    // The row was written during the comparison, which may have mixed two writes.
    if ((now | kLocked) != (seen | kLocked))
      continue;
    if (!good)
      return damaged(row);
    state(row).fetch_or(kVerified, std::memory_order_acq_rel);
  }
}

Status FileBuffer::writeRow(std::uint64_t row, std::span<const RowPart> parts,
                            const std::byte *from) {
  RowLock lock(state(row));
  if (parts.size() == 1 && parts[0].bytes == shape().rowBytes)
    return put(row, lock, {from, shape().rowBytes});
  std::vector<std::byte> whole(shape().rowBytes);
  const RowPart all{0, 0, shape().rowBytes};
  if (Status status = readPart(row, all, whole.data()); !status.ok())
    return status;
  for (const RowPart &part : parts) {
    std::copy_n(from, part.bytes, whole.data() + part.offset);
    from += part.bytes;
  }
  return put(row, lock, whole);
}

Status FileBuffer::put(std::uint64_t row, RowLock &lock, std::span<const std::byte> bytes) {
  const SlotRecord record{lock.nextSequence(), checkOf(bytes, lock.nextSequence())};
  const unsigned slot = lock.nextSlot();
  if (Status status = writeAt(file_.number(), layout_.slotAt(row, slot), bytes, path_);
      !status.ok())
    return fault(status.code, row, status.message);
  // Sixteen aligned bytes lie within one page, so a signal cannot tear this write.
  if (Status status = writeAt(file_.number(), layout_.recordAt(row, slot),
                              std::as_bytes(std::span(&record, 1)), path_);
      !status.ok())
    return fault(status.code, row, status.message);
  lock.publish();
  return Status::success();
}

Status FileBuffer::fault(Code code, std::uint64_t row, const std::string &what) const {
  return {code, "remote buffer '" + shape().handle + "', replica " +
                    std::to_string(row / shape().rows) + ", row " +
                    std::to_string(row % shape().rows) + ": " + what};
}

Status FileBuffer::damaged(std::uint64_t row) const {
  return fault(Code::HostFault, row,
               "its bytes do not fit their checksum in " + path_.string() +
                   "; a write was cut short by the end of the machine, or the file was changed; "
                   "write the whole row again");
}

FileBuffer::State &FileBuffer::state(std::uint64_t row) const {
  // The pages are zero, and zero bytes are valid atomics with value 0.
  return *std::launder(reinterpret_cast<State *>(states_.get() + row * sizeof(State)));
}

std::span<const std::byte> FileBuffer::slot(std::uint64_t row, std::uint64_t state) const {
  return {mapping_.get() + layout_.slotAt(row, static_cast<unsigned>(state & kSlot)),
          shape().rowBytes};
}

} // namespace copse::remote_buffers
