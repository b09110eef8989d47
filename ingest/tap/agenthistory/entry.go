package agenthistory

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// entry describes the durable part of a source.
type entry struct {
	Path    string `json:"path"`
	Agent   Agent  `json:"agent"`
	Stream  string `json:"stream"`
	Session string `json:"session"`
	Own     string `json:"own,omitempty"` // see Head
	Project string `json:"project,omitempty"`
	Branch  string `json:"branch,omitempty"`
	// Generation counts how often recorded content was replaced by other content.
	Generation int `json:"generation,omitempty"`
	// Size and Modified describe the source when it was read, so that an unchanged source is
	// detected without opening it. A source that was read in part has the Size -1.
	Size     int64 `json:"size"`
	Modified int64 `json:"modified"`
	// Offset and Frames are the number of durable bytes and frames, without an unterminated last
	// line. Digest is a hash of these bytes.
	Offset int64  `json:"offset"`
	Frames uint64 `json:"frames"`
	Digest uint64 `json:"digest"`
	// Saved is the time at which the entry was written, s since 1970.
	Saved   int64             `json:"saved"`
	Deleted bool              `json:"deleted,omitempty"`
	Copy    bool              `json:"copy,omitempty"` // other streams own all of its lines: nothing is recorded
	Tags    map[string]string `json:"tags,omitempty"` // tags that users gave the session
	// Lines identify the lines that the stream owns. An entry in the file has only the lines that
	// are new since the stream's previous entry.
	Lines idList `json:"lines,omitempty"`
}

// newEntry returns the entry of a source without a durable part.
func newEntry(s *Source, stream string, generation int) *entry {
	return &entry{
		Path: s.Path, Agent: s.Agent, Stream: stream, Session: s.Session, Own: s.own, Project: s.Project, Branch: s.Branch,
		Generation: generation, Size: s.Size, Modified: s.Modified.UnixNano(),
	}
}

// unchanged reports whether a source still has the size and time that it had when it was read.
func (e *entry) unchanged(s *Source) bool {
	return e.Size == s.Size && e.Modified == s.Modified.UnixNano()
}

// idList is a list of hashes, encoded as base64 in JSON.
type idList []uint64

// MarshalText implements encoding.TextMarshaler.
func (l idList) MarshalText() ([]byte, error) {
	raw := make([]byte, 0, 8*len(l))
	for _, id := range l {
		raw = binary.LittleEndian.AppendUint64(raw, id)
	}
	return base64.StdEncoding.AppendEncode(nil, raw), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (l *idList) UnmarshalText(text []byte) error {
	raw, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		return fmt.Errorf("list of ids: %w", err)
	}
	if len(raw)%8 != 0 {
		return fmt.Errorf("list of ids of %d bytes", len(raw))
	}
	*l = make(idList, 0, len(raw)/8)
	for ; len(raw) > 0; raw = raw[8:] {
		*l = append(*l, binary.LittleEndian.Uint64(raw))
	}
	return nil
}

// streamID returns the id of a source's stream. It is derived from the source's session, name and
// first time alone. So the same file has the same stream after it was moved, after the progress was
// lost, and on another machine, and recording it again is idempotent.
func (s *Source) streamID(generation int) string {
	at := min(max(s.started, oldest), time.Now().UnixNano())
	parts := []string{string(s.Agent), s.Session, s.name}
	if generation > 0 {
		parts = append(parts, strconv.Itoa(generation))
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	var id uuid.UUID
	copy(id[6:], sum[:])
	ms := uint64(at / int64(time.Millisecond))
	for i := range 6 {
		id[i] = byte(ms >> (40 - 8*i))
	}
	id[6] = id[6]&0x0f | 0x70 // version 7
	id[8] = id[8]&0x3f | 0x80
	return id.String()
}

// oldest is the least time in the id of a stream, in ns since 1970.
const oldest = 946684800 * int64(time.Second) // 2000
