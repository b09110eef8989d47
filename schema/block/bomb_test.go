package block

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"runtime"
	"strconv"
	"testing"

	"tapedeck/schema"
)

// TestBomb decodes a block of some kilobytes that unpacks to hundreds of megabytes while it claims a few bytes. It is
// refused before more is unpacked than it claims.
func TestBomb(t *testing.T) {
	packed := zstdEncoder().EncodeAll(make([]byte, 400<<20), nil)
	p := append([]byte(magic), version, byte(Zstd))
	p = binary.LittleEndian.AppendUint32(p, 64)
	p = append(p, make([]byte, headSize-len(p)-4)...)
	p = binary.LittleEndian.AppendUint32(p, crc32.Checksum(packed, castagnoli))
	p = append(p, packed...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := open(p, nil, MaxBody)
	runtime.ReadMemStats(&after)
	if !errors.Is(err, ErrFormat) {
		t.Errorf("it is read: %v", err)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 32<<20 {
		t.Errorf("%d bytes were allocated", grown)
	}
}

// TestItemBomb decodes blocks whose bodies are within the limit, and whose frames, facts, ends and tags would take many
// times as much memory. They are refused before that memory is allocated.
func TestItemBomb(t *testing.T) {
	const limit = 4 << 20
	tags := map[string]string{}
	for i := range 60_000 {
		tags[strconv.Itoa(i)] = ""
	}
	for name, b := range map[string]*Block{
		"frames":   {Frames: make([]schema.Frame, 60_000)},
		"spans":    {Facts: Facts{Spans: make([]schema.Span, 60_000)}},
		"messages": {Facts: Facts{Messages: make([]schema.Message, 60_000)}},
		"usages":   {Facts: Facts{Usages: make([]schema.Usage, 60_000)}},
		"chunks":   {Facts: Facts{Messages: []schema.Message{{ChunkAt: make([]int64, 400_000), ChunkEnd: make([]uint32, 400_000)}}}},
		"ends":     {Left: make([]Left, 60_000)},
		"tags":     {State: schema.StreamState{Tags: tags}},
	} {
		p := Encode(nil, b, S2)
		if size := BodySize(p); size > limit {
			t.Fatalf("%s: a body of %d bytes shows nothing", name, size)
		}
		d := Decoder{Limit: limit}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := d.Decode(p, &Block{})
		runtime.ReadMemStats(&after)
		if !errors.Is(err, ErrFormat) {
			t.Errorf("%s: it is read: %v", name, err)
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 3*limit {
			t.Errorf("%s: %d bytes were allocated", name, grown)
		}
		if err := new(Decoder).Decode(p, &Block{}); err != nil {
			t.Errorf("%s: without a limit: %v", name, err)
		}
	}
	if err := (&Decoder{Limit: limit}).Decode(Encode(nil, &Block{Frames: []schema.Frame{{Raw: make([]byte, limit)}}}, S2), &Block{}); !errors.Is(err, ErrFormat) {
		t.Errorf("a body over the limit is read: %v", err)
	}
}
