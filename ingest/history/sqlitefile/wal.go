package sqlitefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// walFile is a write-ahead log: a header, then frames of one page each. The last frame of a
// transaction has the size of the database. Frames of an earlier use of the file have another
// salt, and half-written ones a wrong checksum: neither counts, nor what follows them.
type walFile struct {
	file   *os.File
	info   os.FileInfo
	header [walHeader]byte
	order  binary.ByteOrder // of the words that the checksums add up
	frame  int              // bytes, with its header

	newest map[uint32]int64 // from a page to the offset of its newest committed content
	pages  uint32           // of the database after the last commit; 0 for no commit
	end    walState         // behind the last commit
}

// walState is a place in the log and the checksum of all before it.
type walState struct {
	offset int64
	sum    [2]uint32
}

const (
	walHeader   = 32
	frameHeader = 24
	walMagic    = 0x377f0682 // the lowest bit says that words are big-endian
	walVersion  = 3007000
)

// read reads the log up to its last commit.
func (w *walFile) read(pageSize int) error {
	w.newest, w.frame = map[uint32]int64{}, frameHeader+pageSize
	switch _, err := w.file.ReadAt(w.header[:], 0); {
	case errors.Is(err, io.EOF): // it was truncated, and has nothing
		clear(w.header[:])
		return nil
	case err != nil:
		return err
	}
	number := binary.BigEndian.Uint32(w.header[:])
	if number&^1 != walMagic || binary.BigEndian.Uint32(w.header[4:]) != walVersion {
		return fmt.Errorf("%w: its header is not known", ErrFormat)
	}
	if binary.BigEndian.Uint32(w.header[8:]) != uint32(pageSize) {
		return fmt.Errorf("%w: its pages have another size", ErrFormat)
	}
	w.order = binary.LittleEndian
	if number&1 != 0 {
		w.order = binary.BigEndian
	}
	state := walState{offset: walHeader}
	state.add(w.order, w.header[:24])
	if !state.is(w.header[24:]) {
		return nil // the header is being written
	}
	w.end = state
	pending := map[uint32]int64{}
	return w.each(state, func(page, commit uint32, next walState) bool {
		pending[page] = next.offset - int64(w.frame) + frameHeader
		if commit > 0 {
			for n, at := range pending {
				w.newest[n] = at
			}
			clear(pending)
			w.pages, w.end = commit, next
		}
		return true
	})
}

// each calls see with the valid frames behind a state until see returns false: the page, the
// size of the database if the frame ends a transaction, and the state behind the frame.
func (w *walFile) each(state walState, see func(page, commit uint32, next walState) bool) error {
	const together = 1 << 20 // bytes of one read
	buf := make([]byte, max(together/w.frame, 1)*w.frame)
	for {
		n, err := w.file.ReadAt(buf, state.offset)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		for rest := buf[:n]; ; rest = rest[w.frame:] {
			if len(rest) < w.frame {
				break
			}
			head := rest[:frameHeader]
			page := binary.BigEndian.Uint32(head)
			next := walState{state.offset + int64(w.frame), state.sum}
			next.add(w.order, head[:8])
			next.add(w.order, rest[frameHeader:w.frame])
			if page == 0 || !bytes.Equal(head[8:16], w.header[16:24]) || !next.is(head[16:]) || !see(page, binary.BigEndian.Uint32(head[4:]), next) {
				return nil
			}
			state = next
		}
		if n < len(buf) {
			return nil
		}
	}
}

// unchanged reports whether the log still begins as it was read: it was not begun anew.
func (w *walFile) unchanged() bool {
	var header [walHeader]byte
	n, err := w.file.ReadAt(header[:], 0)
	if n < walHeader && errors.Is(err, io.EOF) {
		return w.order == nil
	}
	return err == nil && header == w.header
}

// grown reports whether there is a later commit.
func (w *walFile) grown() bool {
	if w.end.offset == 0 {
		return true
	}
	later := false
	err := w.each(w.end, func(_, commit uint32, _ walState) bool {
		later = later || commit > 0
		return !later
	})
	return later || err != nil
}

// add adds bytes to the checksum; they are a multiple of eight.
func (s *walState) add(order binary.ByteOrder, p []byte) {
	a, b := s.sum[0], s.sum[1]
	for ; len(p) >= 8; p = p[8:] {
		a += order.Uint32(p) + b
		b += order.Uint32(p[4:]) + a
	}
	s.sum = [2]uint32{a, b}
}

// is reports whether the checksum is the one that is written in the file.
func (s *walState) is(p []byte) bool {
	return binary.BigEndian.Uint32(p) == s.sum[0] && binary.BigEndian.Uint32(p[4:]) == s.sum[1]
}
