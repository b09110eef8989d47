package tapefile

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"tapedeck/schema/block"
)

// MediaType is the media type of a tape file.
const MediaType = "application/vnd.tapedeck.tape"

// Version is the version of the format that this package writes, and the highest version that it
// reads.
const Version = 1

const (
	// magic begins a file. Its first byte is not text, and a transfer in text mode would change its
	// line end.
	magic      = "\x89tape\r\n\x1a"
	headerSize = len(magic) + 2 + 2 + 4 // magic, version, reserved, checksum

	// endMagic ends a complete file.
	endMagic    = "tape-end"
	trailerSize = 8 + 8 + 4 + len(endMagic) // place and size of the index, checksum, magic

	headSize = 1 + 3 + 4 + 4 + 4 + 4 // kind, reserved, two lengths, two checksums
	// maxMeta and maxData bound the lengths in a record's head, bytes.
	maxMeta = 64 << 10
	maxData = block.MaxBody
)

// Kind is the content type of a record. Readers skip unknown kinds.
type Kind uint8

const (
	KindStreams Kind = iota + 1 // segments of a session's streams: blocks with only a state
	KindFrames                  // frames of a session: a block per stream
	KindFacts                   // facts of a session: a block per segment
	KindIndex                   // the locations of the records
	KindNotes                   // notes of a session: a block with a frame per note
)

var kindNames = [...]string{"", "streams", "frames", "facts", "index", "notes"}

// String returns the name of the kind.
func (k Kind) String() string {
	if int(k) < len(kindNames) && k > 0 {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// header returns the first bytes of a file.
func header() []byte {
	b := append(make([]byte, 0, headerSize), magic...)
	b = binary.LittleEndian.AppendUint16(b, Version)
	b = binary.LittleEndian.AppendUint16(b, 0)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// checkHeader checks the first bytes of a file.
func checkHeader(b []byte) error {
	if len(b) < headerSize {
		if string(b) != magic[:min(len(b), len(magic))] || len(b) == 0 {
			return ErrNotTape
		}
		return fmt.Errorf("%w in its first %d bytes", ErrCut, headerSize)
	}
	if string(b[:len(magic)]) != magic {
		return ErrNotTape
	}
	if crc32.Checksum(b[:headerSize-4], castagnoli) != binary.LittleEndian.Uint32(b[headerSize-4:]) {
		return fmt.Errorf("%w in its first %d bytes", ErrDamaged, headerSize)
	}
	if v := binary.LittleEndian.Uint16(b[len(magic):]); v > Version {
		return fmt.Errorf("%w: it has version %d, this program reads up to %d", ErrVersion, v, Version)
	}
	return nil
}

// recordHead precedes the two sections of a record.
type recordHead struct {
	kind       Kind
	meta, data int    // lengths, bytes
	sum        uint32 // of both sections
}

func (h recordHead) append(dst []byte) []byte {
	start := len(dst)
	dst = append(dst, byte(h.kind), 0, 0, 0)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(h.meta))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(h.data))
	dst = binary.LittleEndian.AppendUint32(dst, h.sum)
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli))
}

// parseHead parses a record's head. The head has its own checksum, so that a damaged length is
// detected.
func parseHead(b []byte) (recordHead, error) {
	if crc32.Checksum(b[:headSize-4], castagnoli) != binary.LittleEndian.Uint32(b[headSize-4:]) {
		return recordHead{}, fmt.Errorf("%w: the head's checksum does not match", ErrDamaged)
	}
	h := recordHead{
		kind: Kind(b[0]), meta: int(binary.LittleEndian.Uint32(b[4:])), data: int(binary.LittleEndian.Uint32(b[8:])),
		sum: binary.LittleEndian.Uint32(b[12:]),
	}
	if h.meta > maxMeta || h.data > maxData {
		return recordHead{}, fmt.Errorf("%w: a record of %d bytes", ErrDamaged, h.meta+h.data)
	}
	return h, nil
}

// size returns the size of the whole record, bytes.
func (h recordHead) size() int { return headSize + h.meta + h.data }

// trailer returns the last bytes of a file.
func trailer(index int64, size int) []byte {
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, trailerSize), uint64(index))
	b = binary.LittleEndian.AppendUint64(b, uint64(size))
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	return append(b, endMagic...)
}

// parseTrailer parses the location and the size of the index; it returns false for bytes that are
// not a trailer.
func parseTrailer(b []byte) (index, size int64, ok bool) {
	if len(b) != trailerSize || string(b[20:]) != endMagic ||
		crc32.Checksum(b[:16], castagnoli) != binary.LittleEndian.Uint32(b[16:]) {
		return 0, 0, false
	}
	return int64(binary.LittleEndian.Uint64(b)), int64(binary.LittleEndian.Uint64(b[8:])), true
}
