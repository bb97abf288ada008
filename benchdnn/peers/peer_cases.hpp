// SPDX-License-Identifier: Apache-2.0
// The problems of a peer written in C++: canonical lines of benchdnn, read and timed. The twin of
// peer_cases.py.
#ifndef PEER_CASES_HPP
#define PEER_CASES_HPP

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <random>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace peer {

/// One line: `--driver --option=value … descriptor`.
struct problem {
    std::string text, driver, descriptor, name;
    std::map<std::string, std::string> options;

    explicit problem(const std::string &line)
    {
        text = line.substr(line.find("__REPRO: ") + 9);
        std::istringstream words(text);
        for (std::string word; words >> word;) {
            const auto equals = word.find('=');
            if (word.compare(0, 2, "--") != 0)
                descriptor = word;
            else if (equals == std::string::npos)
                driver = word.substr(2);
            else
                options[word.substr(2, equals - 2)] = word.substr(equals + 1);
        }
        std::smatch found;
        if (std::regex_search(descriptor, found, std::regex("_?n\"([^\"]*)\"$"))) {
            name = found[1];
            descriptor = std::string(found.prefix());
        }
    }

    /// The number behind a field's letters, `fallback` where it is not given.
    int64_t field(const std::string &letters, int64_t fallback = 1) const
    {
        std::smatch found;
        const std::regex pattern("(^|[0-9])" + letters + "([0-9]+)");
        return std::regex_search(descriptor, found, pattern) ? std::stoll(found[2]) : fallback;
    }

    /// A letter's fields, outermost first: spatial("k") of a 2-D problem is {kh, kw}.
    std::vector<int64_t> spatial(const std::string &letter, int64_t add = 0) const
    {
        std::vector<int64_t> values;
        for (const char *axis : {"d", "h", "w"})
            if (field(letter + axis, -1) >= 0) values.push_back(field(letter + axis) + add);
        return values;
    }

    /// The dims of every tensor of a descriptor like 2x3:3x4.
    std::vector<std::vector<int64_t>> tensors() const
    {
        std::vector<std::vector<int64_t>> all;
        std::istringstream parts(descriptor);
        for (std::string dims; std::getline(parts, dims, ':');) {
            std::istringstream numbers(dims);
            all.emplace_back();
            for (std::string number; std::getline(numbers, number, 'x');)
                all.back().push_back(std::stoll(number));
        }
        return all;
    }

    /// Member `index` of an option like sdt=f32:s8; one member stands for all.
    std::string member(const std::string &option, size_t index = 0) const
    {
        std::vector<std::string> words;
        std::istringstream parts(options.at(option));
        for (std::string word; std::getline(parts, word, ':');) words.push_back(word);
        return words.empty() ? "" : words[words.size() == 1 ? 0 : index];
    }
};

inline double now_ms()
{
    using namespace std::chrono;
    return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

/// Random values in [-1, 1): never zeros.
inline void fill(float *values, size_t count)
{
    std::minstd_rand random(1);
    for (size_t i = 0; i < count; ++i) values[i] = float(random()) / 1073741824.f - 1.f;
}

/// Runs until the budget is spent and prints benchdnn's default line. `run` computes the problem of
/// `ops` operations `batch` times and returns when that is done.
inline void time_and_report(const problem &p, const char *engine, const char *impl, double ops,
        double budget_ms, const std::function<void()> &run, int batch = 1)
{
    run();
    double total = 0, best = 1e30;
    int64_t runs = 0;
    while (total < budget_ms || runs < 5) {
        const double begin = now_ms();
        run();
        const double ms = now_ms() - begin;
        total += ms;
        best = ms / batch < best ? ms / batch : best;
        runs += batch;
    }
    const double average = total / double(runs);
    std::printf("perf,%s,%s,%s,%s,%g,0,%g,%g,%g,%g\n", engine, impl, p.name.c_str(), p.text.c_str(),
            ops / 1e9, best, ops / best / 1e6, average, ops / average / 1e6);
    std::fflush(stdout);
}

/// Calls `body` for every line of stdin that holds a problem. What it throws is told on stderr.
inline void for_each(const char *program, const std::function<void(const problem &)> &body)
{
    for (std::string line; std::getline(std::cin, line);) {
        if (line.find("__REPRO: ") == std::string::npos) continue;
        const problem p(line);
        try {
            body(p);
        } catch (const std::exception &error) {
            std::cerr << program << ": left out: " << p.descriptor << ": " << error.what() << "\n";
        }
    }
}

} // namespace peer

#endif
