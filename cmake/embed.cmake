# Writes a text file as a C array that ends with a zero: cmake -DFROM=file -DTO=file.c -DNAME=array -P embed.cmake
file(READ ${FROM} bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
file(WRITE ${TO} "#include \"board/files.h\"\n\nconst char ${NAME}[] = {\n${bytes}0};\n")
