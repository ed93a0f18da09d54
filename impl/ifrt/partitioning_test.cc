// SPDX-License-Identifier: Apache-2.0
#include "impl/ifrt/partitioning.h"

#include <gtest/gtest.h>

#include "impl/ifrt/named.h"

namespace plinth::ifrt {
namespace {

using Axes = std::vector<std::vector<int64_t>>;

std::vector<std::string> Texts(const Expected<std::vector<IndexDomain>>& domains) {
  std::vector<std::string> texts;
  if (!domains.ok()) return {domains.status().ToString()};
  for (const IndexDomain& domain : *domains) texts.push_back(domain.ToString());
  return texts;
}

Expected<Partitioning> Named(std::vector<MeshAxis> mesh, Axes axes, size_t shards) {
  return PartitioningFromNamed(mesh, axes, shards);
}

IndexDomain Box(Dims origin, Dims extents) { return {origin, extents}; }

TEST(Partitioning, NamedAxesCutDimensionsAndTheOthersReplicate) {
  const auto rows = Named({{"x", 2}, {"y", 2}}, {{0}, {}}, 4);
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ(Texts(rows->Domains(Dims{4, 3})),
            (std::vector<std::string>{"[0:2,0:3]", "[0:2,0:3]", "[2:4,0:3]", "[2:4,0:3]"}));
  // Both axes on one dimension, the second one slower.
  const auto both = Named({{"x", 2}, {"y", 2}}, {{1, 0}}, 4);
  ASSERT_TRUE(both.ok());
  EXPECT_EQ(Texts(both->Domains(Dims{8})),
            (std::vector<std::string>{"[0:2]", "[4:6]", "[2:4]", "[6:8]"}));
  EXPECT_EQ(*both->ShardShape(Dims{8}), Dims{2});
}

TEST(Partitioning, UnevenDimensionsAreExactAndHaveNoShardShape) {
  const auto rows = Named({{"x", 4}}, {{0}}, 4);
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ(Texts(rows->Domains(Dims{5})),
            (std::vector<std::string>{"[0:2]", "[2:4]", "[4:5]", "[5:5]"}));
  EXPECT_EQ(rows->ShardShape(Dims{5}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(*rows->ShardShape(Dims{0}), Dims{0});
}

TEST(Partitioning, WhatMeansTheSameIsEqual) {
  const auto a = Named({{"x", 2}, {"y", 2}}, {{0}, {}}, 4);
  const auto b = Named({{"p", 2}, {"q", 2}}, {{0}, {}}, 4);
  const auto other = Named({{"x", 2}, {"y", 2}}, {{1}, {}}, 4);
  const auto nothing = Named({{"x", 2}, {"y", 2}}, {{}, {}}, 4);
  EXPECT_EQ(*a, *b);
  EXPECT_EQ(a->Hash(), b->Hash());
  EXPECT_FALSE(*a == *other);
  EXPECT_TRUE(nothing->IsFullyReplicated());
  EXPECT_EQ(*nothing, *Partitioning::Replicated(4));
  const auto concrete = Partitioning::Concrete(
      Dims{4, 3},
      {Box({0, 0}, {2, 3}), Box({0, 0}, {2, 3}), Box({2, 0}, {2, 3}), Box({2, 0}, {2, 3})});
  ASSERT_TRUE(concrete.ok()) << concrete.status().ToString();
  EXPECT_FALSE(*a == *concrete);
  EXPECT_TRUE(Partitioning::SameFor(Dims{4, 3}, *a, *concrete));
  EXPECT_FALSE(Partitioning::SameFor(Dims{8, 3}, *a, *concrete));
  const auto opaque = Partitioning::Opaque(4);
  EXPECT_FALSE(*opaque == *Partitioning::Opaque(4));
  EXPECT_EQ(*opaque, *opaque);
  EXPECT_EQ(opaque->Domains(Dims{4}).status().code(), StatusCode::kFailedPrecondition);
}

TEST(Partitioning, ConcreteShardsHoldEveryElementOnce) {
  EXPECT_TRUE(Partitioning::Concrete(Dims{5}, {Box({0}, {4}), Box({4}, {1})}).ok());
  const auto why = [](Dims dims, std::vector<IndexDomain> domains) {
    const Status status = Partitioning::Concrete(dims, std::move(domains)).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    return std::string(status.message());
  };
  EXPECT_EQ(why({5}, {Box({0}, {4})}),
            "the index domains hold 4 elements of an array of 5: every element needs a shard");
  EXPECT_EQ(
      why({5}, {Box({0}, {3}), Box({2}, {3})}),
      "index domains 0 and 1, [0:3] and [2:5], have some elements in common but are not equal");
  EXPECT_EQ(why({5}, {Box({0}, {6})}), "index domain 0 is [0:6], outside of the array [5]");
  EXPECT_EQ(why({5}, {Box({-1}, {6})}), "index domain 0 is [-1:5], outside of the array [5]");
  EXPECT_NE(why({5}, {Box({INT64_MAX}, {1})}).find("outside of the array [5]"), std::string::npos);
  EXPECT_EQ(why({5}, {Box({0, 0}, {5, 1})}), "index domain 0 has 2 dimensions; the array has 1");
  EXPECT_EQ(why({5}, {}), "a sharding needs at least one shard");
  EXPECT_TRUE(Partitioning::Concrete(Dims{3}, {Box({0}, {3}), Box({0}, {3})})->IsFullyReplicated());
}

TEST(Partitioning, BadMeshes) {
  const auto message = [](const Expected<Partitioning>& made) {
    return std::string(made.status().message());
  };
  EXPECT_EQ(message(Named({{"x", 2}}, {{0}}, 4)), "the mesh has 2 places for 4 devices");
  EXPECT_EQ(message(Named({{"x", 4}}, {{0}, {0}}, 4)),
            "mesh axis \"x\" is used twice, the second time for dimension 1");
  EXPECT_FALSE(Named({{"x", 0}}, {}, 4).ok());
  EXPECT_FALSE(Named({{"x", 4}}, {{1}}, 4).ok());
  EXPECT_FALSE(Named({{"x", 2}, {"x", 2}}, {{0}}, 4).ok());
  EXPECT_FALSE(Named({{"x", INT64_MAX}, {"y", 3}}, {{0}}, 4).ok());
  EXPECT_FALSE(Partitioning::Tiled(Dims{2}, Dims{0, 0}).ok());
  EXPECT_FALSE(Partitioning::Tiled(Dims{2}, Dims{0, 2}).ok());
  EXPECT_FALSE(Partitioning::Tiled(Dims{3}, Dims{0, 1, 2, 0}).ok());
  EXPECT_FALSE(Partitioning::Replicated(0).ok());
  const auto rows = Named({{"x", 4}}, {{0}}, 4);
  EXPECT_EQ(rows->Domains(Dims{4, 4}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(rows->Domains(Dims{-1}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(rows->Domain(Dims{4}, 4).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace plinth::ifrt
