package output

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"
)

// TestHostileArchives unpacks archives whose files lead out of the directory, are more than they claim, or overwrite.
func TestHostileArchives(t *testing.T) {
	const large = 200 << 20
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	zeroes := make([]byte, 1<<20)
	sum := crc32.NewIEEE()
	for range large / len(zeroes) {
		if _, err := w.Write(zeroes); err != nil {
			t.Fatal(err)
		}
		_, _ = sum.Write(zeroes) // a hash takes every byte
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	bomb := func(name string, claimed uint64) *zip.FileHeader {
		return &zip.FileHeader{Name: name, Method: zip.Deflate, CRC32: sum.Sum32(), CompressedSize64: uint64(packed.Len()), UncompressedSize64: claimed}
	}
	for name, h := range map[string]*zip.FileHeader{
		"out of the directory": bomb("../out.csv", large),
		"from the root":        bomb("/tmp/out.csv", large),
		"into a folder":        bomb("a/b.csv", large),
		"the directory":        bomb(".", large),
		"the one above":        bomb("..", large),
		"no name":              bomb("", large),
		"a file that is there": bomb("there.csv", large),
		"more than it claims":  bomb("bomb.csv", 1000),
		"more than nothing":    bomb("empty.csv", 0),
		"a zero byte":          bomb("x\x00y.csv", large),
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			archive, dir := filepath.Join(home, "a.zip"), filepath.Join(home, "to")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "there.csv"), []byte("kept"), 0o600); err != nil {
				t.Fatal(err)
			}
			var content bytes.Buffer
			z := zip.NewWriter(&content)
			to, err := z.CreateRaw(h)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := to.Write(packed.Bytes()); err != nil {
				t.Fatal(err)
			}
			if err := z.Close(); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(archive, content.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			if names, err := Unpack(archive, dir, false); err == nil {
				t.Errorf("it is unpacked to %q", names)
			}
			if kept, err := os.ReadFile(filepath.Join(dir, "there.csv")); err != nil || string(kept) != "kept" {
				t.Errorf("the file that was there: %q, %v", kept, err)
			}
			var size int64
			err = filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
				if err == nil && !d.IsDir() && path != archive {
					info, bad := d.Info()
					size, err = size+info.Size(), bad
				}
				return err
			})
			if err != nil || size > 1<<20 {
				t.Errorf("%d bytes were written, %v", size, err)
			}
		})
	}
}
