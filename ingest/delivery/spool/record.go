package spool

import (
	"encoding/binary"
	"errors"
	"hash/crc32"

	"tapedeck/ingest"
)

// A segment file consists of a header and records, little-endian:
//
//	head    8 bytes  "TDSPOOL" and the version, 1
//	record  u32      length of the body, bytes
//	        u32      CRC-32C of the body
//	        body     varint   when the block was accepted, ns since the Unix epoch
//	                 uvarint  number of frames
//	                 three strings, each a uvarint length and its bytes: tenant, session, id
//	                 the block, up to the end of the body
const (
	segmentHead = "TDSPOOL\x01"
	recordHead  = 8
	// minBody is the length of the shortest body: five numbers of one byte each.
	minBody = 5
	// maxBody bounds the length that is read from a possibly damaged record, bytes.
	maxBody = 1 << 30
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errDamaged reports a record whose bytes differ from those that were written.
var errDamaged = errors.New("damaged record")

// record is a block with the time at which it was accepted.
type record struct {
	block ingest.EncodedBlock
	at    int64 // ns since the Unix epoch
}

// appendRecord appends a record to b.
func appendRecord(b []byte, r *record) []byte {
	start := len(b)
	b = append(b, make([]byte, recordHead)...)
	b = binary.AppendVarint(b, r.at)
	b = binary.AppendUvarint(b, uint64(r.block.Frames))
	for _, s := range [...]string{r.block.Tenant, r.block.Session, r.block.ID} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	b = append(b, r.block.Data...)
	body := b[start+recordHead:]
	binary.LittleEndian.PutUint32(b[start:], uint32(len(body)))
	binary.LittleEndian.PutUint32(b[start+4:], crc32.Checksum(body, castagnoli))
	return b
}

// bodyLength reads a record's header. It returns errDamaged for an invalid length.
func bodyLength(head []byte) (int, error) {
	n := binary.LittleEndian.Uint32(head)
	if n < minBody || n > maxBody {
		return 0, errDamaged
	}
	return int(n), nil
}

// parseBody reads a record's body. The block's data aliases body.
func parseBody(head, body []byte) (record, error) {
	if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(head[4:]) {
		return record{}, errDamaged
	}
	var r record
	at, n := binary.Varint(body)
	if n <= 0 {
		return record{}, errDamaged
	}
	r.at, body = at, body[n:]
	frames, n := binary.Uvarint(body)
	if n <= 0 || frames > maxBody {
		return record{}, errDamaged
	}
	r.block.Frames, body = int(frames), body[n:]
	for _, s := range [...]*string{&r.block.Tenant, &r.block.Session, &r.block.ID} {
		length, n := binary.Uvarint(body)
		if n <= 0 || length > uint64(len(body)-n) {
			return record{}, errDamaged
		}
		body = body[n:]
		*s, body = string(body[:length]), body[length:]
	}
	r.block.Data = body
	return r, nil
}
