# The static archives of the portable build: only the dialects, conversions and
# the one target (NVPTX) that egg uses.
set(EGG_PORTABLE_MLIR_LIBS
  MLIROptLib MLIRParser MLIRIR MLIRPass MLIRTransforms MLIRDebug MLIRObservers
  MLIRFuncDialect MLIRFuncAllExtensions MLIRFuncTransforms
  MLIRAffineDialect MLIRAffineTransforms MLIRAffineToStandard
  MLIRArithDialect MLIRArithTransforms MLIRArithValueBoundsOpInterfaceImpl MLIRArithToLLVM
  MLIRBufferizationDialect MLIRBufferizationTransforms MLIRBufferizationPipelines MLIRBufferizationTransformOps
  MLIRControlFlowDialect MLIRControlFlowTransforms MLIRControlFlowToLLVM
  MLIRGPUDialect MLIRGPUTransforms MLIRGPUToNVVMTransforms MLIRGPUToGPURuntimeTransforms
  MLIRIndexDialect MLIRIndexToLLVM
  MLIRLinalgDialect MLIRLinalgTransforms MLIRLinalgTransformOps
  MLIRLLVMDialect MLIRLLVMCommonConversion MLIRLLVMIRTransforms
  MLIRMathDialect MLIRMathTransforms MLIRMathToLLVM MLIRMathToLibm MLIRMathToFuncs MLIRBufferizationToMemRef
  MLIRMemRefDialect MLIRMemRefTransforms MLIRMemRefToLLVM MLIRMemRefUtils
  MLIRNVGPUDialect MLIRNVGPUTransforms MLIRNVGPUToNVVM
  MLIRNVVMDialect MLIRNVVMToLLVM MLIRNVVMTarget
  MLIRSCFDialect MLIRSCFTransforms MLIRSCFToControlFlow MLIRSCFTransformOps
  MLIRTensorDialect MLIRTensorTransforms MLIRTensorAllExtensions MLIRTensorInferTypeOpInterfaceImpl
  MLIRTransformDialect MLIRTransformDialectTransforms MLIRTransformTuneExtension MLIRTransformLoopExtension
  MLIRUBDialect MLIRUBToLLVM
  MLIRVectorDialect MLIRVectorTransforms MLIRVectorToLLVM MLIRVectorToSCF MLIRVectorToLLVMPass
  MLIRFuncToLLVM MLIRLinalgToStandard MLIRReconcileUnrealizedCasts
  MLIRBuiltinToLLVMIRTranslation MLIRGPUToLLVMIRTranslation MLIRLLVMToLLVMIRTranslation
  MLIRNVVMToLLVMIRTranslation MLIRTargetLLVMIRExport MLIRExecutionEngine MLIRConvertToLLVMPass)
llvm_map_components_to_libnames(EGG_PORTABLE_LLVM_LIBS
  nvptxcodegen nvptxdesc nvptxinfo x86codegen x86desc x86info orcjit passes
  asmparser bitreader bitwriter core ipo irreader linker support target
  frontendopenmp frontendoffloading)

# The distribution's archives name its shared libraries LLVM and MLIR as what they
# depend on, so linking their targets links everything twice. This collects the
# archives behind `roots`, with all that they depend on, less those two; what are
# no targets (system libraries) go to `systems`.
function(egg_collect_archives roots archives systems)
  set(left ${roots})
  set(seen LLVM MLIR)
  while(left)
    list(POP_FRONT left next)
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" next "${next}")
    if(next IN_LIST seen)
      continue()
    endif()
    list(APPEND seen ${next})
    if(NOT TARGET ${next})
      list(APPEND found_systems ${next})
      continue()
    endif()
    get_target_property(type ${next} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      list(APPEND found_archives $<TARGET_FILE:${next}>)
    elseif(NOT type STREQUAL "INTERFACE_LIBRARY")
      list(APPEND found_systems ${next})
      continue()
    endif()
    get_target_property(needs ${next} INTERFACE_LINK_LIBRARIES)
    if(needs)
      list(APPEND left ${needs})
    endif()
  endwhile()
  set(${archives} ${found_archives} PARENT_SCOPE)
  set(${systems} ${found_systems} PARENT_SCOPE)
endfunction()

egg_collect_archives("${EGG_PORTABLE_MLIR_LIBS};${EGG_PORTABLE_LLVM_LIBS}"
                     EGG_PORTABLE_ARCHIVES EGG_PORTABLE_SYSTEM_LIBS)

# A bare machine has neither: the static ones, which their -dev packages bring.
foreach(library z zstd)
  find_library(EGG_STATIC_${library} lib${library}.a REQUIRED)
endforeach()
list(TRANSFORM EGG_PORTABLE_SYSTEM_LIBS REPLACE "^ZLIB::ZLIB$" "${EGG_STATIC_z}")
list(TRANSFORM EGG_PORTABLE_SYSTEM_LIBS REPLACE "^zstd::libzstd_shared$" "${EGG_STATIC_zstd}")
