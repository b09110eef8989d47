package file

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// identity is what makes a file the same one under another name.
type identity struct {
	Device uint64 `json:"device"`
	Inode  uint64 `json:"inode"`
}

func identityOf(info os.FileInfo) identity {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return identity{} // no file system of ours
	}
	return identity{Device: uint64(st.Dev), Inode: uint64(st.Ino)}
}

// headSize is how much of a file's beginning is remembered, bytes: a file system
// gives the inode of a deleted file to the next one, and a file may be emptied
// and written anew, so that only its content tells.
const headSize = 1 << 10

// head is the beginning of a file, as far as it was read.
type head struct{ data []byte }

// add takes note of bytes read at an offset.
func (h *head) add(p []byte, offset int64) {
	if offset == int64(len(h.data)) && len(h.data) < headSize {
		h.data = append(h.data, p[:min(len(p), headSize-len(h.data))]...)
	}
}

// still reports whether a file begins as remembered.
func (h *head) still(f *os.File) (bool, error) {
	now, err := readHead(f, len(h.data))
	return bytes.Equal(now, h.data), err
}

// place is a byte of the file that begins so.
func (h *head) place(file identity, offset int64) place {
	sum := sha256.Sum256(h.data)
	return place{identity: file, HeadBytes: len(h.data), HeadSum: hex.EncodeToString(sum[:]), Offset: offset}
}

// readHead reads the first n bytes, or as many as there are.
func readHead(f *os.File, n int) ([]byte, error) {
	data := make([]byte, n)
	got, err := f.ReadAt(data, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the beginning of %s: %w", f.Name(), err)
	}
	return data[:got], nil
}
