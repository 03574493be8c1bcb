// RUN: egg-opt %s --split-input-file --verify-diagnostics --egg-verify-ptx='max-local-bytes=32'

// expected-error @+1 {{PTX has the external symbol vprintf, which nothing will define}}
gpu.binary @printf [#gpu.object<#nvvm.target, assembly = ".extern .func  (.param .b32 func_retval0) vprintf\0A(\0A)\0A;\0A.visible .entry k()\0A{\0A.loc 1 2 3\0Aret;\0A}\0A">]

// -----

// expected-error @+1 {{PTX of k calls malloc, which is not defined in it}}
gpu.binary @call [#gpu.object<#nvvm.target, assembly = ".visible .entry k()\0A{\0A.loc 1 2 3\0Acall.uni (r), malloc, (p);\0Aret;\0A}\0A">]

// -----

// expected-error @+1 {{PTX of k has 40 bytes of local memory; the limit is 32}}
gpu.binary @stack [#gpu.object<#nvvm.target, assembly = ".visible .entry k()\0A{\0A.local .align 8 .b8 __local_depot0[40];\0A.loc 1 2 3\0Aret;\0A}\0A">]

// -----

// expected-error @+1 {{PTX of k has 65536 bytes of static shared memory; at most 49152 can be launched}}
gpu.binary @shared [#gpu.object<#nvvm.target, assembly = ".visible .entry k()\0A{\0A.shared .align 4 .b8 s[65536];\0A.loc 1 2 3\0Aret;\0A}\0A">]

// -----

// expected-error @+1 {{has the instruction "mul.f32 %r1, %r2, %r3;" without a rounding mode; ptxas could fuse it}}
gpu.binary @fuse [#gpu.object<#nvvm.target, assembly = ".visible .entry k()\0A{\0A.loc 1 2 3\0Amul.f32 %r1, %r2, %r3;\0Aret;\0A}\0A">]

// -----

// expected-error @+1 {{PTX of k has no .loc directive: its instructions cannot be traced to the payload}}
gpu.binary @lines [#gpu.object<#nvvm.target, assembly = ".visible .entry k()\0A{\0Aret;\0A}\0A">]

// -----

// expected-error @+1 {{PTX has no kernel}}
gpu.binary @empty [#gpu.object<#nvvm.target, assembly = ".version 8.6\0A">]
