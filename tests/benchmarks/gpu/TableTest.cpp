#include "tests/benchmarks/gpu/Table.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace benchmarks;

namespace {

Row copyRow() {
  Row row;
  row.part = "bandwidth";
  row.name = "add";
  row.ours = Times{40, 38};
  row.yardstick = Times{37, 36.5};
  row.against = "copy";
  row.work = 160e6;
  row.rateUnit = "GB/s";
  row.deviation = 2e-8;
  row.bar = atLeastRatio(*row.ratio(), 0.9);
  return row;
}

Row failedRow() {
  Row row;
  row.part = "linear";
  row.name = "odd";
  row.isWrong = true;
  row.remark = "wrong results";
  return row;
}

std::string printed(const std::vector<Row> &rows) {
  char *text = nullptr;
  size_t size = 0;
  std::FILE *file = open_memstream(&text, &size);
  printTable(rows, file);
  std::fclose(file);
  std::string result = text;
  std::free(text);
  return result;
}

} // namespace

TEST(Table, ARowPerCase) {
  EXPECT_EQ(
      printed({copyRow(), failedRow()}),
      "case                 ours    minimum  yardstick    minimum  ratio         rate    error  bar                 against\n"
      "bandwidth: add  40.000 us  38.000 us  37.000 us  36.500 us  0.925  4000.0 GB/s  2.0e-08  ratio >= 0.90, met  copy\n"
      "linear: odd             -          -          -          -      -            -        -  -\n"
      "FAILED linear: odd: wrong results\n");
}

TEST(Table, RatesAreOfTheMedian) {
  Row row = copyRow();
  row.work = 2e9;
  row.rateUnit = "TFLOP/s";
  EXPECT_NEAR(nlohmann::json::parse(jsonLine(row))["rate"].get<double>(), 50, 1e-6);
}

TEST(Table, JsonHasEverything) {
  nlohmann::json line = nlohmann::json::parse(jsonLine(copyRow()));
  EXPECT_EQ(line["case"], "add");
  EXPECT_EQ(line["ours"]["median_us"], 40);
  EXPECT_EQ(line["yardstick"]["minimum_us"], 36.5);
  EXPECT_EQ(line["ratio"], 0.925);
  EXPECT_NEAR(line["rate"].get<double>(), 4000, 1e-6);
  EXPECT_EQ(line["bar"], "ratio >= 0.90");
  EXPECT_EQ(line["met"], true);
  EXPECT_EQ(line["wrong"], false);
  nlohmann::json failed = nlohmann::json::parse(jsonLine(failedRow()));
  EXPECT_TRUE(failed["ours"].is_null());
  EXPECT_TRUE(failed["ratio"].is_null());
  EXPECT_EQ(failed["wrong"], true);
  EXPECT_EQ(failed["remark"], "wrong results");
}

TEST(Table, BarsAreMetOrMissed) {
  EXPECT_TRUE(atLeastRatio(0.9, 0.9).isMet);
  EXPECT_FALSE(atLeastRatio(0.89, 0.9).isMet);
  EXPECT_TRUE(atMost(0.4, 0.5, "<= 0.5 us").isMet);
  EXPECT_FALSE(atMost(0.6, 0.5, "<= 0.5 us").isMet);
}

TEST(Table, TimesHaveAUnit) {
  EXPECT_EQ(timeText(0.4321), "0.432 us");
  EXPECT_EQ(timeText(183.42), "183.4 us");
  EXPECT_EQ(timeText(12'345), "12.35 ms");
}
