// solve: the inverse of run between sites: the bandwidth that a utilisation takes, the fewest inner
// steps, the longest latency, the most peers, the largest model.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/arguments.hpp"
#include "apps/progress.hpp"
#include "apps/unknowns.hpp"
#include "sim/base/error.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/report/records.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;
using Json = nlohmann::ordered_json;
using sim::InputError;

constexpr const char* kUsage =
    "usage: gardenhose solve UNKNOWN --topology NAME --model NAME --scheme NAME [FLAGS]\n\n"
    "Finds, by bracketing over simulations, the value of one unknown at which training over "
    "several\n"
    "sites reaches a compute utilisation, or at which one scheme stops to beat another.\n\n"
    "  bandwidth    least rates between sites, all scaled alike: given is the narrowest one's\n"
    "  inner_steps  fewest steps of a round\n"
    "  latency      longest one-way latency of all paths\n"
    "  peers        most sites of the file's only table\n"
    "  layers       most layers of the model: the largest model (of which --model gives the "
    "shape)\n\n"
    "  gardenhose solve bandwidth --topology two_sites_10g --model llama_2_7b --tp 8 \\\n"
    "                   --scheme diloco --utilisation 0.5,0.8,0.9,0.95,0.99\n"
    "  gardenhose solve latency --topology two_sites_10g --model llama_2_7b --tp 8 \\\n"
    "                   --scheme wan_sync --beats diloco\n";

struct SolveOptions {
  JobOptions job;
  RoundOptions rounds;
  std::string unknown, utilisation, beats, format;
};

std::vector<double> parse_shares(const std::string& text) {
  std::vector<double> shares;
  for (const std::string& part : split(text)) {
    double share = 0;
    const auto [stop, error] = std::from_chars(part.data(), part.data() + part.size(), share);
    if (error != std::errc() || stop != part.data() + part.size() || !(share > 0 && share < 1)) {
      throw InputError(
          fmt::format("--utilisation: '{}' is not between 0 and 1; write e.g. 0.5,0.8,0.95", part));
    }
    shares.push_back(share);
  }
  return shares;
}

std::optional<SolveOptions> parse(const Arguments& arguments) {
  SolveOptions o;
  po::options_description flags = job_flags(o.job);
  flags.add(round_flags(o.rounds));
  po::options_description goal("What is sought");
  goal.add_options()("unknown", po::value(&o.unknown),
                     "bandwidth, inner_steps, latency, peers or layers")(
      "utilisation", po::value(&o.utilisation)->default_value("0.5,0.8,0.9,0.95,0.99"),
      "shares of the time in which GPUs compute, with commas")(
      "beats", po::value(&o.beats), "instead: until where --scheme trains faster than this scheme")(
      "format", po::value(&o.format)->default_value("table"), "table|json|csv");
  flags.add(goal);
  po::positional_options_description places;
  places.add("unknown", 1);
  po::variables_map values;
  if (!parse_arguments(arguments, kUsage, flags, places, values)) return std::nullopt;
  static_cast<void>(unknown_named(o.unknown));
  o.job.schemes = split(values["scheme"].as<std::string>());
  if (values["scheme"].defaulted()) throw InputError("--scheme: name what the sites exchange");
  check_format(o.format);
  if (!o.beats.empty() && !values["utilisation"].defaulted()) {
    throw InputError("--beats: says what is sought, as --utilisation does; give one of them");
  }
  return o;
}

constexpr double kClose = 1.01;  // of a bracket's ends, where they are no whole numbers

// Where a goal begins, or stops, to be reached.
struct Found {
  double met = 0;       // the goal is met there
  double missed = 0;    // and not there
  bool ever = false;    // met anywhere
  bool always = false;  // met at both ends
};

using Goal = std::function<bool(double value)>;

// Between two values of which one meets the goal and the other does not.
Found narrow(const Unknown& unknown, Found found, const Goal& met,
             const std::function<void()>& step) {
  const auto open = [&] {
    if (unknown.whole) return std::abs(found.met - found.missed) > 1;
    return std::max(found.met / found.missed, found.missed / found.met) > kClose;
  };
  while (open()) {
    step();
    double middle = std::sqrt(found.met * found.missed);
    if (unknown.whole) {
      const auto [low, high] = std::minmax(found.met, found.missed);
      middle = std::clamp(std::round(middle), low + 1, high - 1);
    }
    (met(middle) ? found.met : found.missed) = middle;
  }
  return found;
}

// From the lowest value on, each time twice as far for whole numbers, whose large values cost most to
// simulate, and at once to the highest for the rest.
Found bracket(const Unknown& unknown, const Goal& met, const std::function<void()>& step) {
  step();
  const bool at_lowest = met(unknown.lowest);
  double last = unknown.lowest;
  while (last < unknown.highest) {
    const double next = unknown.whole ? std::min(2 * last, unknown.highest) : unknown.highest;
    step();
    if (met(next) != at_lowest) {
      return narrow(
          unknown,
          {.met = at_lowest ? last : next, .missed = at_lowest ? next : last, .ever = true}, met,
          step);
    }
    last = next;
  }
  return {.met = unknown.lowest, .missed = unknown.highest, .ever = at_lowest, .always = at_lowest};
}

sim::RoundReport report_at(const RoundJob& job, const Unknown& unknown, std::size_t scheme,
                           double value) {
  RoundJob changed = job;
  unknown.set(changed, value);
  const sim::OuterScheme& changed_scheme = changed.schemes[scheme];
  return sim::summarize(changed.context(), changed_scheme,
                        sim::simulate_round(changed.context(), changed_scheme, changed.deadline));
}

struct Answer {
  std::string scheme, goal;
  Found found;
  std::string text;
};

std::string answer_text(const RoundJob& job, const Unknown& unknown, const Found& found) {
  const std::string met = unknown.text(unknown.figure(job, found.met));
  const std::string missed = unknown.text(unknown.figure(job, found.missed));
  if (!found.ever) return fmt::format("nowhere from {} to {}", met, missed);
  if (found.always) return fmt::format("everywhere from {} to {}", met, missed);
  return fmt::format("{} (not at {})", met, missed);
}

std::vector<Answer> solve_utilisation(const RoundJob& job, const Unknown& unknown,
                                      const std::vector<double>& shares, Progress& progress) {
  std::vector<Answer> answers;
  for (std::size_t scheme = 0; scheme < job.schemes.size(); ++scheme) {
    std::map<double, double> known;  // utilisation by value
    for (const double share : shares) {
      const Found found = bracket(
          unknown,
          [&](double value) {
            if (!known.contains(value)) {
              const sim::RoundReport report = report_at(job, unknown, scheme, value);
              known[value] = unknown.needs_memory && !report.fits_memory() ? 0 : report.utilisation;
            }
            return known[value] >= share;
          },
          [&] { progress.step(); });
      answers.push_back({std::string(job.schemes[scheme].name),
                         fmt::format("utilisation {:.4g}", share), found,
                         answer_text(job, unknown, found)});
    }
  }
  return answers;
}

std::vector<Answer> solve_beats(RoundJob job, const Unknown& unknown, const std::string& other,
                                Progress& progress) {
  const std::size_t count = job.schemes.size();
  job.schemes.push_back(job.with_taken_settings(sim::outer_scheme_named(other, "--beats")));
  std::vector<Answer> answers;
  for (std::size_t scheme = 0; scheme < count; ++scheme) {
    const Found found = bracket(
        unknown,
        [&](double value) {
          return report_at(job, unknown, scheme, value).tokens_per_s >
                 report_at(job, unknown, count, value).tokens_per_s;
        },
        [&] { progress.step(); });
    answers.push_back({std::string(job.schemes[scheme].name), "beats " + other, found,
                       answer_text(job, unknown, found)});
  }
  return answers;
}

void print(const SolveOptions& options, const Unknown& unknown, const RoundJob& job,
           const std::vector<Answer>& answers) {
  std::vector<Json> rows;
  for (const Answer& answer : answers) {
    const Found& found = answer.found;
    const bool bracketed = found.ever && !found.always;
    const auto figure = [&](double value) {
      return bracketed ? Json(unknown.figure(job, value)) : Json(nullptr);
    };
    rows.push_back({{"unknown", unknown.name},
                    {"unit", unknown.unit},
                    {"topology", job.area.name},
                    {"model", job.model.name},
                    {"scheme", answer.scheme},
                    {"goal", answer.goal},
                    {"met", bracketed    ? "bracketed"
                            : found.ever ? "everywhere"
                                         : "nowhere"},
                    {"met_at", figure(found.met)},
                    {"missed_at", figure(found.missed)}});
  }
  if (options.format == "json") fmt::print("{}\n", Json(rows).dump(1));
  if (options.format == "csv") fmt::print("{}", sim::csv_text(rows));
  if (options.format != "table") return;
  fmt::print("{} on {}: {}\n\n", job.model.name, job.area.name, unknown.name);
  for (const Answer& answer : answers) {
    fmt::print("  {:<24} {:<22} {}\n", answer.scheme, answer.goal, answer.text);
  }
}

}  // namespace

int solve_command(const Arguments& arguments) {
  const auto options = parse(arguments);
  if (!options) return 0;
  const Unknown& unknown = unknown_named(options->unknown);
  const RoundJob job = read_round_job(options->job, options->rounds);
  const auto shares = parse_shares(options->utilisation);
  const std::size_t searches = options->beats.empty() ? shares.size() : 1;
  // log2 of the range over what ends the search.
  const double width = unknown.whole
                           ? unknown.highest
                           : std::log(unknown.highest / unknown.lowest) / std::log(kClose);
  Progress progress("solving",
                    static_cast<int>(job.schemes.size() * searches *
                                     (2 + static_cast<std::size_t>(std::ceil(std::log2(width))))));
  print(*options, unknown, job,
        options->beats.empty() ? solve_utilisation(job, unknown, shares, progress)
                               : solve_beats(job, unknown, options->beats, progress));
  return 0;
}

}  // namespace apps
