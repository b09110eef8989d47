package sessionframes

import (
	"context"
	"fmt"

	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/schema"
	"tapedeck/schema/clickhouse"
)

// WholeFrame is a frame with its recorded bytes and the reads in which they arrived.
type WholeFrame struct {
	Frame
	Raw  []byte `json:"raw"`
	Cuts []Cut  `json:"cuts"`
}

// Cut is the end of a read within a frame.
type Cut struct {
	Bytes    uint32  `json:"bytes"`     // bytes of the frame that had arrived
	OffsetMS float64 `json:"offset_ms"` // since the session's start
}

type wholeFrameRow struct {
	frameRow
	Cuts string `ch:"cuts"`
}

// ReadOne returns the frame at a position.
func ReadOne(ctx context.Context, r *query.Reader, tenant, session string, at schema.Position) (*WholeFrame, error) {
	s, err := sessionstreams.Kept(ctx, r, tenant, session)
	if err != nil {
		return nil, err
	}
	rows, err := query.Ask[wholeFrameRow](ctx, r, statements, "frame", nil,
		query.Args{"tenant": tenant, "session": session, "stream": at.StreamID, "seq": at.Seq})
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 || rows[0].At != at.At {
		return nil, problem.NotFound(fmt.Sprintf("The session %q has no frame at %s.", session, at))
	}
	seen, err := viewed(ctx, []frameRow{rows[0].frameRow})
	if err != nil {
		return nil, err
	}
	if len(seen) == 0 {
		return nil, problem.NotFound(fmt.Sprintf("The session %q has no frame at %s.", session, at))
	}
	row := &rows[0]
	row.frameRow = seen[0]
	cuts, err := clickhouse.ParseCuts([]byte(row.Cuts), row.At)
	if err != nil {
		return nil, fmt.Errorf("frame %s: %w", at, err)
	}
	from, to, _ := SpanOf(ctx)
	start := Start(ctx, s.Started)
	f := &WholeFrame{Frame: row.frame(start), Raw: []byte(row.Raw), Cuts: make([]Cut, 0, len(cuts))}
	for _, cut := range cuts {
		if cut.At >= from && cut.At < to {
			f.Cuts = append(f.Cuts, Cut{Bytes: cut.Offset, OffsetMS: query.Millis(cut.At - start)})
		}
	}
	one := []Frame{f.Frame}
	err = nameDialects(ctx, r, &Query{Tenant: tenant, Session: session}, one)
	f.Frame = one[0]
	return f, err
}
