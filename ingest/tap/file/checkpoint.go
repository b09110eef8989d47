package file

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/filelock"
	"tapedeck/schema"
)

// checkpoint records how far a followed file is durable.
type checkpoint struct {
	Version   int    `json:"version"`
	Path      string `json:"path"`
	StreamID  string `json:"stream_id"`
	NextSeq   uint64 `json:"next_seq"` // seq of the first frame that is not durable
	Transport string `json:"transport"`
	ingest.Settled
	// Files are the files that have bytes to read, the oldest first. The first contains the first
	// frame that is not durable; each other file replaced the file before it.
	Files []location `json:"files"`
	// Origin is the location at which the stream begins. It is set while the whole stream is in the
	// first file, for which there is a journal of reads.
	Origin    *location `json:"origin,omitempty"`
	WrittenAt time.Time `json:"written_at"`
}

// location is the position of a byte in a file.
type location struct {
	identity
	HeadBytes int    `json:"head_bytes"` // length of the file's beginning, as far as it was read
	HeadSum   string `json:"head_sha256"`
	Offset    int64  `json:"offset"` // of the byte at which to continue
}

func (cp *checkpoint) equal(other *checkpoint) bool {
	return cp.StreamID == other.StreamID && cp.NextSeq == other.NextSeq && slices.Equal(cp.Files, other.Files)
}

// check returns an error if a checkpoint is invalid.
func (cp *checkpoint) check() error {
	if cp.Version != checkpointVersion {
		return fmt.Errorf("version %d, this program reads %d", cp.Version, checkpointVersion)
	}
	for _, f := range cp.Files {
		if f.Offset < 0 || f.HeadBytes < 0 || f.HeadBytes > headSize {
			return fmt.Errorf("offset %d, head of %d bytes", f.Offset, f.HeadBytes)
		}
	}
	_, err := schema.StreamStarted(cp.StreamID)
	if err == nil {
		_, err = schema.ParseTransport(cp.Transport)
	}
	return err
}

const checkpointVersion = 1

// store holds the checkpoint of one followed file, under a lock, so that no two processes follow
// the file into the same stream.
type store struct {
	path string
	lock *os.File
}

// openStore locks the checkpoint of a file in a directory; key distinguishes recordings for
// different tenants and sessions.
func openStore(dir, file string, key ...string) (*store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("directory for checkpoints: %w", err)
	}
	sum := sha256.Sum256([]byte(strings.Join(append([]string{file}, key...), "\x00")))
	path := filepath.Join(dir, fmt.Sprintf("%.80s-%x.json", filepath.Base(file), sum[:8]))
	lock, err := filelock.Take(path + ".lock")
	switch {
	case errors.Is(err, filelock.ErrHeld):
		return nil, fmt.Errorf("%s is followed by another process already (its checkpoint is %s): stop that process, "+
			"or name another session or state directory here", file, path)
	case err != nil:
		return nil, fmt.Errorf("lock the checkpoint of %s: %w", file, err)
	}
	return &store{path, lock}, nil
}

// load returns the checkpoint, nil if there is none.
func (s *store) load() (*checkpoint, error) {
	text, err := os.ReadFile(s.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read checkpoint: %w", err)
	}
	cp := &checkpoint{}
	err = json.Unmarshal(text, cp)
	if err == nil {
		err = cp.check()
	}
	if err != nil {
		return nil, fmt.Errorf("checkpoint %s is not usable (%w): remove it to record %s from its beginning", s.path,
			err, cp.Path)
	}
	return cp, nil
}

// save replaces the checkpoint atomically.
func (s *store) save(cp checkpoint) error {
	cp.WrittenAt = time.Now().UTC()
	text, err := json.MarshalIndent(cp, "", "  ")
	if err != nil {
		return fmt.Errorf("write checkpoint: %w", err)
	}
	next := s.path + ".next"
	f, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("write checkpoint: %w", err)
	}
	_, err = f.Write(append(text, '\n'))
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(next, s.path)
	}
	if err != nil {
		return fmt.Errorf("write checkpoint: %w", err)
	}
	return nil
}

// journalPath returns the path of the journal of reads.
func (s *store) journalPath() string { return strings.TrimSuffix(s.path, ".json") + ".reads" }

func (s *store) close() { s.lock.Close() }
