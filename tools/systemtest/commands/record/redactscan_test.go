package record

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// markers are texts to look for, by their first eight bytes.
type markers struct {
	begins map[uint64][]marker
	first  [1 << 16]bool // the first two bytes
}

type marker struct{ text, name string }

func newMarkers() *markers { return &markers{begins: map[uint64][]marker{}} }

// add adds a text of at least eight bytes, as it is and in lower case, which is how an index
// of words has it.
func (m *markers) add(name, text string) {
	for _, form := range []string{text, strings.ToLower(text)} {
		key := binary.LittleEndian.Uint64([]byte(form))
		m.begins[key] = append(m.begins[key], marker{form, name})
		m.first[uint16(key)] = true
	}
}

// in calls found with the name of each marker that is in data.
func (m *markers) in(data []byte, found func(name string)) {
	for i := 0; i+8 <= len(data); i++ {
		if !m.first[uint16(data[i])|uint16(data[i+1])<<8] {
			continue
		}
		for _, one := range m.begins[binary.LittleEndian.Uint64(data[i:])] {
			if bytes.HasPrefix(data[i:], []byte(one.text)) {
				found(one.name)
			}
		}
	}
}

// scan looks for markers in every file of a directory, as it is and with the blocks of
// ClickHouse decompressed. It returns the files of each marker.
func (m *markers) scan(t *testing.T, dir string) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	files := 0
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return present(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return present(err)
		}
		files++
		for _, text := range [][]byte{data, decompressed(data)} {
			m.in(text, func(name string) { found[name] = append(found[name], path) })
		}
		return nil
	})
	if err != nil || files < 100 {
		t.Fatalf("%d files were looked at: %v", files, err)
	}
	return found
}

// present is the error of reading a file, nil if it was removed meanwhile.
func present(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

var unzstd, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))

// decompressed returns the content of a file of compressed blocks of ClickHouse: each has a
// checksum of 16 bytes, its method, and its sizes with these nine bytes and decompressed.
func decompressed(data []byte) (all []byte) {
	for len(data) >= 25 {
		size, raw := int(binary.LittleEndian.Uint32(data[17:])), int(binary.LittleEndian.Uint32(data[21:]))
		if size < 9 || 16+size > len(data) || raw > 64<<20 {
			break
		}
		body := data[25 : 16+size]
		switch method := data[16]; method {
		case 0x82:
			out := make([]byte, raw)
			if n, err := lz4.UncompressBlock(body, out); err == nil {
				all = append(all, out[:n]...)
			}
		case 0x90:
			if out, err := unzstd.DecodeAll(body, nil); err == nil {
				all = append(all, out...)
			}
		}
		data = data[16+size:]
	}
	return all
}

// escapedJSON writes every byte of a text as an escape.
func escapedJSON(text string) string {
	var b strings.Builder
	for i := range len(text) {
		fmt.Fprintf(&b, `\u%04x`, text[i])
	}
	return b.String()
}
