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

// identity identifies a file independently of its name.
type identity struct {
	Device uint64 `json:"device"`
	Inode  uint64 `json:"inode"`
}

func identityOf(info os.FileInfo) identity {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return identity{} // the file system is not local
	}
	return identity{Device: uint64(st.Dev), Inode: uint64(st.Ino)}
}

// headSize is how many bytes of a file's beginning are compared: a file system may reuse
// the inode of a deleted file, and a file may be emptied and rewritten, so that only the
// content identifies it.
const headSize = 1 << 10

// head is the beginning of a file, as far as the file was read.
type head struct{ data []byte }

// add adds bytes that were read at an offset.
func (h *head) add(p []byte, offset int64) {
	if offset == int64(len(h.data)) && len(h.data) < headSize {
		h.data = append(h.data, p[:min(len(p), headSize-len(h.data))]...)
	}
}

// matches reports whether a file still has this beginning.
func (h *head) matches(f *os.File) (bool, error) {
	now, err := readHead(f, len(h.data))
	return bytes.Equal(now, h.data), err
}

// location returns the location of an offset in the file with this beginning.
func (h *head) location(file identity, offset int64) location {
	sum := sha256.Sum256(h.data)
	return location{identity: file, HeadBytes: len(h.data), HeadSum: hex.EncodeToString(sum[:]), Offset: offset}
}

// readHead reads the first n bytes, or fewer if the file is shorter.
func readHead(f *os.File, n int) ([]byte, error) {
	data := make([]byte, n)
	got, err := f.ReadAt(data, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the beginning of %s: %w", f.Name(), err)
	}
	return data[:got], nil
}
