//===- Result.h - A value or an error ---------------------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a function that can fail returns. Throws nothing, so that the layers
// built without exceptions can use it.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_SUPPORT_RESULT_H
#define EGG_SUPPORT_RESULT_H

#include "egg/Support/Error.h"

#include <cassert>
#include <optional>
#include <type_traits>
#include <utility>

namespace egg {

/// A `T` or an Error. Made from either; tested as a bool before it is used.
template <typename T> class [[nodiscard]] Result {
public:
  using ValueType = T;

  template <typename U = T, typename = std::enable_if_t<
                                std::is_constructible_v<T, U &&> &&
                                !std::is_same_v<std::decay_t<U>, Result> &&
                                !std::is_same_v<std::decay_t<U>, Error>>>
  Result(U &&value) : storage(std::in_place, std::forward<U>(value)) {}
  Result(Error error) : failure(std::move(error)) {}
  Result(ErrorKind kind, std::string message)
      : failure(kind, std::move(message)) {}

  /// True when there is a value.
  explicit operator bool() const { return storage.has_value(); }
  bool ok() const { return storage.has_value(); }

  /// The value; there must be one.
  T &operator*() & { return (assert(ok()), *storage); }
  const T &operator*() const & { return (assert(ok()), *storage); }
  T &&operator*() && { return (assert(ok()), std::move(*storage)); }
  T *operator->() { return (assert(ok()), &*storage); }
  const T *operator->() const { return (assert(ok()), &*storage); }

  /// Moves the value out; there must be one.
  T take() { return (assert(ok()), std::move(*storage)); }

  /// The error; there must be no value.
  const Error &error() const { return (assert(!ok()), failure); }

private:
  std::optional<T> storage;
  Error failure;
};

/// Success or an Error. `return Status();` is success.
template <> class [[nodiscard]] Result<void> {
public:
  using ValueType = void;

  Result() = default;
  Result(Error error) : failure(std::move(error)) {}
  Result(ErrorKind kind, std::string message)
      : failure(Error(kind, std::move(message))) {}

  explicit operator bool() const { return !failure.has_value(); }
  bool ok() const { return !failure.has_value(); }
  const Error &error() const { return (assert(!ok()), *failure); }

private:
  std::optional<Error> failure;
};

using Status = Result<void>;

} // namespace egg

#define EGG_CONCAT_IMPL(a, b) a##b
#define EGG_CONCAT(a, b) EGG_CONCAT_IMPL(a, b)

/// Returns the error of `expr` (a Result of any type) from this function.
#define EGG_TRY(expr)                                                          \
  do {                                                                         \
    if (auto eggTryResult = (expr); !eggTryResult)                             \
      return eggTryResult.error();                                             \
  } while (false)

/// `EGG_ASSIGN(T name, expr);` declares or assigns the value of `expr`, or
/// returns its error from this function. The declaration must hold no comma.
#define EGG_ASSIGN(declaration, expr)                                          \
  EGG_ASSIGN_IMPL(EGG_CONCAT(eggResult, __LINE__), declaration, expr)
#define EGG_ASSIGN_IMPL(result, declaration, expr)                             \
  auto result = (expr);                                                        \
  if (!result)                                                                 \
    return result.error();                                                     \
  declaration = result.take()

#endif // EGG_SUPPORT_RESULT_H
