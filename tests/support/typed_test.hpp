// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// TYPED_TEST and TYPED_TEST_SUITE, used and named as GoogleTest's. Those instantiate some ten functions of GoogleTest
// for each case on each type, a quarter of the code of a test program; these do so for each fixture on each type.

#include <gtest/gtest.h>

#include <string>

namespace ostinato::test {

/// The name of a type where a suite gives none: its number.
struct TypeNumbers {
  template <class>
  static std::string GetName(int number) {
    return std::to_string(number);
  }
};

template <class Types, class Names = TypeNumbers>
struct TypesOfSuite;
template <class... Type, class N>
struct TypesOfSuite<testing::Types<Type...>, N> {
  using Types = testing::Types<Type...>;
  using Names = N;
};

template <class Fixture, class Body>
Fixture* make_body() {
  return new Body;
}

template <class Fixture, class Names, class Type>
void register_on_type(const char* suite, int number, const char* name, const char* file, int line, Fixture* (*make)()) {
  const std::string full = std::string(suite) + "/" + Names::template GetName<Type>(number);
  testing::RegisterTest(full.c_str(), name, nullptr, nullptr, file, line, make);
}

/// Registers a case of a suite on each of its types.
template <template <class> class Fixture, template <class> class Body, class Names, class... Type>
bool register_on_types(testing::Types<Type...>, const char* suite, const char* name, const char* file, int line) {
  int number = 0;
  (register_on_type<Fixture<Type>, Names, Type>(suite, number++, name, file, line,
                                                &make_body<Fixture<Type>, Body<Type>>),
   ...);
  return true;
}

}  // namespace ostinato::test

#undef TYPED_TEST_SUITE
#define TYPED_TEST_SUITE(suite, ...) using suite##OnTypes = ::ostinato::test::TypesOfSuite<__VA_ARGS__>

#undef TYPED_TEST
#define TYPED_TEST(suite, name)                                                                 \
  template <class TypeParam>                                                                    \
  class suite##_##name##_Test : public suite<TypeParam> {                                       \
    using TestFixture = suite<TypeParam>;                                                       \
    void TestBody() override;                                                                   \
  };                                                                                            \
  [[maybe_unused]] const bool suite##_##name##_is_registered =                                  \
      ::ostinato::test::register_on_types<suite, suite##_##name##_Test, suite##OnTypes::Names>( \
          suite##OnTypes::Types{}, #suite, #name, __FILE__, __LINE__);                          \
  template <class TypeParam>                                                                    \
  void suite##_##name##_Test<TypeParam>::TestBody()
