// Records of a file format: everything at an offset somebody else chose.
const HEADER_BYTES = 48;
const ALIGNMENT = 16;
alias Id = vec2<u32>;
struct Header {
    @size(16) magic: u32,
    @align(ALIGNMENT) version: u32,
    @size(HEADER_BYTES / 4) created: Id,
    @align(4) @size(8) flags: u32,
}
struct Record {
    id: Id,
    @align(16) @size(24) kind: u32,
    position: vec3<f32>,
    @size((HEADER_BYTES)) tail: vec2<f32>,
    @align(8) last: f32,
}
struct File { header: Header, @align(256) count: u32, records: array<Record> }

@group(0) @binding(0) var<storage, read> file: File;
@group(0) @binding(1) var<storage, read_write> positions: array<vec4<f32>>;

@compute @workgroup_size(ALIGNMENT * 4)
fn unpack(@builtin(global_invocation_id) gid: vec3u) {
    if gid.x < min(file.count, arrayLength(&file.records)) && file.header.version >= 2u {
        let record = file.records[gid.x];
        positions[gid.x] = vec4<f32>(record.position, f32(record.kind));
    }
}
