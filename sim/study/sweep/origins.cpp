// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/origins.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include "sim/base/error.hpp"
#include "sim/base/file.hpp"

namespace sim::sweep {

std::string sha256(std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  const int done = EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(), nullptr);
  require(done == 1, "OpenSSL has SHA-256");
  std::string text;
  for (unsigned int i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

std::string sha256_of_file(const std::filesystem::path& file) {
  try {
    return sha256(read_file(file));
  } catch (const InputError&) {
    return "";
  }
}

std::set<std::string> differences(const Origin& then, const Origin& today) {
  std::set<std::string> changes;
  if (then.version != today.version) changes.insert("gardenhose was " + then.version);
  for (const auto& [name, hash] : today.files) {
    const auto before = then.files.find(name);
    if (before == then.files.end()) {
      changes.insert(name + " was not there");
    } else if (before->second != hash) {
      changes.insert(name + " has changed");
    }
  }
  for (const auto& [name, hash] : then.files) {
    if (!today.files.contains(name)) changes.insert(name + " is no longer there");
  }
  return changes;
}

const Origin& Origins::of(const Inputs& inputs) {
  const FileNames files = files_of_(inputs);
  Origin& origin = known_[files];
  if (!origin.id.empty()) return origin;
  for (const auto& [name, path] : files) {
    const auto [hash, is_new] = hashes_.emplace(path, "");
    if (is_new) hash->second = sha256_of_file(path);
    origin.files[name] = hash->second;
  }
  origin.version = version_;
  origin.id = sha256(origin.version + "\n" + line_of(origin.files));
  return origin;
}

std::vector<std::string> Origins::changed() const {
  std::vector<std::string> files;
  for (const auto& [path, hash] : hashes_) {
    if (sha256_of_file(path) != hash) files.push_back(path);
  }
  return files;
}

}  // namespace sim::sweep
