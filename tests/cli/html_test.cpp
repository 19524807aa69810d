// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "cli/program.hpp"

// Checks the pages of --html: that a strict reader can read them, that they need no other file, and that the pictures
// show the numbers of the JSON report.

namespace ostinato::cli_tests {
namespace {

/// An element of a page, with the text directly inside it.
struct Element {
  std::string name, text;
  std::map<std::string, std::string> attributes;
};

/// Reads a page as strictly as XML demands: every element is closed in order, every attribute is quoted and given once,
/// and & begins a known entity.
class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) {}

  std::vector<Element> read() {
    if (!take("<!DOCTYPE html>")) fail("no DOCTYPE");
    while (problem_.empty() && at_ < text_.size()) step();
    if (problem_.empty() && !open_.empty()) fail(elements_[open_.back()].name + " isn't closed");
    return elements_;
  }

  const std::string& problem() const { return problem_; }

 private:
  void fail(const std::string& why) {
    if (problem_.empty()) problem_ = why + " at " + std::to_string(at_) + ": " + text_.substr(at_, 60);
  }
  bool take(const std::string& token) {
    if (text_.compare(at_, token.size(), token) != 0) return false;
    at_ += token.size();
    return true;
  }
  std::string until(const std::string& stops) {
    const std::size_t end = std::min(text_.find_first_of(stops, at_), text_.size());
    const std::string found = text_.substr(at_, end - at_);
    at_ = end;
    return found;
  }

  void step() {
    if (take("</")) return close(until(">"));
    if (take("<")) return open();
    const std::string found = decoded(until("<"));
    if (!open_.empty()) elements_[open_.back()].text += found;
    if (open_.empty() && found.find_first_not_of("\n ") != std::string::npos) fail("text outside of elements");
  }

  void close(const std::string& name) {
    if (open_.empty() || elements_[open_.back()].name != name) return fail("</" + name + "> closes nothing");
    open_.pop_back();
    ++at_;
  }

  void open() {
    Element e;
    e.name = until(" />");
    if (e.name.empty()) return fail("an element without a name");
    while (take(" ")) attribute(e);
    const bool closed = take("/");
    if (!take(">")) return fail("<" + e.name + " isn't ended");
    elements_.push_back(e);
    if (!closed) open_.push_back(elements_.size() - 1);
  }

  void attribute(Element& e) {
    const std::string name = until("= >");
    if (!take("=\"")) return fail("attribute " + name + " isn't quoted");
    const std::string raw = until("\"<");
    if (!take("\"")) return fail("attribute " + name + " isn't ended");
    if (!e.attributes.emplace(name, decoded(raw)).second) fail("attribute " + name + " is there twice");
  }

  std::string decoded(const std::string& raw) {
    static const std::map<std::string, std::string> known = {
        {"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"#39", "'"}};
    std::string out;
    for (std::size_t k = 0; k < raw.size(); ++k) {
      if (static_cast<unsigned char>(raw[k]) < 0x20 && raw[k] != '\n') fail("a control character");
      if (raw[k] != '&') {
        out += raw[k];
        continue;
      }
      const std::size_t end = raw.find(';', k);
      const auto entity = end == std::string::npos ? known.end() : known.find(raw.substr(k + 1, end - k - 1));
      if (entity == known.end()) {
        fail("& that begins no entity");
        return out;
      }
      out += entity->second;
      k = end;
    }
    return out;
  }

  const std::string& text_;
  std::size_t at_ = 0;
  std::vector<Element> elements_;
  std::vector<std::size_t> open_;
  std::string problem_;
};

class CliHtml : public Cli {
 protected:
  std::vector<Element> page(const std::string& name = "page.html") const { return page_of(contents(path(name))); }

  static std::vector<Element> page_of(const std::string& text) {
    Reader reader(text);
    std::vector<Element> elements = reader.read();
    EXPECT_EQ(reader.problem(), "");
    return elements;
  }

  /// Solves a system on which one method breaks down and another one goes on. Writes page.html and report.json.
  void solve_by_two_methods();
};

std::vector<Element> of_kind(const std::vector<Element>& page, const std::string& name, const std::string& style = "") {
  std::vector<Element> found;
  for (const Element& e : page) {
    const auto has = e.attributes.find("class");
    if (e.name == name && (style.empty() || (has != e.attributes.end() && has->second == style))) found.push_back(e);
  }
  return found;
}

bool has_picture(const std::vector<Element>& page, const std::string& id) {
  return std::any_of(page.begin(), page.end(), [&](const Element& e) {
    return e.name == "svg" && e.attributes.at("id") == id && !e.attributes.at("aria-label").empty();
  });
}

bool says(const std::vector<Element>& page, const std::string& name, const std::string& text) {
  return std::any_of(page.begin(), page.end(),
                     [&](const Element& e) { return e.name == name && e.text.find(text) != std::string::npos; });
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++n;
  return n;
}

const std::string nos3 = std::string(OSTINATO_EXAMPLES_DIR) + "/matrices/nos3.mtx.gz";
const char* const symmetric_indefinite =
    "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 1\n2 1 3\n2 2 1\n3 3 2\n";
/// A right-hand side with which CG meets the negative eigenvalue at once.
const char* const negative_curvature = "%%MatrixMarket matrix array real general\n3 1\n1\n-1\n0.5\n";

void CliHtml::solve_by_two_methods() {
  write("a.mtx", symmetric_indefinite);
  write("b.mtx", negative_curvature);
  ASSERT_EQ(run("solve a.mtx -f b.mtx --precond none --html page.html --json report.json").code, 0);
}

TEST_F(CliHtml, OfEveryCommandIsWellFormedAndHasItsPictures) {
  const std::map<std::string, std::vector<std::string>> pictures = {
      {"solve", {"convergence", "spy", "formats"}},
      {"inspect", {"spy", "formats"}},
      {"compare --budget 2", {"spy", "pairs"}},
      {"tune --tune-budget 0.1", {"spy", "formats"}},
      {"bench --repetitions 1", {"spy", "formats", "roofline"}}};
  for (const auto& [command, ids] : pictures) {
    SCOPED_TRACE(command);
    const Outcome r = run(command + " '" + nos3 + "' --html page.html");
    ASSERT_EQ(r.code, 0) << r.err;
    const auto elements = page();
    for (const std::string& id : ids) EXPECT_TRUE(has_picture(elements, id)) << id;
    EXPECT_TRUE(says(elements, "h1", "ostinato " + command.substr(0, command.find(' '))));
    EXPECT_TRUE(says(elements, "td", "960 x 960, 15,844 entries"));
  }
}

TEST_F(CliHtml, NeedsNoOtherFileAndNoScript) {
  ASSERT_EQ(run("bench '" + nos3 + "' --repetitions 1 --html page.html").code, 0);
  const std::string text = contents(path("page.html"));

  EXPECT_EQ(count(text, "://"), count(text, " xmlns=\"http://www.w3.org/"));
  for (const char* word : {"<script", "<link", "<img", "<iframe", "src=", "href=", "url(", "@import", "onload"})
    EXPECT_EQ(text.find(word), std::string::npos) << word;
  for (const char* word : {"prefers-color-scheme: dark", "@media print"})
    EXPECT_NE(text.find(word), std::string::npos) << word;
}

TEST_F(CliHtml, DrawsEachResidualOfAShortSolve) {
  ASSERT_EQ(run("solve '" + nos3 + "' --html page.html --json report.json").code, 0);
  const std::size_t residuals = report()["history"].size();
  ASSERT_LT(residuals, 400u);

  const auto curves = of_kind(page(), "polyline", "curve");

  ASSERT_EQ(curves.size(), 1u);
  std::istringstream points(curves[0].attributes.at("points"));
  std::vector<double> heights;
  double x = 0, y = 0;
  for (char comma; points >> x >> comma >> y;) heights.push_back(y);
  ASSERT_EQ(heights.size(), residuals);
  for (std::size_t k = 1; k < residuals; ++k) {
    const double before = report()["history"][k - 1], now = report()["history"][k];
    EXPECT_FALSE(now < 0.99 * before && heights[k] <= heights[k - 1]) << k;  // y grows downwards
    EXPECT_FALSE(now > 1.01 * before && heights[k] >= heights[k - 1]) << k;
  }
}

TEST_F(CliHtml, DrawsTheGoalThatTheToleranceGives) {
  write("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n2 2 2\n3 3 4\n");
  write("b.txt", "30\n0\n40\n");  // of norm 50
  for (const auto& [options, goal] : {std::pair{"--rtol 1e-6", "goal 1e-06"},
                                      {"--rtol 1e-6 --atol 1", "goal 0.02"},
                                      {"--rtol 0.1 --atol 1", "goal 0.1"}}) {
    ASSERT_EQ(run("solve a.mtx -b b.txt --precond none --html page.html " + std::string(options)).code, 0) << options;
    const std::string text = contents(path("page.html"));
    EXPECT_NE(text.find(std::string(">") + goal + "<"), std::string::npos) << options;
  }
}

TEST_F(CliHtml, SaysAtTheFootHowThePageWasMade) {
  ASSERT_EQ(run("inspect poisson2d:8 --html page.html").code, 0);

  const std::string text = contents(path("page.html"));

  const std::size_t foot = text.find("<footer>Ostinato ");
  ASSERT_NE(foot, std::string::npos);
  EXPECT_NE(text.find(" UTC: ostinato inspect poisson2d:8 --html page.html</footer>", foot), std::string::npos);
}

TEST_F(CliHtml, DrawsALongSolveInFewerPoints) {
  const Outcome r = run("solve poisson2d:300 --precond none --rtol 1e-10 --html page.html --json report.json");
  ASSERT_EQ(r.code, 0) << r.err;
  ASSERT_GT(report()["history"].size(), 500u);

  const auto curves = of_kind(page(), "polyline", "curve");

  ASSERT_EQ(curves.size(), 1u);
  const std::size_t points = count(curves[0].attributes.at("points"), ",");
  EXPECT_GT(points, 200u);
  EXPECT_LE(points, 402u);
}

TEST_F(CliHtml, MarksWhereAnotherMethodGoesOn) {
  ASSERT_NO_FATAL_FAILURE(solve_by_two_methods());
  const Json changes = report()["changes"];
  ASSERT_GE(changes.size(), 1u);

  const auto elements = page();

  EXPECT_EQ(of_kind(elements, "line", "change").size(), changes.size());
  for (const Json& c : changes) EXPECT_TRUE(says(elements, "text", c["to"].get<std::string>()));
}

TEST_F(CliHtml, DrawsEachEntryOfASmallMatrix) {
  write("a.mtx", symmetric_indefinite);  // five entries: (1, 1) and (1, 2) are one rectangle, as are (2, 1) and (2, 2)
  ASSERT_EQ(run("inspect a.mtx --html page.html").code, 0);
  const auto elements = page();

  const auto paths = of_kind(elements, "path", "d4");

  ASSERT_EQ(paths.size(), 1u);
  EXPECT_EQ(of_kind(elements, "path").size(), 1u);
  EXPECT_EQ(count(paths[0].attributes.at("d"), "M"), 3u);
  EXPECT_TRUE(says(elements, "figcaption", "5 entries, each a cell"));
}

TEST_F(CliHtml, DrawsALargeMatrixAsADensity) {
  ASSERT_EQ(run("inspect poisson2d:100 --html page.html").code, 0);
  const auto elements = page();

  EXPECT_TRUE(says(elements, "figcaption", "49,600 entries in cells of 125 x 125 places"));
  EXPECT_GE(of_kind(elements, "path").size(), 1u);
}

TEST_F(CliHtml, ShowsEachFormatWithItsTimeAndBytes) {
  ASSERT_EQ(run("bench '" + nos3 + "' --repetitions 1 --html page.html --json report.json").code, 0);
  const auto elements = page();
  std::size_t timed = 0;
  const Json formats = report()["formats"];
  for (const Json& row : formats) {
    if (row.contains("why_not")) continue;
    ++timed;
    EXPECT_TRUE(says(elements, "text", row["format"].get<std::string>())) << row;
    EXPECT_TRUE(says(elements, "title", row["format"].get<std::string>() + ": ")) << row;
  }

  ASSERT_GT(timed, 5u);
  EXPECT_EQ(of_kind(elements, "circle", "one").size(), timed);
  EXPECT_EQ(of_kind(elements, "rect", "one").size(), timed);
  EXPECT_EQ(of_kind(elements, "rect", "two").size(), timed);
  EXPECT_EQ(of_kind(elements, "polyline", "roof").size(), 1u);
}

TEST_F(CliHtml, HidesTheRowsThatTheTableHides) {
  for (const std::string& command : {"inspect '" + nos3 + "'", "bench '" + nos3 + "' --repetitions 1"}) {
    SCOPED_TRACE(command);
    const std::string line = command + " --device cpu --html page.html";
    ASSERT_EQ(run(line).code, 0);
    EXPECT_FALSE(says(page(), "td", "cusparse-alg1"));
    EXPECT_TRUE(says(page(), "td", "sliced-ell"));
    ASSERT_EQ(run(line + " --all").code, 0);
    EXPECT_TRUE(says(page(), "td", "cusparse-alg1"));
  }
}

TEST_F(CliHtml, SaysWhyASolveEnded) {
  ASSERT_EQ(run("solve '" + nos3 + "' --maxiter 5 --effort quick --html page.html").code, 1);
  EXPECT_TRUE(says(page(), "p", "the limit of 5 iterations was reached"));
}

TEST_F(CliHtml, MarksWhereAStrongerPreconditionerGoesOn) {
  // A permutation of 200 rows, of very different sizes, and a tiny diagonal: Jacobi makes no way.
  std::string matrix = "%%MatrixMarket matrix coordinate real general\n200 200 400\n";
  for (int i = 0; i < 200; ++i) {
    const std::string row = std::to_string(i + 1) + " ";
    matrix += row + std::to_string((7 * i + 4) % 200 + 1) + " " + std::to_string(1 + (i * i) % 97) + "\n";
    matrix += row + std::to_string(i + 1) + " 0.001\n";
  }
  write("a.mtx", matrix);
  ASSERT_EQ(run("solve a.mtx --html page.html --json report.json").code, 0);
  const Json changes = report()["changes"];
  ASSERT_GE(changes.size(), 1u);
  EXPECT_NE(changes.back()["to"].get<std::string>().find("lu"), std::string::npos) << changes;
  EXPECT_TRUE(says(page(), "text", changes.back()["to"].get<std::string>()));
}

TEST_F(CliHtml, DrawsTheTimeOfEachStageAndTheRecomputedResiduals) {
  ASSERT_NO_FATAL_FAILURE(solve_by_two_methods());
  const Json stages = report()["stages"];
  ASSERT_GE(stages.size(), 2u);

  const auto elements = page();

  for (const Json& s : stages) {
    const std::string name = s["solver"].get<std::string>() + " with " + s["preconditioner"].get<std::string>();
    EXPECT_TRUE(says(elements, "title", name + ": ")) << name;
  }
  std::size_t recomputed = 0;
  for (const Element& e : of_kind(elements, "title")) recomputed += e.text.find("recomputed: ") == 0;
  EXPECT_GE(recomputed, stages.size());
}

TEST_F(CliHtml, RanksPredictedTimesApartFromMeasuredOnes) {
  ASSERT_EQ(run("inspect '" + nos3 + "' --html page.html").code, 0);
  const auto elements = page();
  EXPECT_TRUE(of_kind(elements, "rect", "one").empty() || of_kind(elements, "rect", "faint").empty());
}

TEST_F(CliHtml, EscapesWhatTheUserNames) {
  const std::string name = "<b>&\"x\xFF.mtx";
  write(name, symmetric_indefinite);
  ASSERT_EQ(run("inspect '" + name + "' --html page.html").code, 0);

  EXPECT_EQ(contents(path("page.html")).find("<b>"), std::string::npos);
  EXPECT_TRUE(says(page(), "h1", "<b>&\"x\xEF\xBF\xBD.mtx"));
}

TEST_F(CliHtml, HoldsMatricesWithNothingToDraw) {
  write("empty.mtx", "%%MatrixMarket matrix coordinate real general\n4 4 0\n");
  write("rectangular.mtx", rectangular);
  for (const std::string command : {"inspect empty.mtx", "tune empty.mtx", "bench empty.mtx --repetitions 1",
                                    "inspect rectangular.mtx", "bench rectangular.mtx --repetitions 1"}) {
    SCOPED_TRACE(command);
    const Outcome r = run(command + " --html page.html");
    EXPECT_EQ(r.code, 0) << r.err;
    page();
  }
  write("one.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n");
  EXPECT_EQ(run("solve one.mtx --html page.html").code, 0);
  page();
}

TEST_F(CliHtml, OnTheStandardOutputSendsTheTableElsewhere) {
  const Outcome r = run("inspect '" + nos3 + "' --html -");

  EXPECT_EQ(r.code, 0);
  page_of(r.out);
  EXPECT_NE(r.err.find("15,844 entries"), std::string::npos);
}

TEST_F(CliHtml, ThatCannotBeWrittenIsRefusedBeforeAnyWork) {
  write("a.mtx", symmetric_indefinite);
  for (const std::string command : {"solve", "inspect", "compare", "tune", "bench"}) {
    SCOPED_TRACE(command);
    expect_complaint(run(command + " a.mtx --html missing/page.html"), 3, "missing/page.html");
    expect_complaint(run(command + " a.mtx --html a.mtx"), 2, "a.mtx");
    expect_complaint(run(command + " a.mtx --html same --json ./same"), 2, "same");
    expect_complaint(run(command + " a.mtx --html - --json -"), 2, "standard output");
  }
  expect_complaint(run("solve a.mtx --html - --history -"), 2, "standard output");
  expect_complaint(run("solve a.mtx --html same --history ./same"), 2, "same");
  expect_complaint(run("solve a.mtx --html x --output ./x"), 2, "x");
  EXPECT_EQ(contents(path("a.mtx")), symmetric_indefinite);
}

/// The program of a browser that is installed, or nothing.
std::string browser() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
    const std::string command = std::string("command -v ") + name + " >/dev/null 2>&1";
    if (std::system(command.c_str()) == 0) return name;
  }
  return {};
}

/// Counts, in a browser, the labels of a picture that overlap others or leave it. The script is that of the test: the
/// page has none.
constexpr const char* measure = R"(<script>
let bad = 0, all = 0;
for (const svg of document.querySelectorAll("svg")) {
  const frame = svg.getBoundingClientRect(), boxes = [...svg.querySelectorAll("text")].map(t => t.getBoundingClientRect());
  all += boxes.length;
  boxes.forEach((a, i) => {
    if (a.left < frame.left - 1 || a.right > frame.right + 1 || a.top < frame.top - 1 || a.bottom > frame.bottom + 1) ++bad;
    boxes.slice(i + 1).forEach(b => {
      if (a.left < b.right - 1 && b.left < a.right - 1 && a.top + 3 < b.bottom - 3 && b.top + 3 < a.bottom - 3) ++bad;
    });
  });
}
document.title = "labels " + (all > 0) + " bad " + bad;
</script></body>)";

TEST_F(CliHtml, HasLabelsInABrowserThatDoNotOverlap) {
  const std::string program = browser();
  if (program.empty()) GTEST_SKIP() << "no Chromium is installed";
  const std::string look = " --headless --no-sandbox --disable-gpu --user-data-dir='" + path("profile") +
                           "' --window-size=1000,2000 --virtual-time-budget=2000 --dump-dom 'file://";
  write("a.mtx", symmetric_indefinite);
  write("b.mtx", negative_curvature);
  for (const std::string& command : {"solve '" + nos3 + "'", std::string("solve a.mtx -f b.mtx --precond none"),
                                     "inspect '" + nos3 + "'", "bench '" + nos3 + "' --repetitions 1"}) {
    SCOPED_TRACE(command);
    ASSERT_EQ(run(command + " --html page.html").code, 0);
    std::string text = contents(path("page.html"));
    text.replace(text.rfind("</body>"), 7, measure);
    write("measured.html", text);
    const std::string shown = program + look + path("measured.html") + "' >'" + path("dom") + "' 2>/dev/null";
    const int code = std::system(shown.c_str());
    const std::string dom = contents(path("dom"));
    if (dom.empty()) GTEST_SKIP() << program << " doesn't run here: " << code;
    EXPECT_NE(dom.find("<title>labels true bad 0</title>"), std::string::npos)
        << dom.substr(std::min(dom.find("<title>"), dom.size()), 60);
  }
}

}  // namespace
}  // namespace ostinato::cli_tests
