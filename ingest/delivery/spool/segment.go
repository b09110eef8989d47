package spool

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Names in the spool directory consist of an increasing number in hexadecimal and a suffix for the
// kind of file.
const (
	pendingSuffix = ".spool"   // blocks to be sent
	refusedSuffix = ".refused" // blocks that the next publisher has refused permanently; tried again at the next start
	damagedSuffix = ".damaged" // a segment with unreadable records; kept for inspection
)

// segment is one file of records. The store's lock guards the fields that change.
type segment struct {
	number   uint64
	path     string
	size     int64 // size of the header and the complete records
	records  int   // number of complete records
	left     int   // blocks of the segment that were not confirmed
	read     bool  // the file was read to its end
	damaged  bool  // the file has unreadable records
	oldestAt int64 // approximate time at which the oldest unconfirmed block was accepted, ns
}

func segmentPath(dir string, number uint64, suffix string) string {
	return filepath.Join(dir, fmt.Sprintf("%016x%s", number, suffix))
}

// parseName reads a file's number and suffix; ok is false for other files.
func parseName(name string) (number uint64, suffix string, ok bool) {
	stem, suffix, _ := strings.Cut(name, ".")
	suffix = "." + suffix
	if len(stem) != 16 || suffix != pendingSuffix && suffix != refusedSuffix && suffix != damagedSuffix {
		return 0, "", false
	}
	number, err := strconv.ParseUint(stem, 16, 64)
	return number, suffix, err == nil
}

// createSegment creates a file with a header. If it fails, it leaves no file.
func createSegment(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if _, err := f.Write([]byte(segmentHead)); err != nil {
		f.Close()
		os.Remove(path)
		return nil, err
	}
	return f, nil
}

// contents describes the records of a segment.
type contents struct {
	records int
	valid   int64 // offset at which the last complete record ends
	firstAt int64 // when the block of the first record was accepted; 0 if there is none
	size    int64 // of the file
}

// torn returns how many bytes at the end are not complete records.
func (c *contents) torn() int64 { return c.size - c.valid }

// walkSegment finds the complete records of a file. If check is set, it verifies their checksums
// and ends before the first mismatch. Otherwise it reads only the lengths, which is fast for a file
// of any size.
func walkSegment(path string, check bool) (contents, error) {
	f, err := os.Open(path)
	if err != nil {
		return contents{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return contents{}, err
	}
	c := contents{size: info.Size()}
	head := make([]byte, len(segmentHead))
	if _, err := f.ReadAt(head, 0); err != nil {
		if errors.Is(err, io.EOF) {
			return c, nil // the process was killed before the header was written
		}
		return contents{}, err
	}
	if string(head) == strings.Repeat("\x00", len(head)) {
		return c, nil // a power cut before any byte reached the disk
	}
	if string(head) != segmentHead {
		return contents{}, fmt.Errorf("%s is not a spool file of this version: it begins with %q", path, head)
	}
	c.valid = int64(len(segmentHead))
	var body []byte
	for {
		head := make([]byte, recordHead)
		n, err := recordAt(f, c.valid, c.size, head)
		if errors.Is(err, io.EOF) || errors.Is(err, errDamaged) {
			return c, nil
		}
		if err != nil {
			return contents{}, err
		}
		if check || c.records == 0 {
			body = append(body[:0], make([]byte, n)...)
			if _, err := f.ReadAt(body, c.valid+recordHead); err != nil {
				return contents{}, err
			}
			r, err := parseBody(head, body)
			if err != nil && check {
				return c, nil
			}
			if c.records == 0 {
				c.firstAt = r.at
			}
		}
		c.records++
		c.valid += recordHead + int64(n)
	}
}

// recordAt reads the header of the record at off and returns the length of its body. The error is
// io.EOF at the end, and errDamaged if there is no complete record at off.
func recordAt(f io.ReaderAt, off, end int64, head []byte) (int, error) {
	if off == end {
		return 0, io.EOF
	}
	if end-off < recordHead {
		return 0, errDamaged
	}
	if _, err := f.ReadAt(head, off); err != nil {
		return 0, err
	}
	n, err := bodyLength(head)
	if err == nil && int64(n) > end-off-recordHead {
		err = errDamaged
	}
	return n, err
}
