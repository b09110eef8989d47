package archive

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
)

// state is archive.json.
type state struct {
	Version int `json:"archive_version"`
	// Server and Tenant are where the recordings come from; "" before the first run.
	Server string `json:"server"`
	Tenant string `json:"tenant"`
	// CompleteTo is the time before which nothing is missing: the last frame of each session that is not in the
	// archive came later, or the session was imported later.
	CompleteTo time.Time          `json:"complete_to"`
	Days       []string           `json:"days"` // with tapes, in order: 2026-11-28
	Charges    map[string]charges `json:"charges"`
}

const stateName, stateVersion = "archive.json", 1

// charges is the entry of a file of charges.
type charges struct {
	content
	Report string `json:"report"` // SHA-256 of the server's report of the day, which shows when charges change
	Rows   int64  `json:"rows"`   // charges in the file; 0 in archives of earlier versions
}

// content is the content of a file.
type content struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// entry is the entry of a tape in the index of its day.
type entry struct {
	Session string    `json:"session"`
	File    string    `json:"file"` // in the directory of the index
	Started time.Time `json:"started"`
	LastAt  time.Time `json:"last_at"`
	Ended   time.Time `json:"ended"`
	Streams uint64    `json:"streams"`
	Frames  uint64    `json:"frames"`
	Raw     uint64    `json:"raw_bytes"` // as recorded
	content
}

// fileName returns the name of a session's tape. An id that is long for a file system is cut, with its SHA-256.
func fileName(session string) string {
	name := url.PathEscape(session)
	if len(name) > 150 {
		sum := sha256.Sum256([]byte(session))
		name = strings.TrimRight(name[:100], "%0123456789ABCDEF") + "-" + hex.EncodeToString(sum[:])
	}
	return name + ".tape"
}

func indexName(day string) string { return directoryOf(day) + "index.ndjson" }

// directoryOf returns the directory of the tapes of a day.
func directoryOf(day string) string { return "tapes/" + strings.ReplaceAll(day, "-", "/") + "/" }

func chargesName(day string) string { return "charges/" + day + ".parquet" }

// readState reads archive.json; a new archive has an empty state.
func readState(ctx context.Context, p Place) (*state, error) {
	s := &state{Version: stateVersion, Charges: map[string]charges{}}
	in, err := p.Open(ctx, stateName)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if err := json.NewDecoder(in).Decode(s); err != nil {
		return nil, fmt.Errorf("%s is not readable: %w; copy it from a backup, or begin another archive", stateName, err)
	}
	if s.Version != stateVersion {
		return nil, fmt.Errorf("%s has version %d, and this program knows version %d: use the program that wrote it", stateName, s.Version, stateVersion)
	}
	if s.Charges == nil {
		s.Charges = map[string]charges{}
	}
	return s, nil
}

// readIndex reads the index of a day, by session.
func readIndex(ctx context.Context, p Place, day string) (map[string]entry, error) {
	index := map[string]entry{}
	in, err := p.Open(ctx, indexName(day))
	if errors.Is(err, fs.ErrNotExist) {
		return index, nil
	}
	if err != nil {
		return nil, err
	}
	defer in.Close()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("%s is not readable: %w; remove it, and its day is archived again with --all", indexName(day), err)
		}
		index[e.Session] = e
	}
	return index, lines.Err()
}

// writeIndex stores the index of a day.
func writeIndex(ctx context.Context, p Place, day string, index map[string]entry) error {
	var text bytes.Buffer
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false)
	for _, id := range slices.Sorted(maps.Keys(index)) {
		if err := out.Encode(index[id]); err != nil {
			return err
		}
	}
	return putText(ctx, p, indexName(day), text.Bytes())
}

// putText stores a small file.
func putText(ctx context.Context, p Place, name string, text []byte) error {
	file, err := os.CreateTemp("", "tapedeck-archive-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return p.Put(ctx, name, file.Name())
}

// contentOf returns the content of a file.
func contentOf(in io.Reader) (content, error) {
	sum := sha256.New()
	n, err := io.Copy(sum, in)
	return content{n, hex.EncodeToString(sum.Sum(nil))}, err
}

// readContent reads a file of the archive and returns its content. The error is fs.ErrNotExist if there is none.
func readContent(ctx context.Context, p Place, name string) (content, error) {
	in, err := p.Open(ctx, name)
	if err != nil {
		return content{}, fmt.Errorf("read %s: %w", name, err)
	}
	defer in.Close()
	c, err := contentOf(in)
	if err != nil {
		return c, fmt.Errorf("read %s: %w", name, err)
	}
	return c, nil
}
