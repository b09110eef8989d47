package block

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// Entry is one of the blocks in a message. A message that is a single block has one entry without a
// session.
type Entry struct {
	Session string // session of the block, to skip it without decoding
	Data    []byte // the block
}

// bundled is the version number of a bundle. A program without support for bundles reads it as a
// block of a later version and does not process it.
const bundled = 2

// bundleHead is the size of the header: magic, version, length of the table, checksum of the table.
const bundleHead = len(magic) + 1 + 4 + 4

// IsBundle reports whether a message is a bundle: several blocks in one message.
func IsBundle(message []byte) bool {
	return len(message) >= bundleHead && string(message[:len(magic)]) == magic && message[len(magic)] == bundled
}

// AppendBundle appends a message with several blocks to dst.
func AppendBundle(dst []byte, entries []Entry) []byte {
	w := writer{b: dst}
	start := len(dst)
	w.b = append(w.b, magic...)
	w.b = append(w.b, bundled, 0, 0, 0, 0, 0, 0, 0, 0)
	w.uint(uint64(len(entries)))
	for _, e := range entries {
		w.string(e.Session)
		w.uint(uint64(len(e.Data)))
	}
	sealTable(w.b[start:], len(w.b)-start-bundleHead)
	for _, e := range entries {
		w.b = append(w.b, e.Data...)
	}
	return w.b
}

// sealTable writes the length and the checksum of a bundle's table into the header.
func sealTable(bundle []byte, size int) []byte {
	binary.LittleEndian.PutUint32(bundle[len(magic)+1:], uint32(size))
	sum := crc32.Checksum(bundle[bundleHead:bundleHead+size], castagnoli)
	binary.LittleEndian.PutUint32(bundle[bundleHead-4:], sum)
	return bundle
}

// Entries returns the blocks of a message, which is a block or a bundle, and reuses into. The
// entries alias the message, and their blocks are not decoded. The error is ErrFormat for an
// invalid bundle.
func Entries(message []byte, into []Entry) ([]Entry, error) {
	into = into[:0]
	if !IsBundle(message) {
		return append(into, Entry{Data: message}), nil
	}
	size := binary.LittleEndian.Uint32(message[len(magic)+1:])
	sum := binary.LittleEndian.Uint32(message[bundleHead-4:])
	rest := reader{b: message[bundleHead:]}
	table := reader{b: rest.bytes(uint64(size))}
	if crc32.Checksum(table.b, castagnoli) != sum {
		rest.fail("checksum of the table does not match")
	}
	for range table.count(2) {
		session, length := table.string(), table.uint()
		into = append(into, Entry{session, rest.bytes(length)})
	}
	if len(table.b)+len(rest.b) > 0 {
		rest.fail("more bytes than blocks")
	}
	if err := cmp.Or(table.err, rest.err); err != nil {
		return nil, fmt.Errorf("bundle: %w", err)
	}
	return into, nil
}
