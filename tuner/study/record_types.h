#pragma once
// Types of arguments: numbers, vectors of them, and structs in C's layout.

#include <cstdint>
#include <optional>
#include <string>

#include "tuner/model/study.h"
#include "tuner/study/sections.h"

namespace tuner {

struct ElementLayout {
  DataType type = DataType::kFloat32;
  int lanes = 1;
  std::uint64_t alignment = 4;  // bytes
};

// "float32", "float4", "complex64", "bool", "unsigned char", ...; none for what is no number.
std::optional<ElementLayout> element_layout(const std::string& name);

// A vector as the struct of its numbers: "[0]", "[1]", ...
RecordSpec vector_record(const std::string& name, const ElementLayout& element);

// Adds a member behind those that are there, where C would.
void append_member(RecordSpec& record, const std::string& path, const RecordSpec& member);
// The end of a struct: padding up to a multiple of its alignment.
void finish_record(RecordSpec& record);

// Reads 'type' of an argument.
void read_argument_type(Reader& reader, const YamlNode& node, ArgumentSpec& argument);
// The same of type: "{T}".
void read_type_parameter(Reader& reader, const YamlNode& node, ArgumentSpec& argument);
// Reads 'value' of an argument that is a struct or a vector.
void read_record_value(Reader& reader, const YamlNode& node, ArgumentSpec& argument);
// Reads 'fill' of a buffer of structs: for each member its own.
void read_member_fills(Reader& reader, const YamlNode& node, ArgumentSpec& argument);
// An argument that is null, an address or a table of addresses; false where it is none of these.
bool read_address(Reader& reader, const Fields& fields, ArgumentSpec& argument);
// A texture over a buffer; false where it is none.
bool read_texture(const Fields& fields, ArgumentSpec& argument);
// Once types are expanded: whether textures can be made of their buffers.
void check_textures(Reader& reader);
// 'tensor_map' of an argument; what it is a map of may come later, so that is checked at the end.
void read_tensor_map(Reader& reader, const Fields& fields, ArgumentSpec& argument);
void check_tensor_maps(Reader& reader);
// Once all arguments and buffers were read: whether addresses are those of buffers.
void check_addresses(Reader& reader);

}  // namespace tuner
