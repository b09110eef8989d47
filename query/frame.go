package query

import (
	"context"
	"fmt"

	"tapedeck/internal/problem"
	"tapedeck/schema"
	"tapedeck/schema/clickhouse"
)

// WholeFrame is a frame with its recorded bytes, and how they came.
type WholeFrame struct {
	Frame
	Raw  []byte     `json:"raw"`
	Cuts []FrameCut `json:"cuts"`
}

// FrameCut is the end of a read inside of a frame.
type FrameCut struct {
	Bytes    uint32  `json:"bytes"`     // of the frame that had arrived
	OffsetMS float64 `json:"offset_ms"` // when, from the session's start
}

type wholeFrameRow struct {
	frameRow
	Cuts string `ch:"cuts"`
}

// Frame gives one frame by its position.
func (r *Reader) Frame(ctx context.Context, tenant, session string, at schema.Position) (*WholeFrame, error) {
	s, err := r.find(ctx, tenant, session)
	if err != nil {
		return nil, err
	}
	rows, err := ask[wholeFrameRow](ctx, r, "frame", nil,
		args{"tenant": tenant, "session": session, "stream": at.StreamID, "seq": at.Seq})
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 || rows[0].At != at.At {
		return nil, problem.NotFound(fmt.Sprintf("The session %q has no frame at %s.", session, at))
	}
	row := &rows[0]
	cuts, err := clickhouse.ParseCuts([]byte(row.Cuts), row.At)
	if err != nil {
		return nil, fmt.Errorf("frame %s: %w", at, err)
	}
	f := &WholeFrame{Frame: row.frame(s.Started), Raw: []byte(row.Raw), Cuts: make([]FrameCut, len(cuts))}
	for i, cut := range cuts {
		f.Cuts[i] = FrameCut{Bytes: cut.Offset, OffsetMS: millis(cut.At - s.Started)}
	}
	one := []Frame{f.Frame}
	err = r.nameDialects(ctx, &FrameQuery{Tenant: tenant, Session: session}, one)
	f.Frame = one[0]
	return f, err
}
