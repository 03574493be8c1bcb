func.func @main(%x: !llvm.ptr) {
  return
}
