#include "outputs/checkpoint/hdf5_reader.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/errors.h"
#include "core/version.h"

// The format: "HDF5 File Format Specification", The HDF Group. Numbers are little-endian; addresses are relative to the
// beginning of the image.
namespace dropmd {
namespace {

using namespace std::string_view_literals;

constexpr std::uint64_t kUndefined = ~std::uint64_t{0};
/// Far more than any checkpoint has, and so few that searching them takes no time.
constexpr std::uint64_t kMostEntries = 64, kMostMessages = 256;

enum MessageType : std::uint64_t {
  kSpace = 0x1,
  kDatatype = 0x3,
  kExternalFiles = 0x7,
  kLayout = 0x8,
  kFilters = 0xB,
  kContinuation = 0x10,
  kSymbolTable = 0x11,
};

/// The image is malformed; converted to an InputError that names what was looked for.
struct Misshapen {};

void require(bool is_right) {
  if (!is_right) throw Misshapen{};
}

/// Bytes that are read from the beginning, never beyond the end.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}

  std::size_t left() const { return bytes_.size(); }
  std::string_view take(std::uint64_t n) {
    require(n <= bytes_.size());
    const std::string_view taken = bytes_.substr(0, n);
    bytes_.remove_prefix(n);
    return taken;
  }
  std::uint64_t number(std::size_t n_bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, take(n_bytes).data(), n_bytes);
    return value;
  }
  void expect(std::string_view bytes) { require(take(bytes.size()) == bytes); }

 private:
  std::string_view bytes_;
};

/// Returns the bytes from an address of the image on.
Bytes at(std::string_view image, std::uint64_t address) {
  require(address <= image.size());
  return Bytes(image.substr(address));
}

/// Returns the address of the root group.
std::uint64_t root_of(std::string_view image) {
  Bytes block(image);
  block.expect("\x89HDF\r\n\x1A\n\0\0\0\0\0\x08\x08\0"sv);  // versions, sizes of addresses and lengths
  block.take(8);                                            // sizes of nodes, flags
  require(block.number(8) == 0);                            // base address
  block.take(8);
  require(block.number(8) <= image.size());  // otherwise the file was truncated
  block.take(8 + 8);
  return block.number(8);
}

/// Calls `call` with the type and the body of each message of an object's header.
template <class Call>
void for_each_message(std::string_view image, std::uint64_t object, const Call& call) {
  Bytes header = at(image, object);
  require(header.number(2) == 1);  // version
  std::uint64_t n_messages = header.number(2);
  require(n_messages <= kMostMessages);
  header.take(4);
  const std::uint64_t n_bytes = header.number(4);
  header.take(4);
  Bytes block(header.take(n_bytes));
  for (std::uint64_t next = kUndefined, next_bytes = 0; n_messages > 0;) {
    if (block.left() < 8) {
      block = Bytes(at(image, std::exchange(next, kUndefined)).take(next_bytes));
      require(block.left() >= 8);
    }
    --n_messages;
    const std::uint64_t type = block.number(2), size = block.number(2), flags = block.number(1);
    block.take(3);
    Bytes body(block.take(size));
    require((flags & 2U) == 0);  // otherwise the body is stored elsewhere
    if (type != kContinuation) {
      call(type, body.take(size));
    } else {
      require(next == kUndefined);
      next = body.number(8), next_bytes = body.number(8);
    }
  }
}

/// Whether a node of symbols has the name; if so, sets `object` to its address.
bool has_symbol(std::string_view image, std::uint64_t node, std::string_view heap, std::string_view name,
                std::uint64_t& object) {
  Bytes symbols = at(image, node);
  symbols.expect("SNOD\x01\0"sv);
  const std::uint64_t n_symbols = symbols.number(2);
  require(n_symbols <= kMostEntries);
  for (std::uint64_t k = 0; k < n_symbols; ++k) {
    Bytes their_name = at(heap, symbols.number(8));
    object = symbols.number(8);
    const bool is_link = symbols.number(4) > 1;
    symbols.take(4 + 16);
    if (their_name.left() <= name.size() || their_name.take(name.size()) != name || their_name.number(1) != 0) continue;
    require(!is_link);
    return true;
  }
  return false;
}

/// Returns the address of the object with that name in a group, if there is one.
std::optional<std::uint64_t> find_child(std::string_view image, std::uint64_t group, std::string_view name) {
  std::string_view addresses;
  for_each_message(image, group, [&](std::uint64_t type, std::string_view body) {
    if (type == kSymbolTable) addresses = body;
  });
  Bytes table(addresses);
  Bytes tree = at(image, table.number(8)), heap = at(image, table.number(8));
  heap.expect("HEAP\0\0\0\0"sv);
  const std::uint64_t heap_bytes = heap.number(8);
  heap.take(8);
  const std::string_view names = at(image, heap.number(8)).take(heap_bytes);
  tree.expect("TREE\0\0"sv);  // of a group, with one level
  const std::uint64_t n_nodes = tree.number(2);
  require(n_nodes <= kMostEntries);
  tree.take(8 + 8);
  for (std::uint64_t k = 0; k < n_nodes; ++k) {
    tree.take(8);
    std::uint64_t object = 0;
    if (has_symbol(image, tree.number(8), names, name, object)) return object;
  }
  return std::nullopt;
}

/// The header of a dataset.
struct Dataset {
  std::string_view type;  ///< of an element: a datatype message
  std::uint64_t rank = 0;
  std::uint64_t dimensions[2] = {1, 1};  ///< rows, columns
  std::string_view bytes;
};

Dataset dataset_at(std::string_view image, std::uint64_t object) {
  std::string_view space_message, layout_message;
  Dataset dataset;
  for_each_message(image, object, [&](std::uint64_t type, std::string_view body) {
    require(type != kExternalFiles && type != kFilters);
    if (type == kSpace) space_message = body;
    if (type == kDatatype) dataset.type = body;
    if (type == kLayout) layout_message = body;
  });
  Bytes space(space_message);
  require(space.number(1) == 1);  // version
  dataset.rank = space.number(1);
  require(dataset.rank <= std::size(dataset.dimensions));
  space.take(6);
  for (std::uint64_t k = 0; k < dataset.rank; ++k) dataset.dimensions[k] = space.number(8);
  Bytes layout(layout_message);
  layout.expect("\x03\x01"sv);  // version; contiguous
  const std::uint64_t address = layout.number(8), n_bytes = layout.number(8);
  if (address != kUndefined) dataset.bytes = at(image, address).take(n_bytes);
  return dataset;
}

/// Returns the address of "/group/.../name"; nullopt if a part does not exist.
std::optional<std::uint64_t> find_object(std::string_view image, std::string_view name) {
  std::optional<std::uint64_t> object = root_of(image);
  while (object && !name.empty()) {
    name.remove_prefix(1);
    const std::size_t end = std::min(name.find('/'), name.size());
    object = find_child(image, *object, name.substr(0, end));
    name.remove_prefix(end);
  }
  return object;
}

Dataset find_dataset(std::string_view image, std::string_view name) {
  const std::optional<std::uint64_t> object = find_object(image, name);
  require(object.has_value());
  return dataset_at(image, *object);
}

constexpr bool is_integer(Hdf5Number number) { return number != Hdf5Number::f64; }
constexpr std::size_t bytes_of(Hdf5Number number) { return number == Hdf5Number::u32 ? 4 : 8; }

/// Whether a datatype message is an integer or IEEE number of that size, little-endian.
bool is_of_type(std::string_view message, Hdf5Number number) {
  Bytes type(message);
  const std::uint64_t head = type.number(1), version = head >> 4U;
  require(version >= 1 && version <= 3);
  const std::uint64_t flags = type.number(3), size = type.number(4);
  if (size != bytes_of(number)) return false;
  const std::uint64_t bits = 8 * size << 16U;  // from bit 0 on, all of them
  if (is_integer(number))
    return (head & 0xFU) == 0 && flags == (number == Hdf5Number::i64 ? 8U : 0U) && type.number(4) == bits;
  return (head & 0xFU) == 1 && flags == 0x3F20 && type.number(4) == bits &&
         // Exponent and mantissa of a double, bias 1023.
         type.take(8) == "\x34\x0B\0\x34\xFF\x03\0\0"sv;
}

}  // namespace

std::string_view Hdf5Reader::numbers(const std::string& name, Hdf5Number number, std::size_t columns,
                                     std::optional<std::size_t> rows) const {
  try {
    const Dataset dataset = find_dataset(image_, name);
    const auto& [n_rows, n_columns] = dataset.dimensions;
    require(is_of_type(dataset.type, number));
    require(dataset.rank == (columns > 1 ? 2 : 1) && n_columns == columns);
    const std::size_t row_bytes = columns * bytes_of(number);
    require(n_rows == dataset.bytes.size() / row_bytes && dataset.bytes.size() % row_bytes == 0);
    require(!rows || n_rows == *rows);
    return dataset.bytes;
  } catch (const Misshapen&) {
    fail(name);
  }
}

bool Hdf5Reader::has(const std::string& name) const {
  try {
    return find_object(image_, name).has_value();
  } catch (const Misshapen&) {
    fail(name);
  }
}

std::string Hdf5Reader::text(const std::string& name) const {
  try {
    const Dataset dataset = find_dataset(image_, name);
    Bytes type(dataset.type);
    const std::uint64_t head = type.number(1), padding_and_set = type.number(3), size = type.number(4);
    // ASCII or UTF-8.
    require((head & 0xFU) == 3 && head >> 4U >= 1 && head >> 4U <= 3 && padding_and_set <= 0x12);
    require(dataset.rank == 0 && size > 0 && size == dataset.bytes.size());
    return std::string(dataset.bytes.substr(0, dataset.bytes.find('\0')));
  } catch (const Misshapen&) {
    fail(name);
  }
}

void Hdf5Reader::require_begin() const {
  try {
    root_of(image_);
  } catch (const Misshapen&) {
    fail("the file");
  }
}

void Hdf5Reader::fail(const std::string& what) const {
  throw InputError({file_},
                   fmt::format("{} is not as in a checkpoint of this version (expected: a checkpoint.h5 of dropmd {})",
                               what, kVersion));
}

}  // namespace dropmd
