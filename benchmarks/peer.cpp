// Copyright 2026 The leader_election authors
//
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
// You may obtain a copy of the License at
//
//     http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software
// distributed under the License is distributed on an "AS IS" BASIS,
// WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
// See the License for the specific language governing permissions and
// limitations under the License.

/*
The work of the laboratory in C++, for comparison: devices walk, hear who is in range, and run
Bounded Election, once a second each, at random times of the second.

Two loops of the same rounds: `plain` in double precision with a branch for each device nearby,
`vectorised` in single precision without branches. Both keep the states in the order of cells and
have neither lists of neighbours nor mailboxes, losses and samples: a message is what its sender's
state is now. Arguments: devices, side of the square, range, radius [m], seconds, and the phases of
rounds: random, or place (by x, as in the artefact of ACSOS 2022). Output: nanoseconds of processor
time a round, of each loop.
*/

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

constexpr double SPEED = 2.0, SCALE = 100.0;  // Lévy walk: legs of at least 100 m.
constexpr int LANES = 16;                     // Devices whose states are compared at once.

template<typename Real>
struct Swarm {
  int n, columns;
  double side, wide;
  Real range, radius;
  std::vector<Real> x, y, to_x, to_y, strength, value, distance;
  std::vector<int> id, leader, in_range, order, start;  // order: by the time of a device's round.
  std::mt19937_64 random{1};

  Swarm(int n, double side, double range, double radius, bool by_place)
  : n(n), side(side), range(range), radius(radius), id(n), order(n)
  {
    // Cells are sorted each second. Two devices that approach each other cross what cells are wider
    // than the range.
    columns = std::max(1, static_cast<int>(side / (range + 2.0 * SPEED)));
    wide = side / columns;
    std::uniform_real_distribution<double> place(0.0, side), part(0.0, 1.0);
    std::iota(id.begin(), id.end(), 0);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    for (int i = 0; i < n; i++) {
      x.push_back(place(random));
      y.push_back(place(random));
      strength.push_back(part(random));
    }
    if (by_place) {std::sort(order.begin(), order.end(), [&](int i, int j) {return x[i] < x[j];});}
    to_x = x;
    to_y = y;
    leader = id;
    distance.assign(n, 0);
    for (Real each : strength) {value.push_back(-each);}
    // What is read beyond the last device does not count.
    for (auto * column : {&x, &y, &value, &distance}) {column->resize(n + LANES);}
    leader.resize(n + LANES);
    sort();
  }

  int cell(double x, double y) const
  {
    auto at = [this](double c) {return std::clamp(static_cast<int>(c / wide), 0, columns - 1);};
    return at(x) * columns + at(y);
  }

  void sort()
  {
    start.assign(columns * columns + 1, 0);
    for (int i = 0; i < n; i++) {start[cell(x[i], y[i]) + 1]++;}
    std::partial_sum(start.begin(), start.end(), start.begin());
    std::vector<int> next(start.begin(), start.end() - 1), to(n);
    for (int i = 0; i < n; i++) {to[i] = next[cell(x[i], y[i])]++;}
    auto move = [&](auto & column) {
        auto old = column;
        for (int i = 0; i < n; i++) {column[to[i]] = old[i];}
      };
    for (auto * column : {&x, &y, &to_x, &to_y, &strength, &value, &distance}) {move(*column);}
    move(id);
    move(leader);
    for (int & i : order) {i = to[i];}
  }

  void walk(int i)
  {
    Real dx = to_x[i] - x[i], dy = to_y[i] - y[i], far = std::sqrt(dx * dx + dy * dy);
    if (far > SPEED) {
      x[i] += dx * Real(SPEED) / far;
      y[i] += dy * Real(SPEED) / far;
      return;
    }
    std::uniform_real_distribution<double> part(0.0, 1.0);
    double angle = 2.0 * M_PI * part(random), length = SCALE / (1.0 - part(random));
    to_x[i] = std::clamp(x[i] + length * std::cos(angle), 0.0, side);
    to_y[i] = std::clamp(y[i] + length * std::sin(angle), 0.0, side);
  }

  void elect(int i, bool vectorised)
  {
    int row = cell(x[i], y[i]) / columns, column = cell(x[i], y[i]) % columns;
    int top = std::max(row - 1, 0), rows = std::min(row + 1, columns - 1) - top + 1;
    int first[3], last[3];
    for (int r = 0; r < rows; r++) {
      first[r] = start[(top + r) * columns + std::max(column - 1, 0)];
      last[r] = start[(top + r) * columns + std::min(column + 1, columns - 1) + 1];
    }
    Real best = -strength[i], near = 0;
    int chosen = id[i];
    if (vectorised) {
      branchless(i, rows, first, last, best, near, chosen);
    } else {
      for (int r = 0; r < rows; r++) {branching(i, first[r], last[r], best, near, chosen);}
    }
    value[i] = best;
    distance[i] = near;
    leader[i] = chosen;
  }

  void branching(int i, int first, int last, Real & best, Real & near, int & chosen)
  {
    // Without a branch, since a processor cannot predict which devices are in range.
    int found = 0;
    in_range.resize(std::max<std::size_t>(in_range.size(), last - first));
    for (int j = first; j < last; j++) {
      Real dx = x[j] - x[i], dy = y[j] - y[i];
      in_range[found] = j;
      found += dx * dx + dy * dy <= range * range;
    }
    for (int k = 0; k < found; k++) {
      int j = in_range[k];
      if (leader[j] == id[i] || j == i || value[j] > best) {continue;}
      Real dx = x[j] - x[i], dy = y[j] - y[i], far = distance[j] + std::sqrt(dx * dx + dy * dy);
      if (far <= radius && (value[j] < best || far < near)) {
        best = value[j];
        near = far;
        chosen = leader[j];
      }
    }
  }

  void branchless(
    int i, int rows, const int * first, const int * last, Real & best, Real & near, int & chosen)
  {
    constexpr Real NEVER = std::numeric_limits<Real>::max();
    const Real own_x = x[i], own_y = y[i], reach = range * range, most = radius;
    const int own = id[i];
    // The best of each lane. A row is read in whole blocks, so that no rest is computed one by one.
    Real values[LANES], nearest[LANES];
    int leaders[LANES];
    for (int k = 0; k < LANES; k++) {
      values[k] = nearest[k] = NEVER;
      leaders[k] = own;
    }
    for (int r = 0; r < rows; r++) {
      for (int from = first[r]; from < last[r]; from += LANES) {
        const Real * px = &x[from], * py = &y[from], * pd = &distance[from], * pv = &value[from];
        const int * pl = &leader[from];
        const int left = last[r] - from;
        #pragma omp simd
        for (int k = 0; k < LANES; k++) {
          Real dx = px[k] - own_x, dy = py[k] - own_y, square = dx * dx + dy * dy;
          Real far = pd[k] + std::sqrt(square), offer = square <= reach ? pv[k] : NEVER;
          offer = far <= most ? offer : NEVER;
          offer = pl[k] != own ? offer : NEVER;
          offer = square > 0 ? offer : NEVER;
          offer = k < left ? offer : NEVER;
          bool better = offer < values[k] || (offer == values[k] && far < nearest[k]);
          nearest[k] = better ? far : nearest[k];
          leaders[k] = better ? pl[k] : leaders[k];
          values[k] = better ? offer : values[k];
        }
      }
    }
    for (int k = 0; k < LANES; k++) {
      if (values[k] < best || (values[k] == best && nearest[k] < near)) {
        best = values[k];
        near = nearest[k];
        chosen = leaders[k];
      }
    }
  }

  double nanoseconds(int seconds, bool vectorised)
  {
    std::clock_t began = std::clock();
    for (int now = 1; now <= seconds; now++) {
      for (int i : order) {
        walk(i);
        elect(i, vectorised);
      }
      sort();
    }
    return 1e9 * (std::clock() - began) / CLOCKS_PER_SEC / n / seconds;
  }
};

int main(int, char ** given)
{
  int n = std::atoi(given[1]), seconds = std::atoi(given[5]);
  double side = std::atof(given[2]), range = std::atof(given[3]), radius = std::atof(given[4]);
  bool by_place = std::strcmp(given[6], "place") == 0;
  Swarm<double> plain(n, side, range, radius, by_place);
  Swarm<float> vectorised(n, side, range, radius, by_place);
  std::printf("%f %f\n", plain.nanoseconds(seconds, false), vectorised.nanoseconds(seconds, true));
}
