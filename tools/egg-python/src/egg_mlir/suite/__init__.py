"""Times PyTorch and egg's runtime side by side: one process, one timer, one
flush, the same input bits, in turns.

| module | what | needs a GPU |
| --- | --- | --- |
| workloads | the table of a suite | no |
| order | the order of blocks, and which count | no |
| gate | what is close enough | no; the tensors are PyTorch's |
| artifact, runtime | egg's artifact and C API | the launch does |
| device | the timer, the flush, clocks | yes |
| worker | one fresh process: check and time | yes |
| collect | processes' answers to one results file | no |
| cli | egg-suite | no |
"""
