package file

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"tapedeck/schema"
)

// checkpoint is how far a followed file is recorded durably.
type checkpoint struct {
	Version int    `json:"version"`
	Path    string `json:"path"`
	identity
	HeadBytes int       `json:"head_bytes"` // of the file's beginning
	HeadSum   string    `json:"head_sha256"`
	Offset    int64     `json:"offset"` // of the first byte that is not durable
	StreamID  string    `json:"stream_id"`
	NextSeq   uint64    `json:"next_seq"` // of the frame that begins there
	Transport string    `json:"transport"`
	WrittenAt time.Time `json:"written_at"`
}

const checkpointVersion = 1

// store is where the checkpoint of one followed file lies. It is held under a
// lock, so that no two processes follow the file into the same stream.
type store struct {
	path string
	lock *os.File
}

// openStore takes the checkpoint of a file in a directory; key tells apart what
// is recorded for different tenants and sessions.
func openStore(dir, file string, key ...string) (*store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("directory for checkpoints: %w", err)
	}
	sum := sha256.Sum256([]byte(strings.Join(append([]string{file}, key...), "\x00")))
	path := filepath.Join(dir, fmt.Sprintf("%.80s-%x.json", filepath.Base(file), sum[:8]))
	lock, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the checkpoint of %s: %w", file, err)
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		lock.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("%s is followed by another process already (its checkpoint is %s): stop that one, "+
				"or name another session or state directory here", file, path)
		}
		return nil, fmt.Errorf("lock the checkpoint of %s: %w", file, err)
	}
	return &store{path, lock}, nil
}

// load gives nil where there is no checkpoint.
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
	if err == nil && cp.Version != checkpointVersion {
		err = fmt.Errorf("version %d, this program reads %d", cp.Version, checkpointVersion)
	}
	if err == nil {
		_, err = schema.ParseTransport(cp.Transport)
	}
	if err == nil {
		_, err = schema.StreamStarted(cp.StreamID)
	}
	if err == nil && (cp.Offset < 0 || cp.HeadBytes < 0 || cp.HeadBytes > headSize) {
		err = fmt.Errorf("offset %d, head of %d bytes", cp.Offset, cp.HeadBytes)
	}
	if err != nil {
		return nil, fmt.Errorf("checkpoint %s cannot be used (%w): remove it to record %s from its beginning", s.path, err, cp.Path)
	}
	return cp, nil
}

// save replaces the checkpoint; whatever happens, either the old or the new one
// is there.
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

func (s *store) close() { s.lock.Close() }
