package file

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// journal records the reads of a stream, with their times. A restarted follower repeats the reads
// of the previous process, so that it makes the same frames with the same times. An entry is
// written before its bytes are recorded. A journal covers only a stream in one file.
//
// An entry is two little-endian 64-bit numbers: the offset in the stream at which the read ends,
// and the time of the read, ns.
type journal struct {
	file *os.File
}

const journalEntry = 16

// newJournal creates an empty journal.
func newJournal(path string) (*journal, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("journal of reads: %w", err)
	}
	return &journal{f}, nil
}

// openJournal opens an existing journal, and returns its reads.
func openJournal(path string) (*journal, []read, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0o600)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("journal of reads: %w", err)
	}
	data, err := io.ReadAll(f)
	if err == nil {
		whole := int64(len(data) / journalEntry * journalEntry) // the last entry may be incomplete
		data = data[:whole]
		if err = f.Truncate(whole); err == nil {
			_, err = f.Seek(whole, io.SeekStart)
		}
	}
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("journal of reads: %w", err)
	}
	return &journal{f}, parseJournal(data), nil
}

// read is one read of the stream.
type read struct {
	end int64 // offset in the stream at which the read ends
	at  int64 // ns
}

// parseJournal returns the reads, up to the first that is invalid.
func parseJournal(data []byte) []read {
	reads := make([]read, 0, len(data)/journalEntry)
	last := read{}
	for ; len(data) >= journalEntry; data = data[journalEntry:] {
		r := read{int64(binary.LittleEndian.Uint64(data)), int64(binary.LittleEndian.Uint64(data[8:]))}
		if r.end <= last.end || r.end-last.end > readSize || r.at < last.at {
			break
		}
		reads, last = append(reads, r), r
	}
	return reads
}

// add appends a read.
func (j *journal) add(r read) error {
	var entry [journalEntry]byte
	binary.LittleEndian.PutUint64(entry[:], uint64(r.end))
	binary.LittleEndian.PutUint64(entry[8:], uint64(r.at))
	if _, err := j.file.Write(entry[:]); err != nil {
		return fmt.Errorf("journal of reads: %w", err)
	}
	return nil
}

func (j *journal) close() { j.file.Close() }
