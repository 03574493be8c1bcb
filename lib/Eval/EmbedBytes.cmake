# cmake -DFROM=file -DTO=file.inc -P EmbedBytes.cmake: the bytes of a file, and a
# zero behind them, as the elements of a C array.
file(READ "${FROM}" hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
file(WRITE "${TO}" "${bytes}0\n")
