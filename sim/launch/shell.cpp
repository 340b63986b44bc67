// SPDX-License-Identifier: Apache-2.0
// Shell scripts: their variables, and the flags of the commands that they would run. Conditions whose
// values the script holds are answered; nothing is executed.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/printable.hpp"
#include "sim/launch/document.hpp"
#include "sim/launch/shell_words.hpp"

namespace sim::launch {
namespace {

constexpr int kMostSourced = 8;  // files deep
constexpr std::size_t kMostUnread = 20;
constexpr std::size_t kMostBlocks = 64;  // within each other

constexpr std::string_view kDashes = "--";

bool is_flag(std::string_view word) {
  return word.size() > kDashes.size() && word.starts_with(kDashes) && word[2] != '-';
}

// "model.tp=4" or "+trainer.num_nodes=2", as Hydra takes its overrides.
std::size_t override_equals(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) return 0;
  const std::string_view key = word.substr(0, equals);
  const bool dotted = key.find('.') != std::string_view::npos && key.find('/') == key.npos;
  return dotted && !key.starts_with('-') ? equals : 0;
}

class ShellReader {
 public:
  explicit ShellReader(Document& into) : into_(into) {}

  void read(std::string_view text, const std::filesystem::path& file, int depth) {
    const std::string name = printable_path(file);
    read_directives(text, name);
    ShellWords words(text, name, variables_);
    const std::size_t outside = blocks_.size();
    while (!words.at_end()) {
      Statement statement = words.next();
      obey(statement, words, file, name, depth);
    }
    blocks_.resize(std::min(blocks_.size(), outside));
  }

  // Variables are keys too, and lists of flags that no command took are flags.
  void finish() {
    const bool took_flags = !into_.entries.empty();
    for (const auto& [name, value] : variables_) {
      const auto place = places_.find(name);
      if (place == places_.end()) continue;
      if (!took_flags) read_flags({value}, place->second.file);
      add(into_, {"$" + name, value.text, place->second});
    }
  }

 private:
  enum class Answer { yes, no, unknown };
  struct Block {
    char kind = 'i';  // i: if; l: a loop; c: case
    Answer answer = Answer::yes;
    bool taken = false;   // a branch before was, or may have been
    std::string subject;  // of a case
  };

  [[nodiscard]] Answer answer() const {
    Answer all = Answer::yes;
    for (const Block& block : blocks_) {
      if (block.answer == Answer::no) return Answer::no;
      if (block.answer == Answer::unknown) all = Answer::unknown;
    }
    return all;
  }

  void note(const Place& place, const std::string& what) {
    if (into_.unread.size() < kMostUnread) {
      into_.unread.push_back(fmt::format("{}: {}", place.text(), printable_line(what, 160)));
    }
  }

  // "#SBATCH -N 4": flags of the batch system.
  void read_directives(std::string_view text, const std::string& file) {
    std::uint32_t line = 1;
    for (std::size_t start = 0; start < text.size(); ++line) {
      const std::size_t end = std::min(text.find('\n', start), text.size());
      const std::string_view one = text.substr(start, end - start);
      if (one.starts_with("#SBATCH ")) {
        std::vector<TracedText> words = words_of(traced(one.substr(8), line));
        for (TracedText& word : words) {
          if (word.text == "-N") word = traced(std::string(kDashes) + "nodes", line);
        }
        read_flags(words, file);
      }
      start = end + 1;
    }
  }

  // Words that part at blanks where a string holds several flags.
  static std::vector<TracedText> parted(const std::vector<TracedText>& words) {
    std::vector<TracedText> all;
    for (const TracedText& word : words) {
      const bool holds_flags = word.text.find(kDashes) != std::string::npos &&
                               word.text.find_first_of(" \n") != std::string::npos;
      if (!holds_flags) {
        all.push_back(word);
        continue;
      }
      for (TracedText& part : words_of(word)) all.push_back(std::move(part));
    }
    return all;
  }

  void read_flags(const std::vector<TracedText>& given, const std::string& file) {
    const std::vector<TracedText> words = parted(given);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const TracedText& word = words[i];
      if (word.lines.empty()) continue;
      const Place place{file, word.lines.front()};
      if (const std::size_t equals = override_equals(word.text)) {
        const std::string key = word.text.substr(0, equals);
        add(into_, {key.substr(std::min(key.find_first_not_of('+'), key.size())),
                    word.text.substr(equals + 1), place});
      }
      if (!is_flag(word.text)) continue;
      const std::size_t equals = word.text.find('=');
      std::string value;
      if (equals != std::string::npos) value = word.text.substr(equals + 1);
      for (std::size_t j = i + 1; equals == std::string::npos && j < words.size(); ++j) {
        if (is_flag(words[j].text)) break;
        value += (value.empty() ? "" : " ") + words[j].text;
      }
      // A switch in front of the script's name takes it for its value, which no table asks for.
      add(into_, {word.text.substr(2, equals == std::string::npos ? equals : equals - 2),
                  value.empty() ? "true" : value, place});
    }
  }

  void assign(const Statement& statement, const std::string& file) {
    for (const Assignment& one : statement.assignments) {
      const Place place{file, one.value.lines.empty() ? statement.line : one.value.lines.front()};
      if (answer() == Answer::unknown) {
        note(place, one.name + " is set under a condition that needs a running shell");
        continue;
      }
      TracedText& value = variables_[one.name];
      if (one.appends && !value.text.empty()) {
        value.push(' ', statement.line);
        value.append(one.value);
      } else {
        value = one.value;
      }
      if (value.text.size() > kMostValueBytes) {
        throw InputError(fmt::format("{}: a value longer than {} bytes; is it the right file?",
                                     place.text(), kMostValueBytes));
      }
      places_[one.name] = place;
    }
  }

  void source(const TracedText& name, const Place& place, const std::filesystem::path& file,
              int depth) {
    const std::filesystem::path other = file.parent_path() / name.text;
    std::error_code error;
    if (needs_shell(name.text) || depth == kMostSourced ||
        !std::filesystem::is_regular_file(other, error)) {
      return note(place, "sources " + name.text + ", which is not read");
    }
    if (!sourced_.insert(other.lexically_normal().string()).second) return;
    read(read_text(other), other, depth + 1);
  }

  static std::vector<TracedText> behind(const Statement& statement, std::size_t from) {
    return {statement.words.begin() + static_cast<std::ptrdiff_t>(from), statement.words.end()};
  }

  // Of the condition behind if or elif: tests with && and ||, which bind from the left.
  static Answer condition(const Statement& statement, ShellWords& words) {
    Answer answer = test(behind(statement, 1));
    for (char joint = statement.end; joint == 'A' || joint == 'O';) {
      const Statement next = words.next();
      const Answer other = test(next.words);
      const Answer decides = joint == 'A' ? Answer::no : Answer::yes;
      if (answer == decides || other == decides) {
        answer = decides;
      } else if (answer == Answer::unknown || other == Answer::unknown) {
        answer = Answer::unknown;
      }
      joint = next.end;
    }
    return answer;
  }

  static Answer test(std::vector<TracedText> words) {
    if (words.size() < 2) return Answer::unknown;
    const bool turned = words.front().text == "!";
    if (turned) words.erase(words.begin());
    if (words.size() < 2 || (words.front().text != "[" && words.front().text != "[["))
      return Answer::unknown;
    words.erase(words.begin());
    if (words.back().text == "]" || words.back().text == "]]") words.pop_back();
    const auto holds = answer_of_test(words);
    if (!holds) return Answer::unknown;
    return *holds != turned ? Answer::yes : Answer::no;
  }

  void open(Block block, const Place& place) {
    if (blocks_.size() == kMostBlocks) {
      throw InputError(fmt::format("{}: blocks nested deeper than {}", place.text(), kMostBlocks));
    }
    blocks_.push_back(std::move(block));
  }

  // The next branch, if its own condition holds and no branch before was taken.
  void next_branch(Answer own) {
    Block& block = blocks_.back();
    const bool unsure = block.answer == Answer::unknown;
    block.taken = block.taken || block.answer == Answer::yes;
    block.answer = block.taken ? Answer::no : unsure ? Answer::unknown : own;
    if (unsure) block.answer = Answer::unknown;
  }

  void begin_clause(ShellWords& words) {
    if (words.takes("esac") || words.at_end()) return blocks_.pop_back();
    const std::string pattern = words.pattern();
    Block& block = blocks_.back();
    block.taken = block.taken || block.answer == Answer::yes;
    if (needs_shell(block.subject)) {
      block.answer = Answer::unknown;
      return;
    }
    bool matches = false;
    for (std::size_t start = 0; start <= pattern.size();) {
      const std::size_t end = std::min(pattern.find('|', start), pattern.size());
      matches = matches || matches_pattern(block.subject,
                                           std::string_view(pattern).substr(start, end - start));
      start = end + 1;
    }
    block.answer = matches && !block.taken ? Answer::yes : Answer::no;
  }

  // Words that order blocks; true if the statement was one.
  bool obey_block(Statement& statement, ShellWords& words, const Place& place) {
    const std::string word = statement.words.front().text;
    if (word == "if") {
      open({.kind = 'i', .answer = condition(statement, words)}, place);
    } else if (word == "for" || word == "while" || word == "until" || word == "select") {
      open({.kind = 'l', .answer = Answer::unknown}, place);
    } else if (word == "case" && statement.words.size() >= 2) {
      open({.kind = 'c', .answer = Answer::no, .subject = statement.words[1].text}, place);
      begin_clause(words);
    } else if (blocks_.empty()) {
      return false;
    } else if (word == "elif") {
      next_branch(condition(statement, words));
    } else if (word == "fi" || word == "done" || word == "esac") {
      blocks_.pop_back();
    } else {
      return false;
    }
    return true;
  }

  void obey(Statement& statement, ShellWords& words, const std::filesystem::path& file,
            const std::string& name, int depth) {
    const Place place{name, statement.line};
    const bool ends_clause = statement.end == 'D';
    while (!statement.words.empty()) {
      const std::string& first = statement.words.front().text;
      if (first == "else" && !blocks_.empty()) {
        next_branch(Answer::yes);
      } else if (first != "then" && first != "do" && first != "{" && first != "}") {
        break;
      }
      statement.words.erase(statement.words.begin());
    }
    const bool is_block = !statement.words.empty() && obey_block(statement, words, place);
    if (!is_block && answer() != Answer::no) command(statement, place, file, depth);
    if (ends_clause && !blocks_.empty() && blocks_.back().kind == 'c') begin_clause(words);
  }

  void command(const Statement& statement, const Place& place, const std::filesystem::path& file,
               int depth) {
    assign(statement, place.file);
    if (statement.words.empty()) return;
    const std::string& first = statement.words.front().text;
    if (answer() == Answer::unknown) {
      const auto parts = parted(statement.words);
      if (std::ranges::any_of(parts, [](const TracedText& one) { return is_flag(one.text); })) {
        note(place, "a command under a condition that needs a running shell is not read");
      }
      return;
    }
    if ((first == "source" || first == ".") && statement.words.size() > 1) {
      return source(statement.words[1], place, file, depth);
    }
    if (first == "echo" || first == "printf") return;
    read_flags(with_inner_commands(statement.words, place.file), place.file);
  }

  // The words of "bash -c 'TEXT'" whose text names variables of this script, in place of the text.
  std::vector<TracedText> with_inner_commands(const std::vector<TracedText>& words,
                                              const std::string& file) {
    std::vector<TracedText> all;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const bool is_inner = i > 0 && words[i - 1].text == "-c" && names_variable(words[i].text);
      if (!is_inner) {
        all.push_back(words[i]);
        continue;
      }
      ShellWords inner(words[i].text, file, variables_, words[i].lines.front());
      while (!inner.at_end()) {
        const Statement statement = inner.next();
        all.insert(all.end(), statement.words.begin(), statement.words.end());
      }
    }
    return all;
  }

  [[nodiscard]] bool names_variable(std::string_view text) const {
    for (std::size_t at = text.find('$'); at != text.npos; at = text.find('$', at + 1)) {
      const std::size_t begin = at + 1 + (text.substr(at + 1).starts_with('{') ? 1 : 0);
      std::size_t end = begin;
      while (end < text.size() &&
             (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) {
        ++end;
      }
      if (variables_.contains(text.substr(begin, end - begin))) return true;
    }
    return false;
  }

  Document& into_;
  ShellVariables variables_;
  std::map<std::string, Place, std::less<>> places_;
  std::vector<Block> blocks_;
  std::set<std::string> sourced_;
};

}  // namespace

Document parse_shell(std::string_view text, const std::filesystem::path& file) {
  Document document{
      .file = printable_path(file), .syntax = Syntax::shell, .entries = {}, .unread = {}};
  ShellReader reader(document);
  reader.read(text, file, 0);
  reader.finish();
  return document;
}

}  // namespace sim::launch
