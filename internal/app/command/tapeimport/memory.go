package tapeimport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/budget"
	"tapedeck/internal/problem"
	"tapedeck/internal/slow"
	"tapedeck/replay/tapefile"
	"tapedeck/schema"
)

const (
	// mostRecord bounds a record of a client's tape before compression, bytes. Records of larger
	// frames may be frameRoom longer than a frame.
	mostRecord = 32 << 20
	frameRoom  = 1 << 20
	// mostKept bounds what is kept of a client's tape until its end, bytes.
	mostKept = 128 << 20
	// entrySize is what a session, or a segment of a stream, takes besides its texts, bytes.
	entrySize = 1 << 10
	// pairSize is what an entry of a map takes besides its texts, bytes.
	pairSize = 64
	// chargedFrom is the size from which on memory is charged to the budget of writers, bytes.
	chargedFrom = 256 << 10
)

// memory bounds the memory of one import, and charges it to the budget of writers. A nil memory
// bounds nothing.
type memory struct {
	grant   *budget.Grant
	record  int                      // most bytes of a record before compression
	most    int64                    // most bytes that are kept
	control *http.ResponseController // sets the deadline of the body
	arrive  time.Duration            // in which a charged record must arrive

	kept     int64 // until the end of the import, bytes
	charged  int64 // for the current record, bytes
	deadline bool  // is set
}

// newMemory returns the memory of an import through a request.
func newMemory(o *Options, control *http.ResponseController) *memory {
	return &memory{grant: o.Writers.Write(), record: max(mostRecord, cmp.Or(o.FrameLimit, ingest.DefaultFrameLimit)+frameRoom),
		most: mostKept, control: control, arrive: o.Arrive.Or(slow.BodyTimeout)}
}

// bound bounds the records of a scanner.
func (m *memory) bound(ctx context.Context, s *tapefile.Scanner) {
	if m != nil {
		s.Bound(tapefile.Bounds{Record: m.record, Admit: func(n int) error { return m.enter(ctx, int64(n)) }})
	}
}

// enter charges the next record in place of the one before it, and waits while the budget is used
// up. A charged record must arrive in time, since others may wait for its memory.
func (m *memory) enter(ctx context.Context, n int64) error {
	m.grant.Adjust(-m.charged)
	m.charged = 0
	if n < chargedFrom {
		return nil
	}
	if err := m.grant.Need(ctx, n); err != nil {
		return err
	}
	m.charged, m.deadline = n, true
	// Without a connection, as in tests of handlers, setting deadlines fails.
	_ = m.control.SetReadDeadline(time.Now().Add(m.arrive))
	return nil
}

// arrived ends the time in which the current record must arrive. It returns the error of the read, a
// *problem.Problem if the record was late. The context of the request has ended then.
func (m *memory) arrived(err error) error {
	if m == nil || !m.deadline {
		return err
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return &problem.Problem{Status: http.StatusBadRequest, Detail: fmt.Sprintf("A record of the tape did not arrive within %v.", m.arrive),
			Hint: "Send the whole tape again: what was recorded of it is replaced."}
	}
	m.deadline = false
	_ = m.control.SetReadDeadline(time.Time{})
	return err
}

// keep charges n bytes that are kept until the end of the import.
func (m *memory) keep(ctx context.Context, n int64) error {
	if m == nil {
		return nil
	}
	if m.kept += n; m.kept > m.most {
		return fmt.Errorf("%w: its sessions and the states of its streams take more than the %d bytes that are kept of them",
			tapefile.ErrTooLarge, m.most)
	}
	if m.kept < chargedFrom {
		return nil
	}
	return m.grant.Need(ctx, n)
}

// state returns what the maps of a state take if it is kept, bytes. It removes the room that the
// decoder made in them for keys that occur several times.
func (m *memory) state(s *schema.StreamState) int64 {
	if m == nil {
		return 0
	}
	if len(s.Tags) > 0 {
		s.Tags = maps.Collect(maps.All(s.Tags))
	}
	if len(s.Redacted) > 0 {
		s.Redacted = maps.Collect(maps.All(s.Redacted))
	}
	return int64(len(s.Tags)+len(s.Redacted)) * pairSize
}

// close releases the memory.
func (m *memory) close() { m.grant.Close() }
