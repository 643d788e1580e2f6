#include "inputs/csv_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/csv_field.h"
#include "core/errors.h"
#include "tests/support/system/temp_folder.h"

/// Tables that dropmd wrote, whole and damaged.
namespace dropmd {
namespace {

using testing::ElementsAre;

constexpr const char* kHeader = "# dropmd 0.1.0, units: real (length A, energy kcal/mol, time fs, temperature K)\n";

TEST(CsvReader, PassesOverARowThatWasCutAndCountsDamagedOnes) {
  const TempFolder folder;
  CsvReader reader(folder.write("energy.csv", std::string(kHeader) + "step,time\n0,0\n1\n2,4,8\n3,6\r\n4,8"));
  std::vector<std::string> rows;
  while (reader.next()) rows.push_back(std::string(reader.fields()[0]) + ' ' + std::string(reader.fields()[1]));
  EXPECT_THAT(rows, ElementsAre("0 0", "3 6"));
  EXPECT_EQ(reader.skipped(), 2U);
}

TEST(CsvReader, LeavesCommasInATextColumn) {
  const TempFolder folder;
  CsvReader reader(folder.write("events.csv", std::string(kHeader) + "time,name,charge\n1,a,b,c,2\n"), "name");
  ASSERT_TRUE(reader.next());
  EXPECT_THAT(std::vector<std::string>(reader.fields().begin(), reader.fields().end()), ElementsAre("1", "a,b,c", "2"));
}

TEST(CsvReader, FieldsInQuotesHaveCommas) {
  const TempFolder folder;
  const std::string text = R"(a "word", and 2)";
  CsvReader reader(folder.write("ensemble.csv", std::string(kHeader) + "value,end,message\n" + csv_field("[0, 1]") +
                                                    ",finished,\n1,failed," + csv_field(text) + "\n\"open,1\n"));
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(text_of_csv_field(reader.fields()[0]), "[0, 1]");
  EXPECT_EQ(reader.fields()[2], "");
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(text_of_csv_field(reader.fields()[2]), text);
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.skipped(), 1U);
}

TEST(CsvReader, RefusesWhatIsNoTableOfARun) {
  const TempFolder folder;
  EXPECT_THROW(CsvReader(folder.path() / "none.csv"), InputError);
  EXPECT_THROW(CsvReader(folder.write("empty.csv", "")), InputError);
  EXPECT_THROW(CsvReader(folder.write("other.csv", "a,b\n1,2\n")), InputError);
  EXPECT_THROW(CsvReader(folder.write("cut.csv", std::string(kHeader) + "step,ti")), InputError);
}

}  // namespace
}  // namespace dropmd
